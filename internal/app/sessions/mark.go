package sessions

import (
	"context"

	"kedge"
	"kedge/internal/app/projects"
)

// SessionMark writes a fact that says nothing but which session it is about, and answers
// with the session as it is then. Such facts are yours to state, so agents are refused.
// The verb is the command, for messages.
func (s *Manager) SessionMark(ctx context.Context, who projects.Caller, in SessionName, verb string, fact kedge.EventType) (kedge.Session, error) {
	if who.IsAgent() {
		return kedge.Session{}, kedge.Errorf(kedge.Blocked, "only the user may %s sessions, and agents may not", verb).
			WithHint("ask the user to run: kedge %s %s", verb, in.Name)
	}
	p, err := s.owner(ctx, who, in.Name)
	if err != nil {
		return kedge.Session{}, err
	}
	evs, err := s.home.Write(ctx, p, who, func() ([]kedge.Event, error) {
		ses, err := s.Find(ctx, p, in.Name)
		if err != nil {
			return nil, err
		}
		return projects.One(projects.Event(fact, who, kedge.SessionMark{ID: ses.ID}))
	})
	if err != nil {
		return kedge.Session{}, err
	}
	about, err := projects.Data[kedge.SessionMark](evs[0]) // of the first time, where the request came twice
	if err != nil {
		return kedge.Session{}, err
	}
	return s.Find(ctx, p, string(about.ID))
}
