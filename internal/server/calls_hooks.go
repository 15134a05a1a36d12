package server

import "kedge/internal/app"

func hookCalls() []Call {
	return []Call{
		local(call("hook.brief", Reading, (*app.Service).HookBrief)),
		forRuns(call("hook.take", Writing, (*app.Service).HookTake)),
		forRuns(long(call("hook.stop", Writing, (*app.Service).HookStop))),
	}
}
