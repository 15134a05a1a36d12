package api

import "kedge/internal/service"

func hookCalls() []Call {
	return []Call{
		local(call("hook.brief", Reading, (*service.Service).HookBrief)),
		driven(call("hook.take", Writing, (*service.Service).HookTake)),
		driven(long(call("hook.stop", Writing, (*service.Service).HookStop))),
	}
}
