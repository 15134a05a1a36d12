package server

import "kedge/internal/app"

func lookCalls() []Call {
	return []Call{
		homeless(local(call("audit", Reading, (*app.Service).Audit))),
		homeless(local(call("brief", Reading, (*app.Service).Brief))),
		call("cost", Reading, (*app.Service).Cost),
		homeless(local(call("conversation", Reading, (*app.Service).Conversation))),
		homeless(local(call("history", Reading, (*app.Service).History))),
		local(call("hygiene", Reading, (*app.Service).Hygiene)),
		call("stats", Reading, (*app.Service).Stats),
	}
}
