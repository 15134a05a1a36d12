package sessions

import (
	"context"
	"time"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/core/watch"
	"kedge/internal/process/hold"
)

// SessionOnLimit asks what to do when a session comes to a provider's limit.
type SessionOnLimit struct {
	Name    string        `json:"name"`
	OnLimit kedge.OnLimit `json:"on_limit"`
}

// SessionOnLimit sets what Kedge does when a session comes to a provider's limit, and for
// the limit that it is at. Only you may.
func (s *Manager) SessionOnLimit(ctx context.Context, who projects.Caller, in SessionOnLimit) (kedge.Session, error) {
	if err := projects.PersonOnly(who, "decide what happens at a provider's limit"); err != nil {
		return kedge.Session{}, err
	}
	if err := checkOnLimit(in.OnLimit); err != nil {
		return kedge.Session{}, err
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
		if ses.Run != "" {
			return nil, kedge.Errorf(kedge.Conflict, "session %q works for run %q, and that run decides what happens at a provider's usage limit", ses.Name, ses.Run).WithHint("see what the run does: kedge status")
		}
		d := kedge.SessionOnLimitData{ID: ses.ID, OnLimit: in.OnLimit}
		if in.OnLimit == kedge.OnLimitWait && ses.Limit != nil {
			d.Retry = RetryAt(*ses.Limit, s.home.Now())
		}
		return projects.One(projects.Event(kedge.SessionOnLimit, who, d))
	})
	if err != nil {
		return kedge.Session{}, err
	}
	d, err := projects.Data[kedge.SessionOnLimitData](evs[0])
	if err != nil {
		return kedge.Session{}, err
	}
	return s.Find(ctx, p, string(d.ID))
}

// RetryAt is when a session that came to a limit is to be tried again.
func RetryAt(l kedge.ProviderLimit, now time.Time) *time.Time {
	until := time.Time{}
	if l.Until != nil {
		until = *l.Until
	}
	at := watch.RetryAt(l.At, until, now).UTC().Truncate(time.Millisecond)
	return &at
}

func checkOnLimit(o kedge.OnLimit) error {
	if o != kedge.OnLimitStop && o != kedge.OnLimitWait {
		return kedge.Errorf(kedge.Invalid, "at its provider's usage limit, a session can \"wait\" or \"stop\", but not %q", o).WithHint("for a new session: kedge new NAME --on-limit wait -- COMMAND; for a session that runs: kedge onlimit NAME wait")
	}
	return nil
}

// Typed is how much was typed into a living session so far.
func (s *Manager) Typed(ctx context.Context, f Followed) (int64, error) {
	c, err := s.dialFollowed(ctx, f)
	if err != nil {
		return 0, err
	}
	defer func() { _ = c.Close() }()
	st, err := c.State(ctx)
	return st.Input, err
}

// Continue types into a living session that it is to continue; key is the same for the
// same wish, which is then typed once.
func (s *Manager) Continue(ctx context.Context, f Followed, key string) error {
	c, err := s.dialFollowed(ctx, f)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	return c.Input(ctx, sourceOf(key), 1, []byte("continue\r"))
}

func (s *Manager) dialFollowed(ctx context.Context, f Followed) (*hold.Client, error) {
	ses, err := f.Session(ctx)
	if err != nil {
		return nil, err
	}
	return s.dial(ctx, s.Seen(ctx, ses))
}
