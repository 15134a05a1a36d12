package slot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"kedge"
	"kedge/internal/git"
	"kedge/internal/process"
	"kedge/internal/process/atomicfile"
	"kedge/internal/text/strict"
)

// Session is what is written down of the worktree of a session before it is made, so
// that whoever finds it half made knows what to take away.
type Session struct {
	Version int             `json:"version"`
	Session kedge.SessionID `json:"session"` // the one that it is made for; others may continue in it
	Name    string          `json:"name"`    // of that session, then
	kedge.SessionWorktree
	Made  bool      `json:"made,omitempty"`  // Kedge made the branch
	Named bool      `json:"named,omitempty"` // you named the branch
	From  string    `json:"from,omitempty"`  // the branch that was checked out then; empty: none
	Maker string    `json:"maker,omitempty"` // the process that makes it; empty: it gave up
	Logs  string    `json:"logs,omitempty"`  // the folder of the set-up's logs
	At    time.Time `json:"at"`
}

// sessionPrefix begins the names of worktrees of sessions. Those of runs begin otherwise.
const sessionPrefix = "session-"

// SessionRequest asks for the worktree of a session.
type SessionRequest struct {
	Session kedge.SessionID
	Name    string
	Branch  string // empty: SessionBranch, made anew
	Logs    string
	At      time.Time
	// Saved is told of what is set aside of an earlier worktree; may be nil.
	Saved func(context.Context, kedge.Salvage) error
	// Port gives a port that is none of those taken.
	Port func(taken []int) (int, error)
}

// ForSession makes the worktree of a session, without anything but the files of its
// commit. Nothing is left behind when it fails.
func (s *Slots) ForSession(ctx context.Context, q SessionRequest) (Session, *git.Repo, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := os.MkdirAll(s.cfg.Dir, 0o700); err != nil { // its real path is known only then
		return Session{}, nil, kedge.Errorf(kedge.Internal, "cannot make the folder for worktrees: %w", err)
	}
	if err := s.forgetGone(ctx, q); err != nil {
		return Session{}, nil, err
	}
	r, err := s.planSession(ctx, q)
	if err != nil {
		return r, nil, err
	}
	s.sweepRecords()
	if err := s.writeSession(r); err != nil {
		return r, nil, err
	}
	err = s.addSession(ctx, r)
	var w *git.Repo
	if err == nil {
		w, err = s.open(ctx, r.Path, nil)
	}
	if err != nil {
		return r, nil, errors.Join(err, s.undoNow(context.WithoutCancel(ctx), r))
	}
	return r, w, nil
}

// sweepRecords removes what a killed writer of records left. It needs the lock.
func (s *Slots) sweepRecords() {
	root, err := os.OpenRoot(s.root())
	if err != nil {
		return
	}
	defer func() { _ = root.Close() }() // only read
	_, _ = atomicfile.Sweep(root, ".")  // what stays is small, and goes the next time
}

// ChooseFor decides the branch of a session's worktree by what the repository has now. It
// changes nothing.
func (s *Slots) ChooseFor(ctx context.Context, name, branch string) (Choice, git.Head, error) {
	head, err := s.cfg.Repo.Head(ctx)
	if err != nil {
		return Choice{}, head, err
	}
	refs, err := s.cfg.Repo.Refs(ctx)
	if err != nil {
		return Choice{}, head, err
	}
	places, err := s.inUse(ctx)
	if err != nil {
		return Choice{}, head, err
	}
	c, err := Choose(Wish{Session: name, Branch: branch, Head: head, Refs: refs, Places: places})
	if own, found := s.At(places[c.Branch]); found && kedge.Conflict.Is(err) {
		err = kedge.Errorf(kedge.Conflict, "%w", err).
			WithHint("continue the session on that branch: kedge resume %s; or name another branch: --worktree=BRANCH", own.Name)
	}
	return c, head, err
}

func (s *Slots) planSession(ctx context.Context, q SessionRequest) (Session, error) {
	c, head, err := s.ChooseFor(ctx, q.Name, q.Branch)
	if err != nil {
		return Session{}, err
	}
	r := Session{Version: 1, Session: q.Session, Name: q.Name, Made: c.Make, Named: q.Branch != "", From: head.Branch, Maker: maker(), Logs: q.Logs, At: q.At}
	r.Branch, r.Base = c.Branch, c.Base
	mine, err := s.Sessions()
	if err != nil {
		return r, err
	}
	r.Path, r.Slot = s.sessionDir(q.Name), freeSlot(mine)
	r.Port, err = q.Port(s.takenPorts(mine))
	return r, err
}

// takenPorts are the ports of the sessions of all projects. A record of another project
// that cannot be read is that project's trouble.
func (s *Slots) takenPorts(mine []Session) []int {
	all := slices.Clone(mine)
	above := filepath.Dir(s.root())
	entries, _ := os.ReadDir(above) // none can be known then
	for _, e := range entries {
		if dir := filepath.Join(above, e.Name()); e.IsDir() && dir != s.root() {
			theirs, _ := readSessions(dir)
			all = append(all, theirs...)
		}
	}
	var out []int
	for _, o := range all {
		out = append(out, o.Port)
	}
	return out
}

// sessionDir is a folder for the worktree of a session that nothing else has.
func (s *Slots) sessionDir(name string) string {
	const most = 50 // a worktree's name has at most 64 bytes
	base := filepath.Join(s.root(), sessionPrefix+name[:min(len(name), most)])
	dir := base
	for n := 2; ; n++ {
		_, folder := os.Lstat(dir)
		_, record := os.Lstat(dir + ".json")
		if folder != nil && record != nil && !s.cfg.Repo.Registered(dir) {
			return dir
		}
		dir = base + "-" + strconv.Itoa(n)
	}
}

// freeSlot is the first KEDGE_SLOT that no worktree of a session has. Those of runs are
// numbers alone.
func freeSlot(all []Session) string {
	for n := 1; ; n++ {
		name := "s" + strconv.Itoa(n)
		if !slices.ContainsFunc(all, func(r Session) bool { return r.Slot == name }) {
			return name
		}
	}
}

// addSession makes the worktree of a record, or what is missing of it.
func (s *Slots) addSession(ctx context.Context, r Session) error {
	return s.cfg.Repo.AddWorktree(ctx, git.WorktreeRequest{Path: r.Path, Branch: r.Branch, Base: r.Base})
}

// maker names this process.
func maker() string { return fmt.Sprintf("%d %s", os.Getpid(), process.StartTime(os.Getpid())) }

// making tells whether this process makes the worktree, or did. Another one that began to
// is gone: one process has the worktrees of a project at a time.
func (r Session) making() bool { return r.Maker == maker() }

// Sessions are the worktrees of sessions that are written down.
func (s *Slots) Sessions() ([]Session, error) { return readSessions(s.root()) }

// readSessions gives the records in a folder that can be read, and the error of those that
// cannot.
func readSessions(dir string) ([]Session, error) {
	files, err := records(dir)
	errs := []error{err}
	var out []Session
	for _, file := range files {
		r, err := readSession(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if errs = append(errs, err); err == nil {
			out = append(out, r)
		}
	}
	return out, errors.Join(errs...)
}

// records are the files with the records of worktrees in a folder. The worktree of a
// session called x.json is a folder there that is named like one.
func records(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, kedge.Errorf(kedge.Internal, "cannot list the worktrees of sessions: %w", err)
	}
	var out []string
	for _, e := range entries {
		if e.Type().IsRegular() && strings.HasPrefix(e.Name(), sessionPrefix) && strings.HasSuffix(e.Name(), ".json") {
			out = append(out, filepath.Join(dir, e.Name()))
		}
	}
	return out, nil
}

func readSession(file string) (r Session, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return r, kedge.Errorf(kedge.Internal, "cannot read the state of the worktree %q: %w", strings.TrimSuffix(file, ".json"), err)
	}
	return r, strict.Decode(file, text, &r)
}

func (s *Slots) writeSession(r Session) error {
	text, err := json.Marshal(r)
	if err != nil {
		return kedge.Errorf(kedge.Internal, "cannot save the state of the worktree %q: %w", r.Path, err)
	}
	return atomicfile.Write(r.Path+".json", append(text, '\n'), 0o600)
}

// At is the worktree of a session in which a folder lies; false for none.
func (s *Slots) At(dir string) (Session, bool) {
	if dir == "" {
		return Session{}, false
	}
	all, _ := s.Sessions() // those that can be read
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	i := slices.IndexFunc(all, func(r Session) bool { return inside(dir, r.Path) })
	if i < 0 {
		return Session{}, false
	}
	return all[i], true
}

func inside(dir, root string) bool {
	return dir == root || strings.HasPrefix(dir, root+string(filepath.Separator))
}

// HasSessions tells whether a folder of worktrees has any of sessions.
func HasSessions(dir string) bool {
	files, _ := records(dir) // a folder that cannot be read has none that anybody could use
	return len(files) > 0
}
