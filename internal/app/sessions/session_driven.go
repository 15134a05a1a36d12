package sessions

import (
	"context"

	"kedge"
	"kedge/internal/app/projects"
)

// Undriven refuses a call that is not for sessions of a run, nor for what they
// started: a run decides what becomes of their work, and people of everything else.
// The try is written down.
func (s *Keeper) Undriven(ctx context.Context, who projects.Caller, call string) error {
	if !who.IsAgent() || s.home.ReadOnly {
		return nil
	}
	p, ses, err := s.drivenBy(ctx, who)
	if ses == nil || err != nil {
		return err
	}
	const why = "a session of a run sets no status and gives no orders"
	if err := s.home.Refused(ctx, p, who, ses.ID, call, why); err != nil {
		return err
	}
	return kedge.Errorf(kedge.Blocked, "%q is not for a session of a run", call).
		WithHint("end your turn and say what you found: the run decides, and people do")
}

// drivenBy finds the session of a run that the caller works for, with its project,
// from whichever folder it asks; nil: none.
func (s *Keeper) drivenBy(ctx context.Context, who projects.Caller) (*projects.Project, *kedge.Session, error) {
	here, err := s.home.OfSessions(ctx, who)
	if err == nil {
		if ses, known, err := projects.DrivenBy(ctx, here.Store, who); known || err != nil {
			return here, ses, err
		}
	}
	all, err := s.home.AllOfSessions(ctx, who, true)
	if err != nil {
		return nil, nil, err
	}
	for _, p := range all {
		if ses, known, err := projects.DrivenBy(ctx, p.Store, who); known || err != nil {
			return p, ses, err
		}
	}
	return nil, nil, nil
}
