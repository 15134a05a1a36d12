package server

import "kedge/internal/app"

func initCalls() []Call {
	return []Call{
		call("init", Writing, (*app.Service).Init),
		call("init.plan", Reading, (*app.Service).InitPlan),
		call("init.try", Writing, (*app.Service).InitTry),
		call("init.remove", Writing, (*app.Service).InitRemove),
	}
}
