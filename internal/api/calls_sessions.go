package api

import "kedge/internal/service"

func sessionCalls() []Call {
	return []Call{
		call("session.new", Writing, (*service.Service).SessionNew),
		call("session.list", Reading, (*service.Service).SessionList),
		call("session.find", Reading, (*service.Service).SessionFind),
		personal(call("session.attach", Reading, (*service.Service).SessionAttach)),
		call("session.send", Writing, (*service.Service).SessionSend),
		call("session.kill", Writing, (*service.Service).SessionKill),
		call("session.rename", Writing, (*service.Service).SessionRename),
		call("session.resume", Writing, (*service.Service).SessionResume),
		long(call("session.search", Reading, (*service.Service).SessionSearch)),
		call("session.retain", Writing, (*service.Service).SessionRetain),
	}
}
