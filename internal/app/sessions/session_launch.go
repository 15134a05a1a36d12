package sessions

import (
	"context"
	"os"
	"path/filepath"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/process"
	"kedge/internal/process/hold"
)

// launch is a session to be: its folder, and a holder that comes up while the
// fact is written down. Until then it holds nothing, and it goes when we do.
type launch struct {
	id     kedge.SessionID
	dir    string
	token  string // what opens the session to whatever acts for it
	holder *hold.Launch
}

func (s *Manager) launch(ctx context.Context) (launch, error) {
	if s.home.ReadOnly {
		return launch{}, projects.ErrReadOnly()
	}
	if l, ok := s.spare.take(); ok {
		return l, nil
	}
	return s.freshLaunch(ctx)
}

func (s *Manager) freshLaunch(ctx context.Context) (launch, error) {
	id := kedge.SessionID(kedge.NewID("ses", s.home.Now()))
	l := launch{id: id, dir: s.SessionDir(id)}
	err := s.prepare(ctx, &l)
	return l, err
}

func (s *Manager) prepare(ctx context.Context, l *launch) error {
	if err := os.MkdirAll(filepath.Dir(l.dir), 0o700); err != nil {
		return kedge.Errorf(kedge.Internal, "cannot make the folder for the session's output: %w", err)
	}
	if err := os.Mkdir(l.dir, 0o700); os.IsExist(err) {
		return err
	} else if err != nil {
		return kedge.Errorf(kedge.Internal, "cannot make the folder for the session's output: %w", err)
	}
	var err error
	if l.holder, err = s.with.Holder.Prepare(ctx, hold.Place{Session: l.id, Dir: l.dir, Socket: s.socketOf(l.id)}); err != nil {
		l.remove()
		return err
	}
	if l.token, err = process.IssueToken(l.dir); err != nil {
		l.abandon()
	}
	return err
}

// socketOf is where the holder of a session is reached: a path must be short.
func (s *Manager) socketOf(id kedge.SessionID) string {
	return filepath.Join(s.with.Sockets, string(id)[len(id)-12:])
}

// remove takes the folder away. One that is not empty says what went wrong; it
// belongs to no session.
func (l launch) remove() {
	_ = os.Remove(filepath.Join(l.dir, process.TokenFile))
	_ = os.Remove(l.dir)
}

// abandon gives up a session that did not come to be.
func (l launch) abandon() {
	l.holder.Abandon()
	l.remove()
}

// launched goes on with a launch when the journal has answered: with the events
// that start its session, with those of an earlier one that the same request
// started, or with a refusal. what says what to run.
func (s *Manager) launched(ctx context.Context, p *projects.Project, l launch, evs []kedge.Event, refused error, what func(kedge.Session) SessionNew) (kedge.Session, error) {
	if refused != nil {
		l.abandon()
		return kedge.Session{}, refused
	}
	ses, err := projects.Data[kedge.Session](evs[0])
	if err != nil {
		l.abandon()
		return ses, err
	}
	if ses.ID != l.id {
		l.abandon()
		l = launch{id: ses.ID, dir: s.SessionDir(ses.ID)}
		if err := s.prepare(ctx, &l); os.IsExist(err) {
			return s.Seen(ctx, ses), s.startedBefore(ctx, ses)
		} else if err != nil {
			return ses, err
		}
	}
	return s.hold(ctx, p, ses, l, what(ses))
}

// hold lets the program of a session that is in the journal run.
func (s *Manager) hold(ctx context.Context, p *projects.Project, ses kedge.Session, l launch, in SessionNew) (kedge.Session, error) {
	s.holders.starting.RLock()
	defer s.holders.starting.RUnlock()
	r, err := l.holder.Hold(hold.Spec{
		Session: ses.ID, Dir: l.dir, Socket: s.socketOf(ses.ID),
		Command: in.Command, Cwd: in.Dir, Env: sessionEnv(withWorktree(in.Env, in.own), ses.ID, s.home.Dir, l.token), Cols: in.Cols, Rows: in.Rows,
	})
	if err != nil {
		s.ended(ctx, p, kedge.SessionEndedData{ID: ses.ID, State: kedge.SessionInterrupted, Cause: "did not start"})
		return ses, err
	}
	s.follows.know(ses.ID, in.Env)
	s.follow(p, ses.ID, r.Holder.PID, nil)
	s.spareSoon()
	ses.PID = r.Child.PID
	return ses, nil
}

// startedBefore answers a request that is made again: its session runs or has
// ended, or was never started because the daemon died in the middle of it.
func (s *Manager) startedBefore(ctx context.Context, ses kedge.Session) error {
	f := hold.Look(ctx, s.SessionDir(ses.ID))
	defer closeFound(f)
	if f.State == kedge.SessionRunning || f.Result != nil {
		return nil
	}
	return kedge.Errorf(kedge.Conflict, "session %q did not start, because Kedge's background process (the daemon) was stopped", ses.Name).
		WithHint("start the session now: kedge resume %s", ses.Name)
}
