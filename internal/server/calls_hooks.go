package server

import "kedge/internal/app"

func hookCalls() []Call {
	return []Call{
		local(call("hook.brief", Reading, (*app.Service).HookBrief)),
		driven(call("hook.take", Writing, (*app.Service).HookTake)),
		driven(long(call("hook.stop", Writing, (*app.Service).HookStop))),
	}
}
