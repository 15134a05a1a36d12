package sessions

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"time"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/journal"
	"kedge/internal/process/hold"
	"kedge/internal/text/words"
)

// Sessions is what the service needs to start holders.
type Sessions struct {
	Holder  *hold.Launcher
	Sockets string // a private folder with a short path
	Program string // this program; empty: what sessions would start of it they do without
	// VersionLimit is how long a program may take to say its version; 0: some seconds.
	VersionLimit time.Duration
}

// SessionNew asks for a session. Env is the caller's environment; it exists in the
// holder's memory only.
type SessionNew struct {
	Name    string   `json:"name"`
	Dir     string   `json:"dir"`
	Command []string `json:"command"`
	Env     []string `json:"env"`
	Cols    int      `json:"cols"`
	Rows    int      `json:"rows"`
	// OnLimit is what Kedge does when the session comes to a provider's limit.
	OnLimit kedge.OnLimit `json:"on_limit,omitempty"`
	// Worktree asks for a git worktree of its own; nil: it works in Dir.
	Worktree *WorktreeWish `json:"worktree,omitempty"`

	own   *kedge.SessionWorktree // the worktree that it works in; nil: none of its own
	begun *kedge.Begun           // of one that goes on from another; nil: of none
	talk  string                 // what its program calls the conversation that goes on
	asked bool                   // of one that goes on from another: it is told again what was asked, without its prompt
}

// SessionNew starts a session. It records the session first, then starts the program.
func (s *Manager) SessionNew(ctx context.Context, who projects.Caller, in SessionNew) (kedge.Session, error) {
	if in.OnLimit != "" {
		if err := projects.PersonOnly(who, "have Kedge continue a session by itself"); err != nil {
			return kedge.Session{}, err
		}
	}
	if in.Worktree != nil {
		return s.newInWorktree(ctx, who, in)
	}
	if err := checkNew(in); err != nil {
		return kedge.Session{}, err
	}
	p, err := s.home.OfSessions(ctx, who)
	if err != nil {
		return kedge.Session{}, err
	}
	l, err := s.launch(ctx)
	if err != nil {
		return kedge.Session{}, err
	}
	evs, err := s.home.Write(ctx, p, who, func() ([]kedge.Event, error) { return s.decideSession(ctx, p, who, in, l.id, "") })
	return s.launched(ctx, p, l, evs, err, func(kedge.Session) SessionNew { return in })
}

func checkNew(in SessionNew) error {
	if err := checkAsked(in); err != nil {
		return err
	}
	return checkCommand(in)
}

// checkAsked is checkNew but for the program, which may lie in a worktree that is not
// made yet.
func checkAsked(in SessionNew) error {
	switch {
	case !kedge.ValidName(in.Name):
		return kedge.Errorf(kedge.Invalid, "%q is not a valid name for a session", in.Name).WithHint("use at most 64 characters of a-z, 0-9, dot, dash and underscore; begin with a letter or digit")
	case len(in.Command) == 0:
		return kedge.Errorf(kedge.Invalid, "you gave no command for session %q to run", in.Name).WithHint("name the command: kedge new %s -- COMMAND", in.Name)
	case checkOnLimit(in.OnLimit) != nil:
		return checkOnLimit(in.OnLimit)
	case !filepath.IsAbs(in.Dir):
		return kedge.Errorf(kedge.Invalid, "--dir must be an absolute path, not %q", in.Dir).WithHint("repeat your command with: --dir /absolute/path")
	}
	if fi, err := os.Stat(in.Dir); err != nil || !fi.IsDir() {
		return kedge.Errorf(kedge.NotFound, "there is no folder %q", in.Dir).WithHint("repeat your command with a folder that exists: --dir FOLDER")
	}
	return nil
}

// checkCommand refuses a program that cannot be found.
func checkCommand(in SessionNew) error {
	_, err := hold.LookPath(in.Command[0], in.Dir, in.Env)
	if err != nil && kedge.HintOf(err) == "" {
		return kedge.Errorf(kedge.KindOf(err), "%w", err).WithHint("install the program; or name it with its path: %s", in.newStep("/path/to/it"))
	}
	return err
}

// newStep is the command line that asks for the session, with another command.
func (in SessionNew) newStep(command ...string) kedge.NextStep {
	args := []string{"new", in.Name}
	switch {
	case in.Worktree == nil:
	case in.Worktree.Branch == "":
		args = append(args, "--worktree")
	default:
		args = append(args, "--worktree="+in.Worktree.Branch)
	}
	return kedge.Step("kedge", append(append(args, "--"), command...)...)
}

// decideSession starts a session in the journal; previous is the one it resumes.
func (s *Manager) decideSession(ctx context.Context, p *projects.Project, who projects.Caller, in SessionNew, id, previous kedge.SessionID) ([]kedge.Event, error) {
	if err := s.refuseTaken(ctx, p, who, in.Name); err != nil {
		return nil, err
	}
	parent, _ := who.Session()
	ev, err := projects.Event(kedge.SessionStarted, who, kedge.Session{
		ID: id, Name: in.Name, Project: p.ID, Agent: filepath.Base(in.Command[0]),
		Command: in.Command, Dir: in.Dir, State: kedge.SessionRunning, StartedAt: s.home.Now(), Previous: previous, Parent: parent,
		Begun: in.begun, Conversation: in.talk, OnLimit: in.OnLimit, Worktree: in.own,
	})
	return []kedge.Event{ev}, err
}

// lookAt is how to see what a session does: agents may not attach.
func lookAt(who projects.Caller, name string) string {
	if who.IsAgent() {
		return "read that session's output: kedge logs " + name
	}
	return "attach to that session: kedge attach " + name
}

// refuseTaken refuses the name of a session that runs.
func (s *Manager) refuseTaken(ctx context.Context, p *projects.Project, who projects.Caller, name string) error {
	_, taken, err := s.livingNamed(ctx, p, name)
	if err == nil && taken {
		err = kedge.Errorf(kedge.Conflict, "another session named %q is running already", name).WithHint("%s; or choose another name", lookAt(who, name))
	}
	return err
}

// SessionDir gives the folder of a session's files.
func (s *Manager) SessionDir(id kedge.SessionID) string {
	return filepath.Join(s.home.Dir, "sessions", string(id))
}

// SessionList asks for sessions: of this project, or of all. With Last, each tells what it
// printed last, and when.
type SessionList struct {
	All  bool `json:"all"`
	Last bool `json:"last,omitempty"`
}

// SessionListReply is `ls --json`.
type SessionListReply struct {
	Sessions []kedge.Session `json:"sessions"`
	Projects []kedge.Project `json:"projects,omitempty"` // those of the sessions, where all were asked for
}

// SessionList lists sessions in their order, each as it is now.
func (s *Manager) SessionList(ctx context.Context, who projects.Caller, in SessionList) (SessionListReply, error) {
	reply := SessionListReply{Sessions: []kedge.Session{}}
	ps, err := s.home.AllOfSessions(ctx, who, in.All)
	if err != nil {
		return reply, err
	}
	for _, p := range ps {
		docs, err := projects.All[kedge.Session](ctx, p, journal.KindSession)
		if err != nil {
			return reply, err
		}
		trees := s.worktreesOf(p)
		for _, ses := range docs {
			reply.Sessions = append(reply.Sessions, trees.shown(ctx, s.listed(ctx, ses, in.Last)))
		}
		if in.All && len(docs) > 0 && p.ID != projects.Elsewhere {
			known, err := projects.Known(ctx, p.Store, p.ID)
			if err != nil {
				return reply, err
			}
			reply.Projects = append(reply.Projects, known)
		}
	}
	if !in.All && !who.IsAgent() {
		before, err := s.beforeInit(ctx, ps, in.Last)
		if err != nil {
			return reply, err
		}
		reply.Sessions = append(reply.Sessions, before...)
	}
	slices.SortStableFunc(reply.Sessions, kedge.Session.Compare)
	return reply, nil
}

// Seen gives a session as it is now: from the journal if it ended, from the holder or
// its files if it runs.
func (s *Manager) Seen(ctx context.Context, ses kedge.Session) kedge.Session {
	ses, _ = s.seen(ctx, ses)
	return ses
}

// seen is Seen, with what the holder says of the session; nil where none lives.
func (s *Manager) seen(ctx context.Context, ses kedge.Session) (kedge.Session, *hold.State) {
	if !ses.Live() {
		return ses, nil
	}
	f := hold.Look(ctx, s.SessionDir(ses.ID))
	defer closeFound(f)
	if f.State != kedge.SessionRunning {
		return asEnded(ses, f), nil
	}
	ses.Cause = f.Cause
	if f.Client == nil {
		if r, err := hold.ReadRecord(f.Dir); err == nil {
			ses.PID = r.Child.PID
		}
		return ses, nil
	}
	ses.PID = f.Client.Greeting.Child.PID
	if f.Now != nil {
		ses.Bytes = f.Now.End
	}
	if s.waits(ses.ID, ses.Bytes) {
		ses.State = kedge.SessionWaiting
	}
	return ses, f.Now
}

func asEnded(ses kedge.Session, f hold.Found) kedge.Session {
	ses.State, ses.Cause, ses.PID = f.State, f.Cause, 0
	if f.Result != nil {
		code := f.Result.Code
		ses.ExitCode, ses.Cause, ses.Bytes = &code, f.Result.Cause, f.Result.End
	}
	return ses
}

// Living gives the project's sessions whose program runs.
func (s *Manager) Living(ctx context.Context, p *projects.Project) ([]kedge.Session, error) {
	docs, err := projects.All[kedge.Session](ctx, p, journal.KindSession)
	var out []kedge.Session
	for _, ses := range docs {
		if ses = s.Seen(ctx, ses); ses.Live() {
			out = append(out, ses)
		}
	}
	return out, err
}

// livingNamed is the session of a name whose program runs. Only those of the name
// are looked at: what it costs must not grow with all the others.
func (s *Manager) livingNamed(ctx context.Context, p *projects.Project, name string) (ses kedge.Session, found bool, err error) {
	docs, err := Named(ctx, p, name)
	for _, ses := range docs {
		if ses = s.Seen(ctx, ses); ses.Live() {
			return ses, true, err
		}
	}
	return kedge.Session{}, false, err
}

// Named gives the sessions with a name, in the order of the journal.
func Named(ctx context.Context, p *projects.Project, name string) ([]kedge.Session, error) {
	if !kedge.ValidName(name) {
		return nil, nil
	}
	return journal.About[kedge.Session](ctx, p.Store, journal.KindSession, name)
}

// SessionName names a session by its name or id.
type SessionName struct {
	Name string `json:"name"`
}

// SessionFound is a session and the folder of its tape.
type SessionFound struct {
	Session kedge.Session `json:"session"`
	Folder  string        `json:"folder"`
}

// SessionFind finds a session by id, else the running one with the name, else the newest
// that had it.
func (s *Manager) SessionFind(ctx context.Context, who projects.Caller, in SessionName) (SessionFound, error) {
	p, err := s.owner(ctx, who, in.Name)
	if err != nil {
		return SessionFound{}, err
	}
	ses, err := s.Find(ctx, p, in.Name)
	return SessionFound{Session: s.worktreesOf(p).shown(ctx, ses), Folder: s.SessionDir(ses.ID)}, err
}

// SessionAttach is SessionFind for a caller who attaches to the session's terminal.
// Agents may not: what they typed there would look like yours.
func (s *Manager) SessionAttach(ctx context.Context, who projects.Caller, in SessionName) (SessionFound, error) {
	if who.IsAgent() {
		id, _ := who.Session()
		return SessionFound{}, kedge.Errorf(kedge.Blocked, "this is session %q, and agents may not attach to sessions", id).
			WithHint("read the session's output instead: kedge logs %s --follow", in.Name)
	}
	return s.SessionFind(ctx, who, in)
}

// Find finds a session by id, else the running one with the name, else the newest that
// had it, else the one whose id ends so.
func (s *Manager) Find(ctx context.Context, p *projects.Project, name string) (kedge.Session, error) {
	if ses, ok, err := journal.Get[kedge.Session](ctx, p.Store, journal.KindSession, name); ok || err != nil {
		return s.Seen(ctx, ses), err
	}
	docs, err := Named(ctx, p, name)
	if err == nil && len(docs) == 0 {
		docs, err = byShortID(ctx, p, name)
	}
	if err != nil {
		return kedge.Session{}, err
	}
	best := -1
	for i, ses := range docs {
		docs[i] = s.Seen(ctx, ses)
		if best < 0 || docs[i].Live() || !docs[best].Live() && docs[i].StartedAt.After(docs[best].StartedAt) {
			best = i
		}
	}
	if best < 0 {
		return kedge.Session{}, s.unknown(ctx, p, name)
	}
	return docs[best], nil
}

// byShortID gives the session whose id ends in what was typed, if it is one.
func byShortID(ctx context.Context, p *projects.Project, word string) ([]kedge.Session, error) {
	docs, err := projects.All[kedge.Session](ctx, p, journal.KindSession)
	found := slices.DeleteFunc(docs, func(s kedge.Session) bool { return !kedge.MeansID(s.ID, word) })
	if len(found) > 1 {
		return nil, err
	}
	return found, err
}

// unknown says that a project has no session of this name, and which one may be meant.
func (s *Manager) unknown(ctx context.Context, p *projects.Project, name string) error {
	docs, err := projects.All[kedge.Session](ctx, p, journal.KindSession)
	if err != nil {
		return err
	}
	names := make([]string, len(docs))
	for i, ses := range docs {
		names[i] = ses.Name
	}
	return kedge.Errorf(kedge.NotFound, "there is no session %q", name).WithHint("%ssee the sessions: kedge ls", words.DidYouMean(name, names))
}

// sourceOf makes the number of a writer of its request's key, so that a retried
// request types once.
func sourceOf(key string) uint64 {
	sum := sha256.Sum256([]byte(key))
	return binary.BigEndian.Uint64(sum[:])
}
