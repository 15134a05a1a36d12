package api

import "kedge/internal/service"

func sessionCalls() []Call {
	return []Call{
		driven(call("session.new", Writing, (*service.Service).SessionNew)),
		call("session.list", Reading, (*service.Service).SessionList),
		call("session.find", Reading, (*service.Service).SessionFind),
		personal(call("session.attach", Reading, (*service.Service).SessionAttach)),
		driven(call("session.send", Writing, (*service.Service).SessionSend)),
		driven(call("session.kill", Writing, (*service.Service).SessionKill)),
		driven(call("session.rename", Writing, (*service.Service).SessionRename)),
		driven(call("session.resume", Writing, (*service.Service).SessionResume)),
		long(call("session.search", Reading, (*service.Service).SessionSearch)),
		call("session.retain", Writing, (*service.Service).SessionRetain),
	}
}
