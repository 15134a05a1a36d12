package agenttest

import (
	"bytes"
	"cmp"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"kedge"
	"kedge/internal/agents"
	"kedge/internal/agents/catalog"
	"kedge/internal/core/watch"
	"kedge/internal/process/hold"
	"kedge/internal/process/tape"
	"kedge/internal/testkit/modelserver"
)

// Live is a real program that is driven against a scripted model.
type Live struct {
	Adapter  agents.Adapter
	Holder   *hold.Launcher
	Point    func(t *testing.T, home, url string) []string    // the environment that makes the program ask the model at url
	Uncached bool                                             // the protocol has no figure for what is written to a cache: it counts as input
	Curt     bool                                             // it does not tell when it will try again
	Untold   []Fact                                           // what it does not tell at all
	Model    string                                           // that it is told to use where a scenario names one; empty: sonnet
	Full     int64                                            // tokens at which it shortens its context by itself; 0: when the provider refuses
	Late     bool                                             // it shortens its context only when its turn is over
	Whole    bool                                             // it prints a reply when all of it is there
	Mute     bool                                             // it does not tell that a command failed
	Deaf     bool                                             // it takes no words on what a shortened context has to keep
	Forgets  string                                           // with what it says that it lost a conversation, which it may; empty: it does not
	Skip     map[string]string                                // scenarios that it cannot play, with the reason
	Note     func(scenario, why string)                       // is told what it can do, and with a reason what not; nil: nobody asks
	Record   func(t *testing.T, scenario string, tape []byte) // is given what the program printed; nil: nobody keeps it
}

// Fact is something that a program may not tell of itself: what it does not tell
// is unknown, and no figure stands for it.
type Fact string

// The facts.
const (
	Version Fact = "version" // its own
	Window  Fact = "window"  // how large its context may be
	Context Fact = "context" // how full its context is: it estimates that
	Retries Fact = "retries" // that it asks again what failed
	Beside  Fact = "beside"  // what its requests beside the work used: titles, summaries
)

// tells says whether the program tells a fact.
func (l Live) tells(f Fact) bool { return !slices.Contains(l.Untold, f) }

// model is one that the program knows.
func (l Live) model() string { return cmp.Or(l.Model, "sonnet") }

func (l Live) note(scenario, why string) {
	if l.Note != nil {
		l.Note(scenario, why)
	}
}

// brief is what every session is told.
var brief = []byte("Do the work. " + modelserver.Mark("main"))

// patience only guards against hanging.
const patience = 3 * time.Minute

// printed is when everything is taken to be printed: what is read again must mean
// the same.
func printed() time.Time { return time.Unix(1_800_000_000, 0).UTC() }

// world is where a scenario takes place.
type world struct {
	t      *testing.T
	live   Live
	name   string
	root   string
	home   string
	tree   string
	short  string
	server *modelserver.Server
	extra  []string // environment
	count  int
}

func newWorld(t *testing.T, l Live, name string) *world {
	t.Helper()
	short, err := os.MkdirTemp("", "k") //nolint:usetesting // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(short) })
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, live: l, name: name, root: root, home: filepath.Join(root, "home"), tree: filepath.Join(root, "tree"), short: short}
	for _, dir := range []string{w.home, w.tree} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	git := exec.CommandContext(t.Context(), "git", "init", "-q", "-b", "main", w.tree)
	if out, err := git.CombinedOutput(); err != nil {
		t.Fatalf("git init: %v\n%s", err, out)
	}
	if w.server, err = modelserver.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.server.Close() })
	return w
}

func (w *world) play(turns ...modelserver.Turn) {
	w.server.Play("main", modelserver.Script{Turns: turns})
}

// env is what the program gets: nothing of the tester's own but where programs
// are.
func (w *world) env(start agents.Start) []string {
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + w.home, "LANG=C.UTF-8", "TERM=dumb"}
	return slices.Concat(env, w.live.Point(w.t, w.home, w.server.URL), w.extra, start.Env)
}

// session is one living session.
type session struct {
	*world
	id     kedge.SessionID
	dir    string
	task   agents.Task
	client *hold.Client

	mu     sync.Mutex
	reader agents.Reader
	off    int64
	evs    []watch.Act
	typed  []byte // what the program was answered
	more   chan struct{}
	over   chan hold.Found
	queue  chan hold.Typing
}

// start starts a session that plays the script, and reads it.
func (w *world) start(task agents.Task) *session {
	w.t.Helper()
	w.count++
	s := &session{world: w, id: kedge.SessionID(kedge.DeriveID("ses", printed(), w.name+string(rune('a'+w.count)))), more: make(chan struct{}), over: make(chan hold.Found, 1), queue: make(chan hold.Typing, 1000)}
	s.dir = filepath.Join(w.root, string(s.id))
	if err := os.Mkdir(s.dir, 0o700); err != nil {
		w.t.Fatal(err)
	}
	task.Session, task.Dir = s.id, w.tree
	s.task = task
	start, err := w.live.Adapter.Start(task)
	if err != nil {
		w.t.Fatal(err)
	}
	s.reader = w.live.Adapter.Reader(task)
	s.client, err = w.live.Holder.Start(w.t.Context(), hold.Spec{
		Session: s.id, Dir: s.dir, Socket: filepath.Join(w.short, string(rune('a'+w.count))), Command: start.Command, Cwd: w.tree, Env: w.env(start),
	})
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	w.t.Cleanup(func() { s.stop(); cancel(); <-done })
	first := s.reader.Open(brief)
	s.queue <- hold.Typing{Source: hold.SourceBrief, Text: first.Text, Close: first.Close}
	go func() { defer close(done); s.typeAll(ctx) }()
	go s.read(ctx)
	return s
}

// stop ends what a failed test left.
func (s *session) stop() {
	ctx := context.Background()
	f := hold.Look(ctx, s.dir)
	if f.Client == nil {
		return
	}
	if f.State == kedge.SessionRunning {
		_ = f.Client.End(ctx, time.Millisecond)
		_, _ = f.Client.Await(ctx)
	}
	_ = f.Client.Close()
	if c, err := hold.Dial(ctx, s.dir); err == nil {
		_ = c.Collect(ctx)
		_ = c.Close()
	}
}

func (s *session) typeAll(ctx context.Context) {
	for {
		select {
		case w := <-s.queue:
			hold.Type(ctx, s.dir, w)
		case <-ctx.Done():
			return
		}
	}
}

func (s *session) read(ctx context.Context) {
	_, _ = s.client.Follow(ctx, func(end int64) error { s.readTo(end); return nil })
	f := hold.Look(ctx, s.dir)
	if f.Result != nil {
		s.readTo(f.Result.End)
	}
	s.over <- f
}

// readTo feeds line by line, as a run does.
func (s *session) readTo(end int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	buf := make([]byte, end-s.off)
	n, _ := tape.Open(s.dir).ReadAt(buf, s.off)
	for line := range bytes.Lines(buf[:n]) {
		s.off += int64(len(line))
		evs, in := s.reader.Feed(line, printed())
		s.evs = append(s.evs, evs...)
		if !in.None() {
			s.typed = append(s.typed, in.Text...)
			s.queue <- hold.Typing{Source: 2, Number: uint64(s.off), Text: in.Text, Close: in.Close}
		}
	}
	close(s.more)
	s.more = make(chan struct{})
}

// until waits for an event.
func (s *session) until(what string, ok func(watch.Act) bool) watch.Act {
	s.t.Helper()
	limit := time.NewTimer(patience)
	defer limit.Stop()
	for seen := 0; ; {
		s.mu.Lock()
		fresh, more := s.evs[seen:], s.more
		seen = len(s.evs)
		s.mu.Unlock()
		if i := slices.IndexFunc(fresh, ok); i >= 0 {
			return fresh[i]
		}
		select {
		case <-more:
		case <-limit.C:
			s.t.Fatalf("never: %s\n%s", what, s.tail())
		}
	}
}

func (s *session) untilKind(k watch.Kind) watch.Act {
	s.t.Helper()
	return s.until(string(k), func(ev watch.Act) bool { return ev.Kind == k })
}

// tail is the end of what the program printed.
func (s *session) tail() string {
	b := s.printed()
	return string(b[max(0, len(b)-4000):])
}

func (s *session) printed() []byte {
	log := tape.Open(s.dir)
	from, end, err := log.Range()
	if err != nil {
		return nil
	}
	b := make([]byte, end-from)
	n, _ := log.ReadAt(b, from)
	return b[:n]
}

// say tells the program something, as soon as it can hear it.
func (s *session) say(w agents.Word) {
	s.t.Helper()
	limit := time.NewTimer(patience)
	defer limit.Stop()
	for {
		s.mu.Lock()
		in, ok := s.reader.Say(w)
		more := s.more
		s.mu.Unlock()
		if ok {
			if !hold.Type(s.t.Context(), s.dir, hold.Typing{Source: 1 << 32, Number: uint64(len(w.ID)), Text: in.Text, Close: in.Close}) {
				s.t.Fatalf("it was not told %q", w.Text)
			}
			return
		}
		select {
		case <-more:
		case <-limit.C:
			s.t.Fatalf("it could not be told %q\n%s", w.Text, s.tail())
		}
	}
}

// wait waits for the end, and holds the reader to what it promised: what is read
// again from its beginning, in other pieces, means the same.
func (s *session) wait() agents.Exit {
	s.t.Helper()
	limit := time.NewTimer(patience)
	defer limit.Stop()
	var f hold.Found
	select {
	case f = <-s.over:
	case <-limit.C:
		s.t.Fatalf("it does not end\n%s", s.tail())
	}
	if f.Result == nil {
		s.t.Fatalf("it ended as %+v", f)
	}
	out := s.printed()
	exit := s.reader.Exit(f.Result.Code, f.Result.Cause)
	again := s.live.Adapter.Reader(s.task)
	again.Open(brief)
	evs, in := again.Feed(out, printed())
	if !reflect.DeepEqual(evs, s.evs) || !bytes.Equal(in.Text, s.typed) || again.Exit(f.Result.Code, f.Result.Cause) != exit {
		s.t.Errorf("read again it means something else")
	}
	if exit.Conversation != "" && s.live.tells(Version) && (exit.Version == "" || catalog.Of(s.live.Adapter.Kind()).Versions.Untried(exit.Version)) {
		s.t.Errorf("its version %q is not among those that are driven", exit.Version)
	}
	if n := s.reader.Broken(); n > 0 {
		s.t.Errorf("%d lines were not understood\n%s", n, s.tail())
	}
	if s.live.Record != nil {
		s.live.Record(s.t, s.name, bytes.ReplaceAll(bytes.ReplaceAll(out, []byte(s.root), []byte("/kedge")), []byte(dashed(s.root)), []byte("-kedge")))
	}
	if s.t.Failed() {
		s.t.Logf("it printed\n%s", s.tail())
	}
	return exit
}

// dashed is a path as some programs name folders by it.
func dashed(path string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, path)
}

func (w *world) file(name string) string {
	b, err := os.ReadFile(filepath.Join(w.tree, name))
	if err != nil {
		return ""
	}
	return string(b)
}

func (w *world) put(name, text string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.tree, name), []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}
