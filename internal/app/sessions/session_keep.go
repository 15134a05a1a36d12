package sessions

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"kedge"
	"kedge/internal/agents/catalog"
	"kedge/internal/app/projects"

	"kedge/internal/core/config"
	"kedge/internal/journal"
	"kedge/internal/process/hold"
	lines "kedge/internal/process/output"
	"kedge/internal/process/tape"
)

// SessionResume asks to run a session's command again. With a checkpoint ("latest", or
// its id) it asks for a fresh session of the agent that continues from there. Env is the
// caller's environment; it exists in the holder's memory only.
type SessionResume struct {
	Name       string   `json:"name"`
	Checkpoint string   `json:"checkpoint,omitempty"`
	Agent      string   `json:"agent,omitempty"`  // for a checkpoint: agent[:model]; empty: the project's. For a past conversation: empty is its own
	Bare       bool     `json:"bare,omitempty"`   // of a session: it is not told where the work stood
	Native     bool     `json:"native,omitempty"` // of a session: its program goes on with its own conversation
	Env        []string `json:"env"`
	Cols       int      `json:"cols"`
	Rows       int      `json:"rows"`

	Past *PastTalk `json:"past,omitempty"` // in place of a session: a conversation to continue

	// asked says that the text has what the session was asked, so that its prompt is dropped.
	asked bool
}

// SessionResume runs the command of an ended session again: in the same folder, with the
// same name, as a new session that refers to the old one. If the program left a
// transcript, the new session gets a brief of it.
func (s *Manager) SessionResume(ctx context.Context, who projects.Caller, in SessionResume) (kedge.Session, error) {
	switch {
	case in.Checkpoint != "":
		return s.resumeCheckpoint(ctx, who, in)
	case in.Past != nil:
		return s.resumePast(ctx, who, in)
	}
	p, err := s.owner(ctx, who, in.Name)
	if err != nil {
		return kedge.Session{}, err
	}
	if err := s.mayActOn(ctx, p, who, in.Name, "resume"); err != nil {
		return kedge.Session{}, err
	}
	if in.Agent != "" {
		return kedge.Session{}, kedge.Errorf(kedge.Invalid, "session %q restarts with its own command, so --agent does not apply; --agent is for past conversations and for --checkpoint", in.Name).
			WithHint("restart the session without --agent: kedge resume %s", in.Name)
	}
	text := ""
	if !in.Bare {
		text = s.regained(ctx, who, p, in.Name, in.Env)
	}
	return s.again(ctx, who, p, in, text, "you resumed it")
}

// again starts the command of an ended session again, as a session that goes on from it
// with a text; why says on whose wish.
func (s *Manager) again(ctx context.Context, who projects.Caller, p *projects.Project, in SessionResume, text, why string) (kedge.Session, error) {
	l, err := s.launch(ctx)
	if err != nil {
		return kedge.Session{}, err
	}
	evs, err := s.home.Write(ctx, p, who, func() ([]kedge.Event, error) {
		old, err := s.Find(ctx, p, in.Name)
		if err != nil {
			return nil, err
		}
		if err := resumable(who, old); err != nil {
			return nil, err
		}
		again := in.of(old)
		again.begun = &kedge.Begun{How: kedge.BegunFresh, Why: why}
		if in.Native {
			if again.talk, err = s.conversation(ctx, p, old, in.Env); err != nil {
				return nil, err
			}
			again.begun.How = kedge.BegunNative
		}
		if err := refuseRemoved(again, p.Dir); err != nil {
			return nil, err
		}
		if err := checkNew(again); err != nil {
			return nil, err
		}
		return s.decideSession(ctx, p, who, again, l.id, old.ID)
	})
	return s.launched(ctx, p, l, evs, err, func(ses kedge.Session) SessionNew { return s.goesOn(ctx, in.of(ses), ses, text) })
}

// of is what to start for a session.
func (in SessionResume) of(ses kedge.Session) SessionNew {
	return SessionNew{Name: ses.Name, Dir: ses.Dir, Command: ses.Command, Env: in.Env, Cols: in.Cols, Rows: in.Rows, OnLimit: ses.OnLimit, own: ses.Worktree, asked: in.asked || in.Native}
}

// resumable refuses a session that lives, and one whose command is not known any more.
func resumable(who projects.Caller, ses kedge.Session) error {
	if ses.Live() {
		return kedge.Errorf(kedge.Conflict, "session %q has not ended (state: %s), so Kedge cannot restart it", ses.Name, ses.State).WithHint("%s", lookAt(who, ses.Name))
	}
	return repeatable(ses)
}

// repeatable refuses a session whose command had a secret in it: the journal keeps no
// secrets, so the command is not known any more.
func repeatable(ses kedge.Session) error {
	for _, part := range append(slices.Clone(ses.Command), ses.Dir) {
		if strings.Contains(part, "[redacted:") {
			return kedge.Errorf(kedge.Invalid, "Kedge cannot restart session %q: its command contained a secret, and Kedge stores no secrets", ses.Name).
				WithHint("type the command again: kedge new %s -- COMMAND", ses.Name)
		}
	}
	return nil
}

// SessionSearch asks where a text was printed: in the sessions of this project or of
// all, or of those with one name or id.
type SessionSearch struct {
	Query      string `json:"query"`
	Session    string `json:"session"`
	All        bool   `json:"all"`
	IgnoreCase bool   `json:"ignore_case"`
	Limit      int    `json:"limit"`
}

// maxHits bounds what one search gives back.
const maxHits = 10_000

// SessionSearchReply is `search --json`. More means that there are more hits than the
// limit.
type SessionSearchReply struct {
	Hits []SearchHit `json:"hits"`
	More bool        `json:"more"`
}

// SearchHit is one line of output. At is nil when the time is unknown.
type SearchHit struct {
	Session kedge.SessionID `json:"session"`
	Name    string          `json:"name"`
	Offset  int64           `json:"offset"`
	Line    string          `json:"line"`
	At      *time.Time      `json:"at"`
}

// SessionSearch searches what sessions printed: the newest session first, each from its
// beginning.
func (s *Manager) SessionSearch(ctx context.Context, who projects.Caller, in SessionSearch) (SessionSearchReply, error) {
	reply := SessionSearchReply{Hits: []SearchHit{}}
	if in.Limit < 1 || in.Limit > maxHits {
		return reply, kedge.Errorf(kedge.Invalid, "--limit must be between 1 and %d, not %d", maxHits, in.Limit).WithHint("repeat your command with: --limit 100")
	}
	docs, err := s.searched(ctx, who, in)
	if err != nil {
		return reply, err
	}
	var tapes []tape.Log
	for _, ses := range docs {
		tapes = append(tapes, tape.Open(s.SessionDir(ses.ID)))
	}
	r, err := lines.Search(ctx, tapes, lines.Query{Text: in.Query, Fold: in.IgnoreCase, Limit: in.Limit})
	if err != nil {
		return reply, err
	}
	for _, h := range r.Hits {
		hit := SearchHit{Session: docs[h.Tape].ID, Name: docs[h.Tape].Name, Offset: h.Offset, Line: h.Line}
		if !h.At.IsZero() {
			hit.At = &h.At
		}
		reply.Hits = append(reply.Hits, hit)
	}
	reply.More = r.More
	return reply, nil
}

// searched are the sessions to search, the newest first.
func (s *Manager) searched(ctx context.Context, who projects.Caller, in SessionSearch) ([]kedge.Session, error) {
	ps, err := s.home.AllOfSessions(ctx, who, in.All)
	if err != nil {
		return nil, err
	}
	var out []kedge.Session
	for _, p := range ps {
		docs, err := projects.All[kedge.Session](ctx, p, journal.KindSession)
		if err != nil {
			return nil, err
		}
		for _, ses := range docs {
			if in.Session == "" || ses.Name == in.Session || string(ses.ID) == in.Session {
				out = append(out, ses)
			}
		}
	}
	if in.Session != "" && len(out) == 0 {
		return nil, kedge.Errorf(kedge.NotFound, "there is no session with the name or id %q", in.Session).WithHint("see the sessions: kedge ls")
	}
	slices.SortStableFunc(out, func(a, b kedge.Session) int { return b.StartedAt.Compare(a.StartedAt) })
	return out, nil
}

// SessionRetain asks to delete output that is past its retention. Env names the
// user-wide config.toml.
type SessionRetain struct {
	Env []string `json:"env"`
}

// SessionRetainReply says of how many sessions output was deleted, of how many checks the
// files that they left, and how many bytes.
type SessionRetainReply struct {
	Sessions int   `json:"sessions"`
	Kept     int   `json:"kept"`
	Bytes    int64 `json:"bytes"`
}

// SessionRetain is Retain for a caller.
func (s *Manager) SessionRetain(ctx context.Context, who projects.Caller, in SessionRetain) (SessionRetainReply, error) {
	if who.IsAgent() {
		id, _ := who.Session()
		return SessionRetainReply{}, kedge.Errorf(kedge.Blocked, "this is session %q, and agents may not delete the output of sessions", id).WithHint("ask the user to run this command, which also deletes old output: kedge up")
	}
	return s.Retain(ctx, in.Env)
}

// Retain deletes the output of ended sessions that exceed the age or the total size in
// the user-wide config.toml. It never touches a session that must stay
// (kedge.Session.Keep), or a folder that no journal knows. The journal keeps the record
// of every session. If config.toml cannot be read, nothing is deleted.
func (s *Manager) Retain(ctx context.Context, environ []string) (SessionRetainReply, error) {
	var reply SessionRetainReply
	if s.home.ReadOnly {
		return reply, projects.ErrReadOnly()
	}
	s.retaining.Lock()
	defer s.retaining.Unlock()
	keep, err := keepFrom(projects.UserFile(environ))
	if err != nil {
		return reply, err
	}
	list, err := s.endedFolders(ctx)
	if err != nil {
		return reply, err
	}
	for _, d := range drops(list, keep, s.home.Now()) {
		gone, err := s.drop(ctx, d)
		if err != nil {
			return reply, err
		}
		if gone > 0 || d.whole {
			reply.Sessions++
			reply.Bytes += gone
		}
	}
	return reply, s.retainKept(keep, &reply)
}

// RetainSoon runs Retain in the background when the daemon starts, and logs errors.
func (s *Manager) RetainSoon(environ []string) {
	s.life.Go(func() {
		if _, err := s.Retain(s.life.Context(), environ); err != nil && s.life.Context().Err() == nil {
			s.home.Log.Error("cannot delete old output", "error", err.Error())
		}
	})
}

func keepFrom(file string) (config.Sessions, error) {
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) || !filepath.IsAbs(file) {
		return config.Default(catalog.Kinds()).Sessions, nil
	}
	if err != nil {
		return config.Sessions{}, kedge.Errorf(kedge.Invalid, "cannot read %q: %w", file, err)
	}
	c, err := config.ParseConfig(file, b, catalog.Kinds())
	return c.Sessions, err
}

// folder is what is kept of an ended session.
type folder struct {
	dir   string
	ended time.Time
	from  int64 // first byte that is kept
	bytes int64
	shots int64 // bytes of snapshots of its screen, which go with any part of the tape
}

// endedFolders are the folders of the sessions that may be collected, the oldest first.
func (s *Manager) endedFolders(ctx context.Context) ([]folder, error) {
	ps, err := s.home.AllOfSessions(ctx, projects.Caller{}, true)
	if err != nil {
		return nil, err
	}
	var out []folder
	for _, p := range ps {
		docs, err := projects.All[kedge.Session](ctx, p, journal.KindSession)
		if err != nil {
			return nil, err
		}
		for _, ses := range docs {
			if ses.Keep() {
				continue
			}
			f, ok, err := readFolder(s.SessionDir(ses.ID))
			if err != nil {
				return nil, err
			}
			if ok {
				out = append(out, f)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b folder) int { return a.ended.Compare(b.ended) })
	return out, nil
}

// readFolder looks at a session's folder; one that is gone is false. The end is
// what the holder wrote, else when anything in it was last written.
func readFolder(dir string) (folder, bool, error) {
	from, end, err := tape.Open(dir).Range()
	if errors.Is(err, fs.ErrNotExist) {
		return folder{}, false, nil
	}
	if err != nil {
		return folder{}, false, kedge.Errorf(kedge.Internal, "cannot read the folder with a session's output: %w", err)
	}
	f := folder{dir: dir, from: from, bytes: end - from, shots: tape.ScreensSize(dir)}
	if r, err := hold.ReadResult(dir); err == nil && r.At > 0 {
		f.ended = time.UnixMilli(r.At)
		return f, true, nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return folder{}, false, kedge.Errorf(kedge.Internal, "cannot read the folder with a session's output: %w", err)
	}
	for _, e := range entries {
		if fi, err := e.Info(); err == nil && fi.ModTime().After(f.ended) {
			f.ended = fi.ModTime()
		}
	}
	return f, true, nil
}

// dropping is what to take away of a folder: the whole, or the front of its tape
// before an offset.
type dropping struct {
	folder
	whole  bool
	before int64
}

// drops decides: first what is too old, then, the oldest first, what is too much.
func drops(oldestFirst []folder, keep config.Sessions, now time.Time) []dropping {
	var (
		out   []dropping
		young []folder
		total int64
	)
	for _, f := range oldestFirst {
		if keep.KeepDays > 0 && now.Sub(f.ended) > time.Duration(keep.KeepDays)*24*time.Hour {
			out = append(out, dropping{folder: f, whole: true})
			continue
		}
		young, total = append(young, f), total+f.bytes+f.shots
	}
	for _, f := range young {
		excess := total - keep.KeepBytes
		if keep.KeepBytes == 0 || excess <= 0 {
			break
		}
		excess -= f.shots
		d := dropping{folder: f, whole: excess >= f.bytes}
		if !d.whole {
			excess = max(excess, 1)
			segments := (excess + tape.SegmentSize - 1) / tape.SegmentSize
			d.before = f.from + min(segments*tape.SegmentSize, f.bytes-1) // the end of a session is the part worth most
		}
		out, total = append(out, d), total-f.bytes-f.shots
	}
	return out
}

// drop takes away what was decided, unless a holder says that the session lives.
func (s *Manager) drop(ctx context.Context, d dropping) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second) // a holder that is stopped must not hold up the daemon
	defer cancel()
	f := hold.Look(ctx, d.dir)
	if f.Client != nil {
		defer func() { _ = f.Client.Close() }()
	}
	if f.State == kedge.SessionRunning {
		return 0, nil
	}
	if f.Client != nil {
		_ = f.Client.Collect(ctx) // it only waited for that, and would go by itself
	}
	before := d.before
	if d.whole {
		before = d.from + d.bytes
	}
	gone, err := tape.Open(d.dir).Drop(before)
	if err == nil {
		err = tape.ForgetScreens(d.dir) // they show what is gone
	}
	if err == nil && d.whole {
		err = s.removeFolder(d.dir)
	}
	if err != nil {
		return gone, kedge.Errorf(kedge.Internal, "cannot delete the old output of a session: %w", err)
	}
	return gone, nil
}

// removeFolder removes what is left of a session's folder, and the socket that a
// killed holder left.
func (s *Manager) removeFolder(dir string) error {
	if r, err := hold.ReadRecord(dir); err == nil && filepath.Dir(r.Socket) == s.with.Sockets {
		if err := os.Remove(r.Socket); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return os.RemoveAll(dir)
}
