package server

import (
	"context"
	"strings"

	"kedge"
	"kedge/internal/app"
	"kedge/internal/app/projects"
	"kedge/internal/app/sessions"
)

func sessionCalls() []Call {
	return []Call{
		forRuns(call("session.new", Writing, (*app.Service).SessionNew)),
		call("session.list", Reading, (*app.Service).SessionList),
		call("session.find", Reading, (*app.Service).SessionFind),
		personal(call("session.attach", Reading, (*app.Service).SessionAttach)),
		personal(call("session.away", Reading, (*app.Service).SessionAway)),
		forRuns(call("session.send", Writing, (*app.Service).SessionSend)),
		forRuns(call("session.kill", Writing, (*app.Service).SessionKill)),
		forRuns(call("session.rename", Writing, (*app.Service).SessionRename)),
		mark("session.pin", kedge.SessionPinned),
		mark("session.unpin", kedge.SessionUnpinned),
		forRuns(call("session.resume", Writing, (*app.Service).SessionResume)),
		call("session.on_limit", Writing, (*app.Service).SessionOnLimit),
		call("session.fresh", Writing, (*app.Service).SessionFresh),
		long(call("session.search", Reading, (*app.Service).SessionSearch)),
		call("session.retain", Writing, (*app.Service).SessionRetain),
	}
}

// mark is a call that writes a fact about one session and has nothing else to say: its
// request names the session, its answer is the session. The name ends in the command.
func mark(name string, fact kedge.EventType) Call {
	_, verb, _ := strings.Cut(name, ".")
	return call(name, Writing, func(s *app.Service, ctx context.Context, who projects.Caller, in sessions.SessionName) (kedge.Session, error) {
		return s.SessionMark(ctx, who, in, verb, fact)
	})
}
