package sessions

import (
	"context"
	"slices"
	"strings"
	"sync"

	"kedge"
	"kedge/internal/agents/catalog"
	"kedge/internal/app/projects"
	"kedge/internal/journal"
	"kedge/internal/process"
)

// WarningFile is the file in a session's folder that has the session's warnings, one in a
// line, for its status line.
const WarningFile = "warnings"

// Followed is a living session that this daemon follows. Env are the variables of its
// environment that say where its program keeps its files; empty for a session that an
// earlier daemon started.
type Followed struct {
	Project *projects.Project
	ID      kedge.SessionID
	Env     []string
}

// Session reads the session from its journal.
func (f Followed) Session(ctx context.Context) (kedge.Session, error) {
	ses, ok, err := journal.Get[kedge.Session](ctx, f.Project.Store, journal.KindSession, string(f.ID))
	if err == nil && !ok {
		err = kedge.Errorf(kedge.NotFound, "there is no session with the id %q", f.ID).WithHint("see the sessions: kedge ls")
	}
	return ses, err
}

// follows are the sessions that are followed. What is known of an environment is known
// before its session is.
type follows struct {
	mu  sync.Mutex
	env map[kedge.SessionID][]string
	now map[kedge.SessionID]Followed
}

// know remembers where the program of a session will keep its files.
func (f *follows) know(id kedge.SessionID, env []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.env == nil {
		f.env = map[kedge.SessionID][]string{}
	}
	f.env[id] = whereabouts(env)
}

// whereabouts are the variables that say where programs keep their files.
func whereabouts(env []string) []string {
	var out []string
	for _, name := range catalog.Transcripts().Variables() {
		if v := process.Getenv(env, name); v != "" {
			out = append(out, name+"="+v)
		}
	}
	return out
}

func (f *follows) add(p *projects.Project, id kedge.SessionID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.now == nil {
		f.now = map[kedge.SessionID]Followed{}
	}
	f.now[id] = Followed{Project: p, ID: id, Env: f.env[id]}
}

func (f *follows) remove(id kedge.SessionID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.now, id)
	delete(f.env, id)
}

// Followed lists the living sessions that this daemon follows, in the order of their ids.
func (s *Manager) Followed() []Followed {
	s.follows.mu.Lock()
	defer s.follows.mu.Unlock()
	out := make([]Followed, 0, len(s.follows.now))
	for _, f := range s.follows.now {
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b Followed) int { return strings.Compare(string(a.ID), string(b.ID)) })
	return out
}

// FollowedAs gives the living session with an id; false where this daemon follows none.
func (s *Manager) FollowedAs(id kedge.SessionID) (Followed, bool) {
	s.follows.mu.Lock()
	defer s.follows.mu.Unlock()
	f, ok := s.follows.now[id]
	return f, ok
}

// Driven tells whether a session that you drive lives in a project.
func (s *Manager) Driven(ctx context.Context, p *projects.Project) (bool, error) {
	for _, f := range s.Followed() {
		if f.Project.ID != p.ID {
			continue
		}
		if ses, err := f.Session(ctx); err != nil || ses.Run == "" {
			return err == nil, err
		}
	}
	return false, nil
}
