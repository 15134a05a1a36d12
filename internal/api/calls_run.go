package api

import "kedge/internal/service"

func runCalls() []Call {
	return []Call{
		call("run.start", Writing, (*service.Service).RunStart),
		call("run.pause", Writing, (*service.Service).RunPause),
		call("run.continue", Writing, (*service.Service).RunContinue),
		call("run.stop", Writing, (*service.Service).RunStop),
		call("run.show", Reading, (*service.Service).RunShow),
		call("run.going", Reading, (*service.Service).RunsGoing),
		driven(call("run.watch", Writing, (*service.Service).RunWatch)), // it needs the daemon, and is asked again when that dies
		call("plan.goal", Writing, (*service.Service).PlanGoal),
		call("answer", Writing, (*service.Service).Answer),
		driven(call("question.ask", Writing, (*service.Service).QuestionAsk)),
		call("run.tell", Writing, (*service.Service).RunTell),
		call("run.approve", Writing, (*service.Service).RunApprove),
		call("run.deny", Writing, (*service.Service).RunDeny),
		call("run.land", Writing, (*service.Service).RunLand),
		call("steps", Reading, (*service.Service).Steps),
		call("explain", Reading, (*service.Service).Explain),
	}
}
