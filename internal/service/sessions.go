package service

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"time"

	"kedge"
	"kedge/internal/hold"
	"kedge/internal/store"
)

// Sessions is what the service needs to hold programs.
type Sessions struct {
	Holder  []string // the command that becomes a holder
	Sockets string   // a private folder with a short path
}

// elsewhere is the project of sessions in folders that belong to none.
const elsewhere kedge.ProjectID = "prj-00000000000000000000000000"

// sessionProject is the project that a caller's sessions belong to.
func (s *Service) sessionProject(ctx context.Context, who Caller) (*project, error) {
	p, err := s.project(ctx, who)
	if !kedge.NotFound.Is(err) {
		return p, err
	}
	if s.cfg.ReadOnly {
		if _, err := os.Stat(s.storeDir(elsewhere)); err != nil {
			return nil, kedge.Errorf(kedge.NotFound, "no session was ever started here").WithHint("kedge new NAME -- COMMAND")
		}
	}
	o, err := s.created(elsewhere)
	if err != nil {
		return nil, err
	}
	return &project{Project: kedge.Project{ID: elsewhere, Dir: who.Dir}, opened: o}, nil
}

// SessionNew asks for a session. Env is the caller's environment; it goes to the
// holder's memory and nowhere else.
type SessionNew struct {
	Name    string   `json:"name"`
	Dir     string   `json:"dir"`
	Command []string `json:"command"`
	Env     []string `json:"env"`
	Cols    int      `json:"cols"`
	Rows    int      `json:"rows"`
}

// SessionNew starts a session: the fact first, then the program.
func (s *Service) SessionNew(ctx context.Context, who Caller, in SessionNew) (kedge.Session, error) {
	if err := checkNew(in); err != nil {
		return kedge.Session{}, err
	}
	p, err := s.sessionProject(ctx, who)
	if err != nil {
		return kedge.Session{}, err
	}
	evs, err := s.write(ctx, p, who, func() ([]kedge.Event, error) { return s.decideSession(ctx, p, who, in, "") })
	if err != nil {
		return kedge.Session{}, err
	}
	ses, err := data[kedge.Session](evs[0])
	if err != nil {
		return ses, err
	}
	if err := s.hold(ctx, p, ses, in); err != nil {
		return ses, err
	}
	return s.seen(ctx, ses), nil
}

func checkNew(in SessionNew) error {
	switch {
	case !kedge.ValidName(in.Name):
		return kedge.Errorf(kedge.Invalid, "%q cannot name a session", in.Name).WithHint("use a-z, 0-9, dot, dash and underscore, at most 64")
	case len(in.Command) == 0:
		return kedge.Errorf(kedge.Invalid, "no command").WithHint("kedge new %s -- COMMAND", in.Name)
	case !filepath.IsAbs(in.Dir):
		return kedge.Errorf(kedge.Invalid, "the folder %q is not absolute", in.Dir)
	}
	if fi, err := os.Stat(in.Dir); err != nil || !fi.IsDir() {
		return kedge.Errorf(kedge.NotFound, "no folder %q", in.Dir)
	}
	_, err := hold.LookPath(in.Command[0], in.Dir, in.Env)
	return err
}

// decideSession starts a session in the journal; previous is the one it resumes.
func (s *Service) decideSession(ctx context.Context, p *project, who Caller, in SessionNew, previous kedge.SessionID) ([]kedge.Event, error) {
	living, err := s.living(ctx, p)
	if err != nil {
		return nil, err
	}
	for _, other := range living {
		if other.Name == in.Name {
			return nil, kedge.Errorf(kedge.Conflict, "a session %q is running", in.Name).WithHint("kedge attach %s", in.Name)
		}
	}
	parent, _ := who.session()
	ev, err := event(kedge.SessionStarted, who, kedge.Session{
		ID: kedge.SessionID(kedge.NewID("ses", s.now())), Name: in.Name, Project: p.ID, Agent: filepath.Base(in.Command[0]),
		Command: in.Command, Dir: in.Dir, State: kedge.SessionRunning, StartedAt: s.now(), Previous: previous, Parent: parent,
	})
	return []kedge.Event{ev}, err
}

// startedBefore answers a request that is made again: its session runs or has
// ended, or was never started because the daemon died in the middle of it.
func (s *Service) startedBefore(ctx context.Context, ses kedge.Session) error {
	f := hold.Look(ctx, s.sessionDir(ses.ID))
	defer closeFound(f)
	if f.State == kedge.SessionRunning || f.Result != nil {
		return nil
	}
	return kedge.Errorf(kedge.Conflict, "session %q did not start: the daemon was ended meanwhile", ses.Name).
		WithHint("kedge resume %s", ses.Name)
}

// hold starts the holder of a session that is in the journal. A session that has
// a folder was started before, by the same request.
func (s *Service) hold(ctx context.Context, p *project, ses kedge.Session, in SessionNew) error {
	dir := s.sessionDir(ses.ID)
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return kedge.Errorf(kedge.Internal, "make the session's folder: %w", err)
	}
	if err := os.Mkdir(dir, 0o700); os.IsExist(err) {
		return s.startedBefore(ctx, ses)
	} else if err != nil {
		return kedge.Errorf(kedge.Internal, "make the session's folder: %w", err)
	}
	id := string(ses.ID)
	s.holders.starting.RLock()
	defer s.holders.starting.RUnlock()
	c, err := hold.Start(ctx, s.cfg.Sessions.Holder, hold.Spec{
		Session: ses.ID, Dir: dir, Socket: filepath.Join(s.cfg.Sessions.Sockets, id[len(id)-12:]),
		Command: in.Command, Cwd: in.Dir, Env: sessionEnv(in.Env, ses.ID, s.cfg.Home), Cols: in.Cols, Rows: in.Rows,
	})
	if err != nil {
		s.ended(ctx, p, kedge.SessionEndedData{ID: ses.ID, State: kedge.SessionInterrupted, Cause: "did not start"})
		return err
	}
	s.follow(p, ses.ID, c)
	return nil
}

func (s *Service) sessionDir(id kedge.SessionID) string {
	return filepath.Join(s.cfg.Home, "sessions", string(id))
}

// SessionList asks for sessions: of this project, or of all.
type SessionList struct {
	All bool `json:"all"`
}

// SessionListReply is `ls --json`.
type SessionListReply struct {
	Sessions []kedge.Session `json:"sessions"`
}

// SessionList lists sessions, the newest first, each as it is now.
func (s *Service) SessionList(ctx context.Context, who Caller, in SessionList) (SessionListReply, error) {
	reply := SessionListReply{Sessions: []kedge.Session{}}
	ps, err := s.sessionProjects(ctx, who, in.All)
	if err != nil {
		return reply, err
	}
	for _, p := range ps {
		docs, err := all[kedge.Session](ctx, p, store.KindSession)
		if err != nil {
			return reply, err
		}
		for _, ses := range docs {
			reply.Sessions = append(reply.Sessions, s.seen(ctx, ses))
		}
	}
	slices.SortStableFunc(reply.Sessions, func(a, b kedge.Session) int { return b.StartedAt.Compare(a.StartedAt) })
	return reply, nil
}

func (s *Service) sessionProjects(ctx context.Context, who Caller, every bool) ([]*project, error) {
	if !every {
		p, err := s.sessionProject(ctx, who)
		if kedge.NotFound.Is(err) {
			return nil, nil
		}
		return []*project{p}, err
	}
	entries, err := os.ReadDir(filepath.Join(s.cfg.Home, "projects"))
	if err != nil && !os.IsNotExist(err) {
		return nil, kedge.Errorf(kedge.Internal, "read the projects: %w", err)
	}
	var ps []*project
	for _, e := range entries {
		if !kedge.ValidID("prj", e.Name()) {
			continue
		}
		o, err := s.opened(kedge.ProjectID(e.Name()))
		if err != nil {
			// One damaged journal must not keep the daemon from all the others.
			s.cfg.Log.Error("a project's sessions are not looked at", "project", e.Name(), "error", err.Error())
			continue
		}
		ps = append(ps, &project{Project: kedge.Project{ID: kedge.ProjectID(e.Name())}, opened: o})
	}
	return ps, nil
}

// seen is a session as it is now: the journal's word for one that ended, the
// holder's or its files' for one that runs.
func (s *Service) seen(ctx context.Context, ses kedge.Session) kedge.Session {
	if !ses.Live() {
		return ses
	}
	f := hold.Look(ctx, s.sessionDir(ses.ID))
	defer closeFound(f)
	if f.State != kedge.SessionRunning {
		return asEnded(ses, f)
	}
	ses.Cause = f.Cause
	if f.Client == nil {
		if r, err := hold.ReadRecord(f.Dir); err == nil {
			ses.PID = r.Child.PID
		}
		return ses
	}
	ses.PID = f.Client.Greeting.Child.PID
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second) // a holder that is stopped must not hold up a list
	defer cancel()
	if st, err := f.Client.State(ctx); err == nil {
		ses.Bytes = st.End
	}
	if s.waits(ses.ID, ses.Bytes) {
		ses.State = kedge.SessionWaiting
	}
	return ses
}

func asEnded(ses kedge.Session, f hold.Found) kedge.Session {
	ses.State, ses.Cause, ses.PID = f.State, f.Cause, 0
	if f.Result != nil {
		code := f.Result.Code
		ses.ExitCode, ses.Cause, ses.Bytes = &code, f.Result.Cause, f.Result.End
	}
	return ses
}

// living are the project's sessions whose program runs.
func (s *Service) living(ctx context.Context, p *project) ([]kedge.Session, error) {
	docs, err := all[kedge.Session](ctx, p, store.KindSession)
	var out []kedge.Session
	for _, ses := range docs {
		if ses = s.seen(ctx, ses); ses.Live() {
			out = append(out, ses)
		}
	}
	return out, err
}

// SessionName names a session by its name or id.
type SessionName struct {
	Name string `json:"name"`
}

// SessionFound is a session and where its tape is.
type SessionFound struct {
	Session kedge.Session `json:"session"`
	Folder  string        `json:"folder"`
}

// SessionFind finds a session by id, else the living one of the name, else the
// newest that had it.
func (s *Service) SessionFind(ctx context.Context, who Caller, in SessionName) (SessionFound, error) {
	p, err := s.sessionProject(ctx, who)
	if err != nil {
		return SessionFound{}, err
	}
	ses, err := s.find(ctx, p, in.Name)
	return SessionFound{Session: ses, Folder: s.sessionDir(ses.ID)}, err
}

func (s *Service) find(ctx context.Context, p *project, name string) (kedge.Session, error) {
	docs, err := all[kedge.Session](ctx, p, store.KindSession)
	if err != nil {
		return kedge.Session{}, err
	}
	best := -1
	for i, ses := range docs {
		if string(ses.ID) == name {
			return s.seen(ctx, ses), nil
		}
		if ses.Name != name {
			continue
		}
		docs[i] = s.seen(ctx, ses)
		if best < 0 || docs[i].Live() || !docs[best].Live() && docs[i].StartedAt.After(docs[best].StartedAt) {
			best = i
		}
	}
	if best < 0 {
		return kedge.Session{}, kedge.Errorf(kedge.NotFound, "no session %q", name).WithHint("kedge ls")
	}
	return docs[best], nil
}

// sourceOf makes the number of a writer of its request's key, so that a retried
// request types once.
func sourceOf(key string) uint64 {
	sum := sha256.Sum256([]byte(key))
	return binary.BigEndian.Uint64(sum[:])
}
