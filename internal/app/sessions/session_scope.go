package sessions

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/journal"
	"kedge/internal/process"
	"kedge/internal/process/hold"
	"kedge/internal/process/tape"
)

// mayAct refuses what one session does to another: an agent may act on its own
// session and on those it started, and what they started. The try is written
// down. A person may act on all.
func (s *Manager) mayAct(ctx context.Context, p *projects.Project, who projects.Caller, ses kedge.Session, act string) error {
	self, ok := who.Session()
	if !ok {
		return nil
	}
	if below, err := descends(ctx, p, ses, self); below || err != nil {
		return err
	}
	refused := who
	refused.Key = "" // the request itself has no effect; asked again it is refused again
	_, err := s.home.Write(ctx, p, refused, func() ([]kedge.Event, error) {
		ev, err := projects.Event(kedge.SessionRefused, who, kedge.SessionRefusedData{ID: ses.ID, By: self, Act: act})
		return []kedge.Event{ev}, err
	})
	if err != nil {
		return err
	}
	return kedge.Errorf(kedge.Blocked, "this session may not %s session %q, because it did not start that session", cmp.Or(map[string]string{"send": "type into"}[act], act), ses.Name).
		WithHint("ask the user to run: kedge %s %s%s", act, ses.Name, map[string]string{"send": " TEXT", "rename": " NEW"}[act])
}

func (s *Manager) mayActOn(ctx context.Context, p *projects.Project, who projects.Caller, name, act string) error {
	if !who.IsAgent() {
		return nil
	}
	ses, err := s.Find(ctx, p, name)
	if err != nil {
		return err
	}
	return s.mayAct(ctx, p, who, ses, act)
}

// maxDepth bounds how far sessions that start sessions are followed.
const maxDepth = 100

// descends tells whether ses is the session named, or grew from it.
func descends(ctx context.Context, p *projects.Project, ses kedge.Session, from kedge.SessionID) (bool, error) {
	for range maxDepth {
		if ses.ID == from {
			return true, nil
		}
		if ses.Parent == "" {
			return false, nil
		}
		parent, ok, err := journal.Get[kedge.Session](ctx, p.Store, journal.KindSession, string(ses.Parent))
		if err != nil {
			return false, err
		}
		if !ok { // of another project: its id is known all the same
			parent = kedge.Session{ID: ses.Parent}
		}
		ses = parent
	}
	return false, nil
}

// sessionEnv is the caller's environment with what tells a program its session.
// What the caller had of the kind is taken out: of two values most programs take
// the first, and an agent would pass for the session that started it.
func sessionEnv(env []string, id kedge.SessionID, home, token string) []string {
	out := slices.DeleteFunc(process.WithToken(env, token), func(kv string) bool {
		return strings.HasPrefix(kv, "KEDGE_SESSION=") || strings.HasPrefix(kv, "KEDGE_HOME=")
	})
	return append(out, "KEDGE_SESSION="+string(id), "KEDGE_HOME="+home)
}

// saidWithin is how much of the end of a tape is searched for what the agent
// says of itself: an agent that prints more after saying that it waits, works.
const saidWithin = 64 << 10

// waits tells whether a running session's agent has said that it waits.
func (s *Manager) waits(id kedge.SessionID, end int64) bool {
	from := max(end-saidWithin, 0)
	b := make([]byte, end-from)
	n, _ := tape.Open(s.SessionDir(id)).ReadAt(b, from) // what cannot be read says nothing
	return hold.LastSaid(b[:n]) == hold.SaidWaiting
}
