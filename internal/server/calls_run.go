package server

import "kedge/internal/app"

func runCalls() []Call {
	return []Call{
		call("run.start", Writing, (*app.Service).RunStart),
		operate(call("run.pause", Writing, (*app.Service).RunPause)),
		operate(call("run.continue", Writing, (*app.Service).RunContinue)),
		operate(call("run.stop", Writing, (*app.Service).RunStop)),
		operate(call("run.show", Reading, (*app.Service).RunShow)),
		call("run.going", Reading, (*app.Service).RunsGoing),
		forRuns(call("run.watch", Writing, (*app.Service).RunWatch)), // it needs the daemon, and is asked again when that dies
		call("plan.goal", Writing, (*app.Service).PlanGoal),
		call("answer", Writing, (*app.Service).Answer),
		forRuns(call("question.ask", Writing, (*app.Service).QuestionAsk)),
		operate(call("run.tell", Writing, (*app.Service).RunTell)),
		call("run.approve", Writing, (*app.Service).RunApprove),
		call("run.deny", Writing, (*app.Service).RunDeny),
		call("run.land", Writing, (*app.Service).RunLand),
		call("forecast", Reading, (*app.Service).Forecast),
		call("steps", Reading, (*app.Service).Steps),
		call("explain", Reading, (*app.Service).Explain),
	}
}
