package sessions

import (
	"context"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/journal"
	"kedge/internal/process"
)

// Pass is what a caller presents to act for a session over a connection that does not
// show where its process runs. Inside is the session in which it is known to run, or
// empty; Act is the call.
type Pass struct {
	Dir     string
	Session kedge.SessionID
	Token   string
	Inside  kedge.SessionID
	Act     string
}

// Admit refuses a token that is not the running session's, and one that is presented
// from inside another session or for another project. The attempt is recorded.
func (s *Manager) Admit(ctx context.Context, in Pass) error {
	p, err := s.home.OfSessions(ctx, projects.Caller{Dir: in.Dir})
	if err != nil {
		return err
	}
	why, err := s.refusal(ctx, p, in)
	if why == "" || err != nil {
		return err
	}
	if !s.home.ReadOnly {
		if err := s.journalRefusal(ctx, p, in, why); err != nil {
			return err
		}
	}
	return kedge.Errorf(kedge.Blocked, "Kedge does not let this program act for session %q: %s", in.Session, why).
		WithHint("start the agent as a session of its own: kedge new NAME -- COMMAND")
}

// refusal is why a pass is not good; empty when it is.
func (s *Manager) refusal(ctx context.Context, p *projects.Project, in Pass) (string, error) {
	if in.Inside != "" && in.Inside != in.Session {
		return "the program runs inside another session", nil
	}
	ses, known, err := journal.Get[kedge.Session](ctx, p.Store, journal.KindSession, string(in.Session))
	switch {
	case err != nil:
		return "", err
	case !known:
		return "this project has no such session", nil
	case !process.TokenOpens(s.SessionDir(ses.ID), in.Token):
		return "the token in KEDGE_TOKEN is not the token of this session", nil
	case !ses.Live():
		return "the session has ended", nil
	default:
		return "", nil
	}
}

func (s *Manager) journalRefusal(ctx context.Context, p *projects.Project, in Pass, why string) error {
	d := kedge.SessionRefusedData{By: in.Inside, Act: in.Act, Reason: why}
	if kedge.ValidID("ses", string(in.Session)) {
		d.ID = in.Session
	}
	who := projects.Caller{Dir: in.Dir, Actor: kedge.Agent(d.ID)}
	if d.By != "" {
		who.Actor = kedge.Agent(d.By)
	}
	_, err := s.home.Write(ctx, p, who, func() ([]kedge.Event, error) {
		return projects.One(projects.Event(kedge.SessionRefused, who, d))
	})
	return err
}
