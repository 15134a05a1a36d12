package api

import "kedge/internal/service"

func lookCalls() []Call {
	return []Call{
		homeless(local(call("audit", Reading, (*service.Service).Audit))),
		homeless(local(call("brief", Reading, (*service.Service).Brief))),
		call("cost", Reading, (*service.Service).Cost),
		call("stats", Reading, (*service.Service).Stats),
	}
}
