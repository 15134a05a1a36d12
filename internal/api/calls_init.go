package api

import "kedge/internal/service"

func initCalls() []Call {
	return []Call{
		call("init", Writing, (*service.Service).Init),
		call("init.plan", Reading, (*service.Service).InitPlan),
		call("init.remove", Writing, (*service.Service).InitRemove),
	}
}
