package server

import "kedge/internal/app"

func gateCalls() []Call {
	return []Call{
		forRuns(call("gate", Writing, (*app.Service).Gate)),
	}
}
