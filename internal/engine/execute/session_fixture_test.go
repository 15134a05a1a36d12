package execute_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	osexec "os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"kedge"
	"kedge/internal/agents"
	"kedge/internal/agents/command"
	"kedge/internal/core/run"
	"kedge/internal/core/watch"
	"kedge/internal/engine"
	"kedge/internal/engine/execute"
	"kedge/internal/git"
	"kedge/internal/git/slot"
	"kedge/internal/process/hold"
)

const runID kedge.RunID = "run-00000000000000000000000001"

// stage is a repository with one slot, and an executor over it.
type stage struct {
	t      *testing.T
	home   string
	slot   string
	script string
	cfg    execute.Config
	x      *execute.Executor
	ledger *memoryLedger
	epoch  int64

	mu    sync.Mutex
	heard []watch.Act
	told  []run.Input // what was reported
	more  chan struct{}
}

func newStage(t *testing.T) *stage {
	t.Helper()
	sockets, err := os.MkdirTemp("", "k") //nolint:usetesting // short: a socket's path is
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(sockets) })
	root := t.TempDir()
	s := &stage{t: t, home: filepath.Join(root, "home"), ledger: &memoryLedger{}, more: make(chan struct{}, 1)}
	repoDir := filepath.Join(root, "repo")
	s.slot = filepath.Join(s.home, "worktrees", "prj", "slot-1")
	s.git(root, "init", "-q", "-b", "main", repoDir)
	s.git(repoDir, "commit", "-q", "--allow-empty", "-m", "first")
	s.git(repoDir, "worktree", "add", "-q", "--detach", s.slot)
	repo, err := git.Open(t.Context(), repoDir, git.Options{})
	if err != nil {
		t.Fatal(err)
	}
	slots := slot.New(slot.Config{Repo: repo, Dir: filepath.Join(s.home, "worktrees", "prj"), Now: time.Now})
	if _, err := slots.Keep(runID, 1, func(j *slot.Job) { j.Slot = 1 }); err != nil {
		t.Fatal(err)
	}
	s.script = filepath.Join(root, "script.json")
	bot, err := command.New([]string{self(t), "fakeagent", s.script})
	if err != nil {
		t.Fatal(err)
	}
	s.cfg = execute.Config{
		Project: "prj", Home: s.home, Repo: repo, Slots: slots, Ledger: s.ledger, Holder: hold.NewLauncher(self(t), "hold"), Sockets: sockets,
		Approvals: allowAll{}, Holding: startOnly,
		Agent: func(string) (agents.Adapter, string, error) { return bot, "", nil },
		Env: func(kedge.RunID) []string {
			return []string{"PATH=" + os.Getenv("PATH"), "KEDGE_PROJECT=/elsewhere", "MARK=1"}
		},
		Now: time.Now, Log: slog.New(slog.DiscardHandler), Grace: 50 * time.Millisecond,
		Route: func(context.Context, run.Command) (kedge.Routed, error) {
			return kedge.Routed{Row: "run.agent", Agent: "bot", Model: "small", Why: "nobody said"}, nil
		},
		Tick: func(time.Duration) (<-chan time.Time, func()) { return nil, func() {} },
		Heard: func(_ context.Context, _ run.Command, _ kedge.SessionID, ev watch.Act) error {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.heard = append(s.heard, ev)
			return nil
		},
	}
	s.renew()
	t.Cleanup(s.noneLeft)
	return s
}

func self(t *testing.T) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return exe
}

// renew makes another executor, as another daemon would have.
func (s *stage) renew() { s.x = execute.New(s.cfg) }

func (s *stage) git(dir string, args ...string) {
	s.t.Helper()
	cmd := osexec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	if out, err := cmd.CombinedOutput(); err != nil {
		s.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// command is the next StartSession, for an agent that does these actions.
func (s *stage) command(actions string) run.Command {
	s.t.Helper()
	s.put(s.script, `{"version":1,"plays":[{"do":[`+actions+`]}]}`)
	s.epoch += 10
	c := run.Command{
		Kind: run.StartSession, Run: runID, Epoch: s.epoch, Job: 1, Feature: "user", Attempt: 1, Purpose: run.Implement,
		Text: "brief-7.md", At: time.Unix(1_800_000_000, 0),
	}
	s.put(filepath.Join(s.home, "worktrees", "prj", string(runID)+".d", "brief-7.md"), "the brief of this session\n")
	return c
}

func (s *stage) put(path, text string) {
	s.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// adopted is the command as another owner gets it.
func adopted(c run.Command) run.Command {
	c.First, c.Adopts, c.Epoch = c.Origin(), c.Epoch, c.Epoch+1
	return c
}

func (s *stage) report(ev run.Input) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.told = append(s.told, ev)
	select {
	case s.more <- struct{}{}:
	default:
	}
}

// do carries a command out to its end.
func (s *stage) do(c run.Command) run.Input {
	s.t.Helper()
	ev, err := s.x.Do(s.t.Context(), c, s.report)
	if err != nil {
		s.t.Fatalf("%s: %v", c.Kind, err)
	}
	return ev
}

// answered is what Do gave.
type answered struct {
	ev  run.Input
	err error
}

// start carries a command out beside the test.
func (s *stage) start(c run.Command) (result <-chan answered, leave func(error)) {
	ctx, cancel := context.WithCancelCause(context.Background())
	out := make(chan answered, 1)
	go func() {
		ev, err := s.x.Do(ctx, c, s.report)
		out <- answered{ev, err}
	}()
	s.t.Cleanup(func() { cancel(engine.ErrLeave) })
	return out, func(err error) { cancel(err) }
}

// until waits for a condition; minutes only guard against hanging.
func (s *stage) until(what string, ok func() bool) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			s.t.Fatalf("never: %s", what)
		}
	}
}

func (s *stage) exists(name string) bool {
	_, err := os.Stat(filepath.Join(s.slot, name))
	return err == nil
}

func (s *stage) file(name string) string {
	s.t.Helper()
	b, err := os.ReadFile(filepath.Join(s.slot, name))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(b)
}

// session is the one of the job.
func (s *stage) session() kedge.SessionID {
	s.t.Helper()
	j, err := s.cfg.Slots.Job(runID, 1)
	if err != nil {
		s.t.Fatal(err)
	}
	return j.Session
}

func (s *stage) sessionDir() string { return filepath.Join(s.home, "sessions", string(s.session())) }

// signalled are the reasons of the signals of an outcome.
func (s *stage) signalled(o run.Outcome) []run.Input {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []run.Input
	for _, ev := range s.told {
		if ev.Kind == run.Signalled && ev.Outcome == o {
			out = append(out, ev)
		}
	}
	return out
}

func (s *stage) heardKinds() []watch.Kind {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []watch.Kind
	for _, ev := range s.heard {
		out = append(out, ev.Kind)
	}
	return out
}

// noneLeft ends whatever a failed test left, and complains about what a test
// that passed left.
func (s *stage) noneLeft() {
	found, err := hold.Find(context.Background(), filepath.Join(s.home, "sessions"))
	if err != nil {
		s.t.Error(err)
	}
	for _, f := range found {
		if f.Client == nil {
			continue
		}
		if f.State == kedge.SessionRunning {
			s.t.Errorf("session %s still runs", f.ID)
			_ = f.Client.End(context.Background(), time.Millisecond)
			_, _ = f.Client.Await(context.Background())
		}
		if c, err := hold.Dial(context.Background(), f.Dir); err == nil {
			_ = c.Collect(context.Background())
			_ = c.Close()
		}
		_ = f.Client.Close()
	}
}

// memoryLedger keeps what is journaled, once for each key.
type memoryLedger struct {
	engine.Records
	mu   sync.Mutex
	keys []string
	evs  []kedge.Event
}

func (l *memoryLedger) Session(_ context.Context, key string, ev kedge.Event) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if slices.Contains(l.keys, key) {
		return nil
	}
	l.keys, l.evs = append(l.keys, key), append(l.evs, ev)
	return nil
}

func (l *memoryLedger) Feature(_ context.Context, id kedge.FeatureID, _ string) (kedge.Feature, error) {
	return kedge.Feature{Definition: kedge.Definition{ID: id}}, nil
}

// of are the payloads of a type.
func of[T any](t *testing.T, l *memoryLedger, typ kedge.EventType) []T {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []T
	for _, ev := range l.evs {
		if ev.Type != typ {
			continue
		}
		var d T
		if err := json.Unmarshal(ev.Data, &d); err != nil {
			t.Fatal(err)
		}
		out = append(out, d)
	}
	return out
}
