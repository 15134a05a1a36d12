package server

import "kedge/internal/app"

func sessionCalls() []Call {
	return []Call{
		driven(call("session.new", Writing, (*app.Service).SessionNew)),
		call("session.list", Reading, (*app.Service).SessionList),
		call("session.find", Reading, (*app.Service).SessionFind),
		personal(call("session.attach", Reading, (*app.Service).SessionAttach)),
		driven(call("session.send", Writing, (*app.Service).SessionSend)),
		driven(call("session.kill", Writing, (*app.Service).SessionKill)),
		driven(call("session.rename", Writing, (*app.Service).SessionRename)),
		driven(call("session.resume", Writing, (*app.Service).SessionResume)),
		long(call("session.search", Reading, (*app.Service).SessionSearch)),
		call("session.retain", Writing, (*app.Service).SessionRetain),
	}
}
