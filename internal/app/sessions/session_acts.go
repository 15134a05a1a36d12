package sessions

import (
	"context"
	"time"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/journal"
	"kedge/internal/process/hold"
)

// follow watches a living session until it ends, writes that down, and lets its
// holder go. The client is closed; it is nil for a holder that was not reached
// yet, or does not answer now. A pid of 0 is nobody's ancestor.
func (s *Manager) follow(p *projects.Project, id kedge.SessionID, holder int, c *hold.Client) {
	s.holders.add(holder, id)
	s.follows.add(p, id)
	s.screens.Add(s.SessionDir(id))
	s.life.Go(func() {
		defer s.screens.Remove(s.SessionDir(id))
		defer s.holders.remove(holder)
		defer s.follows.remove(id)
		f, over := s.toEnd(id, c)
		if !over {
			return // we stop; the session does not
		}
		s.endLeft(f)
		s.ended(s.life.Context(), p, endOf(f))
		s.collect(s.life.Context(), f)
	})
}

// endLeft ends what a holder that was killed has left behind.
func (s *Manager) endLeft(f hold.Found) {
	if f.Result != nil {
		return
	}
	left, err := hold.EndLeft(f.Dir)
	if err != nil || left > 0 {
		s.home.Log.Warn("the process that kept a session alive (its holder) was killed, so Kedge ended the session's other processes", "session", string(f.ID), "processes", left, "error", err)
	}
}

// lookAgain is how long to wait before a holder is asked again that broke off
// or did not answer.
const lookAgain = time.Second

// toEnd follows a session until it is over, however often its holder breaks off.
func (s *Manager) toEnd(id kedge.SessionID, c *hold.Client) (f hold.Found, over bool) {
	for {
		if c == nil {
			c, _ = hold.Dial(s.life.Context(), s.SessionDir(id)) // how it is with the session, Look says
		}
		if c != nil {
			_, _ = c.Await(s.life.Context())
			_ = c.Close()
		}
		f = hold.Look(s.life.Context(), s.SessionDir(id))
		if s.life.Context().Err() != nil {
			closeFound(f)
			return f, false
		}
		if f.State != kedge.SessionRunning {
			return f, true
		}
		select {
		case <-s.life.Context().Done():
		case <-time.After(lookAgain):
		}
		c = f.Client
	}
}

func closeFound(f hold.Found) {
	if f.Client != nil {
		_ = f.Client.Close()
	}
}

// collect lets the holder of an ended session go; without it, it would stay for
// a day.
func (s *Manager) collect(ctx context.Context, f hold.Found) {
	if f.Client != nil && f.Result != nil {
		_ = f.Client.Collect(ctx) // it goes by itself as well
	}
	closeFound(f)
}

func endOf(f hold.Found) kedge.SessionEndedData {
	d := kedge.SessionEndedData{ID: f.ID, State: f.State, Cause: f.Cause}
	if f.Result != nil {
		code := f.Result.Code
		d.ExitCode, d.Cause, d.Bytes = &code, f.Result.Cause, f.Result.End
		d.Signal = f.Result.SignalName()
	}
	return d
}

// ended writes the end of a session down, once: its key is the session.
func (s *Manager) ended(ctx context.Context, p *projects.Project, d kedge.SessionEndedData) {
	who := projects.Caller{Actor: kedge.ActorDaemon, Key: "ended-" + string(d.ID)}
	_, err := s.home.Write(ctx, p, who, func() ([]kedge.Event, error) {
		ev, err := projects.Event(kedge.SessionEnded, who, d)
		return []kedge.Event{ev}, err
	})
	if err != nil && ctx.Err() == nil {
		s.home.Log.Error("cannot record the end of a session", "session", string(d.ID), "error", err.Error())
	}
}

// Adopt takes over the sessions that an earlier daemon left. It watches those that run,
// records how the others ended, and finishes the gates.
func (s *Manager) Adopt(ctx context.Context) error {
	s.rememberLines()
	ps, err := s.home.AllOfSessions(ctx, projects.Caller{}, true)
	if err != nil {
		return err
	}
	found, err := hold.Find(ctx, s.SessionDir(""))
	if err != nil {
		return err
	}
	byID := map[kedge.SessionID]hold.Found{}
	for _, f := range found {
		byID[f.ID] = f
	}
	for _, p := range ps {
		if err := s.AdoptProject(ctx, p, byID); err != nil {
			return err
		}
		if err := s.adoptGates(ctx, p); err != nil {
			return err
		}
	}
	s.sweep(byID)
	return nil
}

// AdoptProject adopts the sessions of one project, of those that were found.
func (s *Manager) AdoptProject(ctx context.Context, p *projects.Project, found map[kedge.SessionID]hold.Found) error {
	docs, err := projects.All[kedge.Session](ctx, p, journal.KindSession)
	if err != nil {
		return err
	}
	for _, ses := range docs {
		f, ok := found[ses.ID]
		delete(found, ses.ID)
		if !ok {
			f = hold.Found{ID: ses.ID, State: kedge.SessionInterrupted, Cause: hold.CauseLost}
		}
		switch {
		case ses.Live() && f.State == kedge.SessionRunning:
			r, _ := hold.ReadRecord(f.Dir)
			s.follow(p, ses.ID, r.Holder.PID, f.Client)
		case ses.Live() && ses.Run != "":
			closeFound(f) // its run says what became of it, or starts it only now
		case ses.Live():
			s.ended(ctx, p, endOf(f))
			s.collect(ctx, f)
		default:
			s.collect(ctx, f)
		}
	}
	return nil
}

// SessionSend asks to type a text into a session.
type SessionSend struct {
	Name  string `json:"name"`
	Text  string `json:"text"`
	Enter bool   `json:"enter"`
}

// SessionSend types into a session. It returns when the program's terminal has accepted
// all of it.
func (s *Manager) SessionSend(ctx context.Context, who projects.Caller, in SessionSend) (kedge.Session, error) {
	_, c, ses, err := s.reach(ctx, who, in.Name, "send")
	if err != nil {
		return ses, err
	}
	defer func() { _ = c.Close() }()
	if err := refuseRunInput(ses); err != nil {
		return ses, err
	}
	text := in.Text
	if in.Enter {
		text += "\r"
	}
	return ses, c.Input(ctx, sourceOf(who.Key), 1, []byte(text))
}

// refuseRunInput refuses to type into a session that works on a feature of a run: the run
// types its brief there, and a text among it would break both.
func refuseRunInput(ses kedge.Session) error {
	if ses.Run == "" || ses.Feature == "" {
		return nil
	}
	return kedge.Errorf(kedge.Conflict, "session %q works for run %q, so only the run types into its terminal", ses.Name, ses.Run).
		WithHint("send a message to the session instead: kedge tell %s TEXT", ses.Feature)
}

// reach connects to a living session that the caller may act on.
func (s *Manager) reach(ctx context.Context, who projects.Caller, name, act string) (*projects.Project, *hold.Client, kedge.Session, error) {
	p, err := s.owner(ctx, who, name)
	if err != nil {
		return nil, nil, kedge.Session{}, err
	}
	ses, err := s.Find(ctx, p, name)
	if err != nil {
		return nil, nil, ses, err
	}
	if err := s.mayAct(ctx, p, who, ses, act); err != nil {
		return nil, nil, ses, err
	}
	if !ses.Live() {
		return nil, nil, ses, kedge.Errorf(kedge.Conflict, "session %q is not running any more (state: %s)", name, ses.State).WithHint("%s", afterEnd(act, name, ses.Run))
	}
	c, err := s.dial(ctx, ses)
	return p, c, ses, err
}

// silentFor is how much longer a holder is waited for that does not answer at
// first.
const silentFor = 10 * time.Second

// dial connects to the holder of a session; one that does not answer is not waited
// for for ever.
func (s *Manager) dial(ctx context.Context, ses kedge.Session) (*hold.Client, error) {
	if ses.Cause != hold.CauseSilent {
		return hold.Dial(ctx, s.SessionDir(ses.ID))
	}
	limited, cancel := context.WithTimeout(ctx, silentFor)
	defer cancel()
	c, err := hold.Dial(limited, s.SessionDir(ses.ID))
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		return nil, s.silent(ses)
	}
	return c, err
}

// afterEnd is what to do where a session has ended that was to be acted on.
func afterEnd(act, name string, of kedge.RunID) string {
	switch {
	case act == "kill":
		return "nothing to end; to see how the session ended: kedge show " + name
	case of != "":
		return "the session worked for run " + string(of) + "; see what the run does now: kedge status"
	}
	return "start the session again: kedge resume " + name
}

// silent says that the holder of a session lives and does not answer.
func (s *Manager) silent(ses kedge.Session) error {
	err := kedge.Errorf(kedge.Conflict, "session %q does not react: the process that keeps it alive (its holder) does not answer", ses.Name)
	if r, none := hold.ReadRecord(s.SessionDir(ses.ID)); none == nil {
		return err.WithHint("the holder may be suspended; to let it continue: kill -CONT %d", r.Holder.PID)
	}
	return err.WithHint("see whether the session still runs: kedge ls")
}

// SessionKill asks to end a session.
type SessionKill struct {
	Name    string `json:"name"`
	GraceMS int    `json:"grace_ms"`
}

// SessionKill ends a session and everything it started. It returns when all of it is
// gone and recorded.
func (s *Manager) SessionKill(ctx context.Context, who projects.Caller, in SessionKill) (kedge.Session, error) {
	p, c, ses, err := s.reach(ctx, who, in.Name, "kill")
	if err != nil {
		return ses, err
	}
	defer func() { _ = c.Close() }()
	if err := c.End(ctx, time.Duration(max(in.GraceMS, 0))*time.Millisecond); err != nil {
		return ses, err
	}
	if _, err := c.Await(ctx); err != nil {
		return ses, err
	}
	f := hold.Look(ctx, s.SessionDir(ses.ID))
	s.ended(ctx, p, endOf(f))
	s.collect(ctx, f)
	return s.Find(ctx, p, string(ses.ID))
}

// SessionRename asks for another name.
type SessionRename struct {
	Name string `json:"name"`
	New  string `json:"new"`
}

// SessionRename renames a session. Names of running sessions are unique.
func (s *Manager) SessionRename(ctx context.Context, who projects.Caller, in SessionRename) (kedge.Session, error) {
	if !kedge.ValidName(in.New) {
		return kedge.Session{}, kedge.Errorf(kedge.Invalid, "%q is not a valid name for a session", in.New).
			WithHint("use at most 64 characters of a-z, 0-9, dot, dash and underscore; begin with a letter or digit")
	}
	p, err := s.owner(ctx, who, in.Name)
	if err != nil {
		return kedge.Session{}, err
	}
	if err := s.mayActOn(ctx, p, who, in.Name, "rename"); err != nil {
		return kedge.Session{}, err
	}
	evs, err := s.home.Write(ctx, p, who, func() ([]kedge.Event, error) {
		ses, err := s.Find(ctx, p, in.Name)
		if err != nil {
			return nil, err
		}
		other, taken, err := s.livingNamed(ctx, p, in.New)
		if err != nil {
			return nil, err
		}
		if taken && other.ID != ses.ID {
			return nil, kedge.Errorf(kedge.Conflict, "another session named %q is running already", in.New).WithHint("choose another name; to see the names in use: kedge ls")
		}
		ev, err := projects.Event(kedge.SessionRenamed, who, kedge.SessionRenamedData{ID: ses.ID, Name: in.New})
		return []kedge.Event{ev}, err
	})
	if err != nil {
		return kedge.Session{}, err
	}
	d, err := projects.Data[kedge.SessionRenamedData](evs[0])
	if err != nil {
		return kedge.Session{}, err
	}
	return s.Find(ctx, p, string(d.ID))
}
