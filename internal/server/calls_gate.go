package server

import "kedge/internal/app"

func gateCalls() []Call {
	return []Call{
		driven(call("gate", Writing, (*app.Service).Gate)),
	}
}
