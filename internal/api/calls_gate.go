package api

import "kedge/internal/service"

func gateCalls() []Call {
	return []Call{
		call("gate", Writing, (*service.Service).Gate),
	}
}
