package sessions

import (
	"context"

	"kedge"
	"kedge/internal/app/projects"
)

// RefuseToRuns refuses a call that is not for sessions of a run, nor for sessions that
// they started: the run decides about their work, and you about everything else. The
// attempt is recorded.
func (s *Manager) RefuseToRuns(ctx context.Context, who projects.Caller, call string) error {
	if !who.IsAgent() || s.home.ReadOnly {
		return nil
	}
	p, ses, err := s.runSessionOf(ctx, who)
	if ses == nil || err != nil {
		return err
	}
	const why = "a session of a run sets no status and gives no orders"
	if err := s.home.Refused(ctx, p, who, ses.ID, call, why); err != nil {
		return err
	}
	return kedge.Errorf(kedge.Blocked, "this session belongs to a run, so its agent may not use %q", call).
		WithHint("say in your last message what you found, and end your turn; Kedge and the user decide")
}

// runSessionOf finds the session of a run that the caller works for, and its project,
// whatever folder the caller is in. It gives nil when there is none.
func (s *Manager) runSessionOf(ctx context.Context, who projects.Caller) (*projects.Project, *kedge.Session, error) {
	here, err := s.home.OfSessions(ctx, who)
	if err == nil {
		if ses, known, err := projects.RunSessionOf(ctx, here.Store, who); known || err != nil {
			return here, ses, err
		}
	}
	all, err := s.home.AllOfSessions(ctx, who, true)
	if err != nil {
		return nil, nil, err
	}
	for _, p := range all {
		if ses, known, err := projects.RunSessionOf(ctx, p.Store, who); known || err != nil {
			return p, ses, err
		}
	}
	return nil, nil, nil
}
