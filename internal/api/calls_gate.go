package api

import "kedge/internal/service"

func gateCalls() []Call {
	return []Call{
		driven(call("gate", Writing, (*service.Service).Gate)),
	}
}
