package execute_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	osexec "os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"kedge"
	"kedge/internal/agents/catalog"
	"kedge/internal/core/config"
	"kedge/internal/core/plan"
	"kedge/internal/core/run"
	"kedge/internal/engine"
	"kedge/internal/engine/execute"
	"kedge/internal/engine/gate"
	"kedge/internal/git"
	"kedge/internal/git/slot"
	"kedge/internal/process/hold"
)

// yard is a project with a real repository, and an executor of its runs.
type yard struct {
	t     *testing.T
	root  string // of the user's checkout
	home  string
	book  *book
	cfg   execute.Config
	x     *execute.Executor
	epoch int64
	env   []string
}

// at is when everything in a yard happens.
var at = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

const gateOK = "version = 1\n[[check]]\nname = \"unit\"\nrun = \"sh check.sh\"\n"

// goCache is where the go command keeps what it built: without it, every yard builds the
// standard library anew.
func goCache() string {
	if dir := os.Getenv("GOCACHE"); dir != "" {
		return dir
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "go-build")
}

// newYard makes a project of some files; .kedge/gate.toml runs check.sh, which
// is green, unless the files say otherwise.
func newYard(t *testing.T, files map[string]string) *yard {
	t.Helper()
	dir := t.TempDir()
	y := &yard{t: t, root: filepath.Join(dir, "repo"), home: filepath.Join(dir, "home"), book: &book{}}
	y.env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GOCACHE=" + goCache(), "GOFLAGS=", "GOTOOLCHAIN=local"}
	all := map[string]string{".kedge/gate.toml": gateOK, "check.sh": "true\n", "a.txt": "a\n", ".gitignore": "*.ignored\n.env\ndeps/\n"}
	maps.Copy(all, files)
	y.git("init", "-q", "-b", "main", y.root)
	y.git("-C", y.root, "config", "user.name", "Ann")
	y.git("-C", y.root, "config", "user.email", "ann@example.com")
	for name, text := range all {
		y.put(y.root, name, text)
	}
	y.git("-C", y.root, "add", "-A")
	y.git("-C", y.root, "commit", "-q", "-m", "first")
	y.open()
	return y
}

// open makes the executor, as a daemon that starts does.
func (y *yard) open() {
	y.t.Helper()
	repo, err := git.Open(y.t.Context(), y.root, git.Options{})
	y.must(err)
	y.cfg = execute.Config{
		Project: "prj", Home: y.home, Repo: repo, Ledger: y.book, Rules: rules{y}, Runner: y.cfg.Runner, Projected: y.cfg.Projected, Approvals: y.cfg.Approvals, Holding: startOnly,
		Slots: slot.New(slot.Config{
			Repo: repo, Dir: filepath.Join(y.home, "worktrees", "prj"), Attic: filepath.Join(y.home, "attic", "prj"), Now: time.Now,
		}),
		Env: func(kedge.RunID) []string { return y.env }, Now: time.Now, Log: slog.New(slog.DiscardHandler),
	}
	if y.cfg.Approvals == nil {
		y.cfg.Approvals = allowAll{}
	}
	y.x = execute.New(y.cfg)
	y.t.Cleanup(y.x.Leave)
}

func (y *yard) must(err error) {
	y.t.Helper()
	if err != nil {
		y.t.Fatal(err)
	}
}

func (y *yard) git(args ...string) string {
	y.t.Helper()
	cmd := osexec.Command("git", args...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b", "GIT_ALLOW_PROTOCOL=file")
	out, err := cmd.CombinedOutput()
	if err != nil {
		y.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (y *yard) put(dir, name, text string) {
	y.t.Helper()
	file := filepath.Join(dir, name)
	y.must(os.MkdirAll(filepath.Dir(file), 0o755))
	y.must(os.WriteFile(file, []byte(text), 0o644))
}

// read is a file's text; empty where there is none.
func (y *yard) read(dir, name string) string {
	y.t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		y.t.Fatal(err)
	}
	return string(b)
}

func (y *yard) head() string { return y.git("-C", y.root, "rev-parse", "HEAD") }

func (y *yard) slot(n int) string { return y.cfg.Slots.Dir(n) }

func (y *yard) clean() string { return y.cfg.Slots.CleanDir(runID) }

// command makes the next command of a job, as Step would.
func (y *yard) command(kind run.CommandKind, job int, with run.Command) run.Command {
	y.epoch++
	with.Kind, with.Run, with.Job, with.Epoch, with.Attempt, with.At = kind, runID, job, y.epoch, 1, at
	if with.Purpose == "" {
		with.Purpose = run.Implement
	}
	if kind == run.Prepare || kind == run.Revert {
		with.Salvage = string(runID) + "-" + string(with.Feature) + "-" + string(kind) + "-" + time.Duration(y.epoch).String()
	}
	return with
}

// do carries a command out.
func (y *yard) do(c run.Command) run.Input {
	y.t.Helper()
	ev, err := y.x.Do(y.t.Context(), c, func(run.Input) {})
	if err != nil {
		y.t.Fatalf("%s: %v (%s)", c.Kind, err, kedge.HintOf(err))
	}
	if ev.Kind != c.Kind.Answer() || ev.Epoch != c.Epoch {
		y.t.Fatalf("%s is answered by %q of epoch %d", c.Kind, ev.Kind, ev.Epoch)
	}
	return ev
}

// twice carries a command out once more by another owner, and holds the second
// answer against the first.
func (y *yard) twice(c run.Command) run.Input {
	y.t.Helper()
	first := y.do(c)
	y.open()
	second := y.do(adopted(c))
	second.Epoch = first.Epoch
	if a, b := text(y.t, first), text(y.t, second); a != b {
		y.t.Errorf("%s the first time:\n%s\nand the second:\n%s", c.Kind, a, b)
	}
	y.epoch++ // the adopted one had it
	return first
}

func text(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// want carries a command out and expects an outcome.
func (y *yard) want(o run.Outcome, c run.Command) run.Input {
	y.t.Helper()
	ev := y.do(c)
	if ev.Outcome != o {
		y.t.Fatalf("%s is %q, not %q: %s %s", c.Kind, ev.Outcome, o, ev.Reason, ev.Failure)
	}
	return ev
}

// prepared gives job n of a feature its worktree at a base.
func (y *yard) prepared(job int, id kedge.FeatureID, base string) run.Input {
	y.t.Helper()
	return y.want(run.OK, y.command(run.Prepare, job, run.Command{Feature: id, Base: base}))
}

// gated runs the gate after the work of a job.
func (y *yard) gated(o run.Outcome, job int, id kedge.FeatureID, base string) run.Input {
	y.t.Helper()
	if f, _ := y.book.Feature(y.t.Context(), id, ""); o == run.Green && len(f.Checks) == 0 {
		o = run.Empty // the slot runs the feature's own checks only
	}
	return y.want(o, y.command(run.Gate, job, run.Command{Feature: id, Base: base, Scope: "touched"}))
}

// integrated merges what was gated.
func (y *yard) integrated(o run.Outcome, job int, id kedge.FeatureID, tip, tree string) run.Input {
	y.t.Helper()
	return y.want(o, y.command(run.Integrate, job, run.Command{Feature: id, Base: tip, Tree: tree, Scope: "full"}))
}

// worked takes job 1 from prepare to its commit: the files are what its agent
// writes. It gives the commit.
func (y *yard) worked(id kedge.FeatureID, tip string, files map[string]string) string {
	y.t.Helper()
	const job = 1
	y.prepared(job, id, tip)
	j, err := y.cfg.Slots.Job(runID, job)
	y.must(err)
	for name, text := range files {
		y.put(y.slot(j.Slot), name, text)
	}
	tree := y.gated(run.Green, job, id, tip).Tree
	y.want(run.Clean, y.command(run.Inspect, job, run.Command{Feature: id, Base: tip, Tree: tree}))
	in := y.integrated(run.Green, job, id, tip, tree)
	return y.want(run.OK, y.command(run.Commit, job, run.Command{Feature: id, Base: tip, Tree: in.Tree, Evidence: in.Evidence})).Commit
}

// feature adds one to the ledger.
func (y *yard) feature(id kedge.FeatureID, checks ...kedge.Check) *kedge.Feature {
	f := &kedge.Feature{Definition: kedge.Definition{ID: id, Name: "The " + string(id), Checks: checks}}
	f.Status = kedge.Pending
	y.book.features = append(y.book.features, f)
	return f
}

func own(line string) kedge.Check { return kedge.Check{Name: "own", Run: line} }

// held runs the lines of gates under holders.
func (y *yard) held() {
	y.t.Helper()
	sockets, err := os.MkdirTemp("/tmp", "ky") // a socket's path must be short
	y.must(err)
	y.t.Cleanup(func() { _ = os.RemoveAll(sockets) })
	y.cfg.Runner = gate.Held{Holder: hold.NewLauncher(self(y.t), "hold"), Sockets: sockets, Now: time.Now}
	y.open()
}

// status is what git says of the user's checkout.
func (y *yard) status() string { return y.git("-C", y.root, "status", "--porcelain", "--branch") }

// rules reads the project's rules at a commit.
type rules struct{ y *yard }

func (r rules) At(ctx context.Context, commit string) (config.Config, config.Gate, error) {
	if err := r.y.book.trip("rules"); err != nil {
		return config.Config{}, config.Gate{}, err
	}
	repo := r.y.cfg.Repo
	cfg := config.Default(catalog.Kinds())
	b, err := repo.ReadFile(ctx, commit, ".kedge/config.toml")
	if err == nil {
		cfg, err = config.ParseConfig(".kedge/config.toml", b, catalog.Kinds())
	}
	if err != nil && !kedge.NotFound.Is(err) {
		return cfg, config.Gate{}, err
	}
	b, err = repo.ReadFile(ctx, commit, ".kedge/gate.toml")
	if err != nil {
		return cfg, config.Gate{}, err
	}
	g, err := config.ParseGate(".kedge/gate.toml", b)
	return cfg, g, err
}

// book is a ledger in memory.
type book struct {
	engine.Records
	mu       sync.Mutex
	features []*kedge.Feature
	keys     []string
	evidence []kedge.Evidence
	facts    []kedge.Event
	salvages []kedge.Salvage
	fails    map[string]int // how often what fails
	hash     string         // of all definitions; empty: any is right
	refused  int            // how often another was asked for
	plans    []kedge.Check  // what the plan adds to every gate
	later    map[string]string
}

func (b *book) Allowed(ctx context.Context, id kedge.FeatureID) (paths, tests []string, err error) {
	f, err := b.Feature(ctx, id, "")
	return f.Paths, f.ChangesTests, err
}

func (b *book) PlanDemands(context.Context, kedge.Definition, []kedge.Check) (plan.Demands, error) {
	return plan.Demands{Checks: b.plans, Later: b.later}, nil
}

// trip fails as often as it was told to.
func (b *book) trip(what string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.fails[what] == 0 {
		return nil
	}
	b.fails[what]--
	return errors.New("the power went")
}

func (b *book) once(key string, do func()) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !slices.Contains(b.keys, key) {
		b.keys = append(b.keys, key)
		do()
	}
	return nil
}

func (b *book) Feature(_ context.Context, id kedge.FeatureID, hash string) (kedge.Feature, error) {
	if b.hash != "" && hash != "" && hash != b.hash {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.refused++
		return kedge.Feature{}, kedge.Errorf(kedge.Conflict, "feature %q was amended meanwhile", id)
	}
	for _, f := range b.features {
		if f.ID == id {
			return *f, nil
		}
	}
	return kedge.Feature{}, kedge.Errorf(kedge.NotFound, "no feature %q", id)
}

func (b *book) Features(context.Context) ([]kedge.Feature, error) {
	var out []kedge.Feature
	for _, f := range b.features {
		out = append(out, *f)
	}
	return out, nil
}

func (b *book) KeepEvidence(_ context.Context, key string, ev kedge.Evidence) error {
	if err := b.trip("evidence"); err != nil {
		return err
	}
	return b.once(key, func() { b.evidence = append(b.evidence, ev) })
}

func (b *book) Session(_ context.Context, key string, ev kedge.Event) error {
	return b.once(key, func() { b.facts = append(b.facts, ev) })
}

func (b *book) Salvaged(_ context.Context, key string, s kedge.Salvage) error {
	if err := b.trip("salvage"); err != nil {
		return err
	}
	return b.once(key, func() { b.salvages = append(b.salvages, s) })
}

// inspection is the newest one.
func (y *yard) inspection() kedge.Inspection {
	y.t.Helper()
	var in kedge.Inspection
	for _, ev := range y.book.facts {
		if ev.Type == kedge.WorkInspected {
			in = kedge.Inspection{}
			y.must(json.Unmarshal(ev.Data, &in))
		}
	}
	return in
}

// findings are those of the newest inspection, each on a line.
func findings(list []kedge.Finding) string {
	var out []string
	for _, f := range list {
		out = append(out, string(f.Level)+": "+f.What+": "+f.Where)
	}
	return strings.Join(out, "\n")
}

// fuse is a context that ends when it was looked at so many times: a command is
// broken off wherever that is.
type fuse struct {
	context.Context
	left   atomic.Int64
	cancel context.CancelFunc
}

func newFuse(ctx context.Context, looks int) *fuse {
	ctx, cancel := context.WithCancel(ctx)
	f := &fuse{Context: ctx, cancel: cancel}
	f.left.Store(int64(looks))
	return f
}

func (f *fuse) Done() <-chan struct{} {
	if f.left.Add(-1) == 0 {
		f.cancel()
	}
	return f.Context.Done()
}

// brokenOff carries a command out with interruptions, later and later, until it
// is done.
func (y *yard) brokenOff(c run.Command) run.Input {
	y.t.Helper()
	for looks := 2; looks < 3000; looks = looks*2 + 1 {
		y.open()
		f := newFuse(y.t.Context(), looks)
		ev, err := y.x.Do(f, c, func(run.Input) {})
		f.cancel()
		if err == nil && looks < 20 {
			y.t.Fatalf("%s was not broken off", c.Kind)
		}
		if err == nil {
			return ev
		}
		c = adopted(c)
	}
	return y.do(c)
}
