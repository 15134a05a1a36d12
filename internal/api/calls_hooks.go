package api

import "kedge/internal/service"

func hookCalls() []Call {
	return []Call{
		local(call("hook.brief", Reading, (*service.Service).HookBrief)),
		call("hook.take", Writing, (*service.Service).HookTake),
		long(call("hook.stop", Writing, (*service.Service).HookStop)),
	}
}
