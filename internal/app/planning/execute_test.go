package planning

import (
	"context"
	"log/slog"
	"os"
	osexec "os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"kedge"
	"kedge/internal/agents"
	"kedge/internal/agents/command"
	"kedge/internal/app/features"
	"kedge/internal/app/projects"
	"kedge/internal/app/runs"
	"kedge/internal/app/status"
	docs "kedge/internal/core/memory"
	"kedge/internal/core/plan"
	"kedge/internal/core/run"
	"kedge/internal/engine/execute"
	"kedge/internal/git"
	"kedge/internal/git/slot"
	"kedge/internal/journal"
	"kedge/internal/process/tape"
)

// works is a project with a run's executor over the real service, a real
// repository and no engine: a test gives the commands itself.
type works struct {
	t      *testing.T
	dir    string
	home   string
	s      *Service
	engine func(ctx context.Context, p kedge.Project, st *journal.Store) (runs.RunEngine, error)
	p      *projects.Project
	x      *execute.Executor
	cfg    execute.Config
	Now    time.Time
	Run    kedge.RunID
	n      int64 // of the last command
}

var worksNow = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)

func newWorks(t *testing.T) *works {
	t.Helper()
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); strings.HasPrefix(name, "GIT_") || strings.HasPrefix(name, "XDG_") || strings.HasPrefix(name, "KEDGE_") {
			t.Setenv(name, "")
			if err := os.Unsetenv(name); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Setenv("HOME", t.TempDir())
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	w := &works{t: t, dir: t.TempDir(), home: t.TempDir(), Now: worksNow, Run: kedge.RunID(kedge.NewID("run", worksNow))}
	w.Git("init", "-q", "-b", "main")
	w.Git("config", "user.name", "Ada")
	w.Git("config", "user.email", "ada@example.com")
	w.Put("a.txt", "one\n")
	w.Put(".kedge/rules.md", "# Rules\n\n1. Never break the API.\n")
	w.Put(".kedge/gate.toml", "version = 1\n[[check]]\nname = \"all\"\nkind = \"test\"\nrun = \"true\"\n")
	w.Git("add", ".")
	w.Git("commit", "-q", "-m", "first")
	id := kedge.ProjectID(kedge.NewID("prj", worksNow))
	w.Put(".git/kedge-id", string(id)+"\n")
	w.Put(kedge.ValidateFile, "#!/bin/sh\n") // of init; git does not see it
	w.Put(".git/info/exclude", kedge.ValidateFile+"\n")
	w.serve()
	t.Cleanup(func() { w.ok(w.s.Close()) })
	o, err := w.s.projects.Created(id)
	w.ok(err)
	ev, err := kedge.NewEvent(kedge.ProjectCreated, kedge.Human("ada"), kedge.ProjectData{Dir: w.dir, Name: "shop", Git: true})
	w.ok(err)
	ev.Project = id
	_, _, err = o.Store.Append(t.Context(), "", ev)
	w.ok(err)
	w.open()
	return w
}

// serve makes the service, as a daemon that starts does.
func (w *works) serve() {
	w.s = newService(wiring{
		Home: w.home, Now: func() time.Time { return w.Now },
		Engine: func(ctx context.Context, p kedge.Project, st *journal.Store) (runs.RunEngine, error) {
			return w.engine(ctx, p, st)
		},
	})
}

// open makes the executor anew, as another owner of the run does.
func (w *works) open() {
	w.t.Helper()
	p, err := w.s.projects.Open(w.t.Context(), w.who())
	w.ok(err)
	w.p = p
	repo, err := w.s.projects.Git(w.t.Context(), p)
	w.ok(err)
	bot, err := command.New([]string{"bot"})
	w.ok(err)
	w.cfg = execute.Config{
		Project: p.ID, Home: w.home, Repo: repo, Now: func() time.Time { return w.Now }, Log: slog.New(slog.DiscardHandler),
		Agent: func(string) (agents.Adapter, string, error) { return bot, "", nil },
		Slots: slot.New(slot.Config{
			Repo: repo, Dir: filepath.Join(w.home, "worktrees", string(p.ID)), Attic: filepath.Join(w.home, "attic"),
			Project: p.ID, Now: func() time.Time { return w.Now },
		}),
	}
	w.s.given.Equip(p, &w.cfg)
	w.x = execute.New(w.cfg)
}

func (w *works) ok(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err, kedge.HintOf(err))
	}
}

func (w *works) who() projects.Caller {
	return projects.Caller{Dir: w.dir, Actor: kedge.Human("ada"), Key: kedge.NewID("req", w.Now)}
}

func (w *works) Git(args ...string) string { w.t.Helper(); return w.gitIn(w.dir, args...) }

func (w *works) gitIn(dir string, args ...string) string {
	w.t.Helper()
	cmd := osexec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (w *works) Put(name, text string) { w.t.Helper(); w.putIn(w.dir, name, text) }

func (w *works) putIn(dir, name, text string) {
	w.t.Helper()
	path := filepath.Join(dir, name)
	w.ok(os.MkdirAll(filepath.Dir(path), 0o755))
	w.ok(os.WriteFile(path, []byte(text), 0o644))
}

// command numbers a command of the run.
func (w *works) command(c run.Command) run.Command {
	w.n++
	w.Now = w.Now.Add(time.Minute)
	c.Run, c.Epoch, c.At = w.Run, w.n, w.Now
	return c
}

// do carries a command out, twice: the second time by another owner.
func (w *works) do(c run.Command) run.Input {
	w.t.Helper()
	first, err := w.x.Do(w.t.Context(), c, func(run.Input) {})
	w.ok(err)
	w.open()
	again := c
	again.First, again.Adopts, again.Epoch = c.Origin(), c.Epoch, c.Epoch+1000
	second, err := w.x.Do(w.t.Context(), again, func(run.Input) {})
	w.ok(err)
	second.Epoch = first.Epoch
	if first.Commit != second.Commit || first.Text != second.Text || first.Outcome != second.Outcome {
		w.t.Errorf("%s twice gives %+v and %+v", c.Kind, first, second)
	}
	return first
}

// feature puts a feature into the ledger.
func (w *works) feature(d kedge.Definition) kedge.Feature {
	w.t.Helper()
	r, err := w.s.FeatureAdd(w.t.Context(), w.who(), features.FeatureAddRequest{Definition: d})
	w.ok(err)
	return r.Feature
}

// slot gives job 1 a worktree at the commit.
func (w *works) slot(base string) string {
	w.t.Helper()
	r, err := w.cfg.Slots.Put(w.t.Context(), slot.Request{Run: w.Run, Job: 1, Origin: 1, Base: base, Name: "sal", At: w.Now})
	w.ok(err)
	return r.Tree.Root()
}

// session writes down what a session of job 1 printed, and how it ended.
func (w *works) session(id kedge.SessionID, lines []string, end kedge.SessionEndedData) {
	w.t.Helper()
	w.begun(id, nil, lines, end)
}

// begun is session with how it began.
func (w *works) begun(id kedge.SessionID, how *kedge.Begun, lines []string, end kedge.SessionEndedData) {
	w.t.Helper()
	dir := filepath.Join(w.home, "sessions", string(id))
	w.ok(os.MkdirAll(dir, 0o700))
	tw, err := tape.Create(dir)
	w.ok(err)
	tw.Append([]byte(strings.Join(lines, "\n")+"\n"), w.Now)
	w.ok(tw.Close())
	ctx := w.t.Context()
	start, err := kedge.NewEvent(kedge.SessionStarted, kedge.ActorDaemon, kedge.Session{ID: id, Name: "orders", Agent: "bot", State: kedge.SessionRunning, StartedAt: w.Now, Begun: how})
	w.ok(err)
	w.ok(w.cfg.Ledger.Session(ctx, "start-"+string(id), start))
	end.ID = id
	stop, err := kedge.NewEvent(kedge.SessionEnded, kedge.ActorDaemon, end)
	w.ok(err)
	w.ok(w.cfg.Ledger.Session(ctx, "end-"+string(id), stop))
	_, err = w.cfg.Slots.Keep(w.Run, 1, func(j *slot.Job) { j.Session = id })
	w.ok(err)
}

// evidence keeps a verdict on the feature.
func (w *works) evidence(id kedge.FeatureID, tree string, v kedge.Marker, failure *kedge.Failure) kedge.EvidenceID {
	w.t.Helper()
	ev := kedge.Evidence{
		ID: kedge.EvidenceID(kedge.NewID("evd", w.Now)), Feature: id, At: w.Now, Environment: "linux",
		Verdict: kedge.Verdict{Verdict: v, Tree: tree, Findings: []kedge.Finding{}, Checks: []kedge.CheckResult{{
			Name: "unit", Kind: kedge.CheckTest, Command: "test -f order.txt", FirstFailure: failure, Selected: []string{},
		}}},
	}
	w.ok(w.cfg.Ledger.KeepEvidence(w.t.Context(), string(ev.ID), ev))
	return ev.ID
}

var orders = kedge.Definition{
	ID: "orders", Name: "Order entity", Description: "One-to-many with User.", Paths: []string{"order*"},
	Checks: []kedge.Check{{Name: "unit", Run: "test -f order.txt"}},
}

// workCommit makes the commit of the feature's work on the integration branch.
func (w *works) workCommit(base string) (commit, tree string) {
	w.t.Helper()
	ctx := w.t.Context()
	clean, err := w.cfg.Slots.Clean(ctx, slot.Request{Run: w.Run, Base: base, Name: "sal", At: w.Now})
	w.ok(err)
	w.putIn(clean.Root(), "order.txt", "order\n")
	commit, err = clean.CommitPaths(ctx, git.CommitPathsRequest{
		Paths: []string{"order.txt"}, Message: "orders: order entity\n\nKedge-Feature: orders", Date: w.Now,
		Author: git.Person{Name: "Ada", Email: "ada@example.com"},
	})
	w.ok(err)
	tree, err = clean.TreeOf(ctx, commit)
	w.ok(err)
	return commit, tree
}

// Rows 13, 17, 88 and 89: a completed feature has its evidence, its note's files
// are git's, and the ledger commit holds nothing but what is Kedge's.
func TestRow17NoteAndLedgerOfACompletedFeature(t *testing.T) {
	w := newWorks(t)
	f := w.feature(orders)
	w.feature(kedge.Definition{ID: "users", Name: "Users", Checks: orders.Checks})
	base := w.Git("rev-parse", "HEAD")
	w.slot(base)
	w.session(kedge.SessionID(kedge.NewID("ses", w.Now)), []string{"done"}, kedge.SessionEndedData{State: kedge.SessionExited, ExitCode: new(int)})
	commit, tree := w.workCommit(base)
	id := w.evidence(f.ID, tree, kedge.ValidationOK, nil)
	at := run.Command{Job: 1, Feature: f.ID, Hash: w.hash(f.ID), Commit: commit}
	note, checkpoint := at, at
	note.Kind, checkpoint.Kind = run.Note, run.Checkpoint
	w.do(w.command(note))
	w.do(w.command(checkpoint))
	led := at
	led.Kind, led.Base, led.Tree, led.Evidence, led.Status = run.Ledger, commit, tree, id, kedge.Completed
	ev := w.do(w.command(led))
	if ev.Outcome != run.OK || ev.Commit == "" {
		t.Fatalf("answer %+v", ev)
	}

	changed := strings.Split(w.Git("diff", "--name-only", commit, ev.Commit), "\n")
	for _, path := range changed {
		if !kedge.IsOwnPath(path) {
			t.Errorf("the ledger commit changes %q", path)
		}
	}
	for _, want := range []string{".kedge/features.json", ".kedge/progress.md", ".kedge/checkpoint.md"} {
		if !slices.Contains(changed, want) {
			t.Errorf("the ledger commit lacks %q: %v", want, changed)
		}
	}
	if msg := w.Git("log", "-1", "--format=%B", ev.Commit); !strings.Contains(msg, "Kedge-Ledger: "+commit) || strings.Contains(msg, "Kedge-Feature") {
		t.Errorf("message %q", msg)
	}
	if n := w.Git("rev-list", "--count", commit+".."+slot.Branch(w.Run)); n != "1" {
		t.Errorf("%s ledger commits", n)
	}

	doc, _, err := journal.Get[journal.FeatureDoc](t.Context(), w.p.Store, journal.KindFeature, "orders")
	w.ok(err)
	if doc.Status != kedge.Completed || doc.Evidence == nil || *doc.Evidence != id || doc.CompletedAt == nil || !slices.Equal(doc.Files, []string{"order.txt"}) {
		t.Errorf("feature %+v", doc.FeatureState)
	}
	notes, err := projects.All[kedge.Note](t.Context(), w.p, journal.KindNote)
	w.ok(err)
	if len(notes) != 1 {
		t.Fatalf("%d notes", len(notes))
	}
	n := notes[0]
	if git := strings.Split(w.Git("diff", "--name-only", commit+"^", commit), "\n"); !slices.Equal(n.Files, git) {
		t.Errorf("the note's files %v are not git's %v", n.Files, git)
	}
	if !slices.Equal(n.Commits, []string{commit}) || len(docs.LintNote("", n)) > 0 || !strings.Contains(n.Validation, "test -f order.txt") {
		t.Errorf("note %+v", n)
	}
	ckp, ok, err := journal.Newest[kedge.Checkpoint](t.Context(), w.p.Store, journal.KindCheckpoint)
	w.ok(err)
	if !ok || ckp.Commit != commit || !strings.Contains(ckp.Resume, "users") || len(ckp.Files) != 1 || ckp.Files[0].SHA256 == "" {
		t.Errorf("checkpoint %+v", ckp)
	}
	if text := w.Git("show", ev.Commit+":.kedge/progress.md"); strings.Count(text, "feature orders completed") != 1 {
		t.Errorf("progress:\n%s", text)
	}
	if w.Git("status", "--porcelain", "--", "a.txt", "order.txt") != "" || w.Git("rev-parse", "HEAD") != base {
		t.Error("the user's checkout was touched")
	}
}

func (w *works) hash(id kedge.FeatureID) string {
	w.t.Helper()
	d, _, err := journal.Get[journal.FeatureDoc](w.t.Context(), w.p.Store, journal.KindFeature, string(id))
	w.ok(err)
	return d.Hash[:12]
}

// Row 88: nothing completes a feature but a full green verdict on it.
func TestRow88CompletedNeedsItsVerdict(t *testing.T) {
	w := newWorks(t)
	f := w.feature(orders)
	base := w.Git("rev-parse", "HEAD")
	tree := w.Git("rev-parse", "HEAD^{tree}")
	now := w.Now
	red := w.evidence(f.ID, tree, kedge.TestFailure, &kedge.Failure{Message: "no"})
	other := w.evidence("users", tree, kedge.ValidationOK, nil)
	none := kedge.EvidenceID(kedge.NewID("evd", now))
	for name, id := range map[string]*kedge.EvidenceID{"none": nil, "red": &red, "another feature's": &other, "unknown": &none} {
		err := w.cfg.Ledger.Mark(t.Context(), "k-"+name, kedge.ActorDaemon, kedge.FeatureStatusData{ID: f.ID, Status: kedge.Completed, Evidence: id, CompletedAt: &now})
		if !kedge.Conflict.Is(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	green := w.evidence(f.ID, tree, kedge.ValidationOK, nil)
	c := run.Command{Kind: run.Ledger, Job: 1, Feature: f.ID, Hash: "another", Base: base, Commit: base, Tree: tree, Evidence: green, Status: kedge.Completed}
	w.do(w.command(c))
	if d, err := w.cfg.Ledger.Feature(t.Context(), f.ID, ""); err != nil || d.Status != kedge.Pending {
		t.Errorf("a definition that was amended is %s (%v)", d.Status, err)
	}
}

// A blocked feature tells why, without a work commit; the others go on.
func TestRow14BlockedIsExplained(t *testing.T) {
	w := newWorks(t)
	f := w.feature(orders)
	base := w.Git("rev-parse", "HEAD")
	w.slot(base)
	c := w.command(run.Command{
		Kind: run.Ledger, Job: 1, Feature: f.ID, Hash: w.hash(f.ID), Base: base, Status: kedge.BlockedWork,
		Reason: "TestOrder order_test.go:3: total is 0", Failure: "TestOrder order_test.go:3: no total",
	})
	ev := w.do(c)
	d, err := w.cfg.Ledger.Feature(t.Context(), f.ID, "")
	w.ok(err)
	if d.Status != kedge.BlockedWork || !strings.Contains(d.Notes, "total is 0") || !strings.Contains(d.Notes, "no total") || d.CompletedAt != nil {
		t.Errorf("feature %+v", d.FeatureState)
	}
	if msg := w.Git("log", "-1", "--format=%B", ev.Commit); !strings.Contains(msg, "Kedge-Ledger: none") {
		t.Errorf("message %q", msg)
	}
	if got := w.Git("log", "-1", "--format=%ct", ev.Commit); got != w.Git("log", "-1", "--format=%at", ev.Commit) {
		t.Error("the commit's dates differ")
	}
}

// Row 102: what is red again is marked, in the same ledger commit.
func TestRow102RegressedIsInTheLedgerCommit(t *testing.T) {
	w := newWorks(t)
	f := w.feature(orders)
	u := w.feature(kedge.Definition{ID: "users", Name: "Users", Checks: orders.Checks})
	base := w.Git("rev-parse", "HEAD")
	tree := w.Git("rev-parse", "HEAD^{tree}")
	done := w.evidence(u.ID, tree, kedge.ValidationOK, nil)
	now := w.Now
	w.ok(w.cfg.Ledger.Mark(t.Context(), "k", kedge.ActorDaemon, kedge.FeatureStatusData{ID: u.ID, Status: kedge.Completed, Evidence: &done, CompletedAt: &now}))
	commit, tree := w.workCommit(base)
	id := w.evidence(f.ID, tree, kedge.ValidationOK, nil)
	ev := w.do(w.command(run.Command{
		Kind: run.Ledger, Job: 1, Feature: f.ID, Hash: w.hash(f.ID), Base: commit, Commit: commit, Tree: tree, Evidence: id,
		Status: kedge.Completed, Features: []kedge.FeatureID{u.ID},
	}))
	w.do(w.command(run.Command{Kind: run.Mark, Feature: u.ID, Hash: w.hash(u.ID), Status: kedge.Regressed, Reason: "red again"}))
	file, err := plan.ParseFeatures("features.json", []byte(w.Git("show", ev.Commit+":.kedge/features.json")))
	w.ok(err)
	for _, g := range file.Features {
		if g.ID == u.ID && (g.Status != kedge.Regressed || g.Evidence != nil || g.CompletedAt != nil) {
			t.Errorf("users is %+v", g.FeatureState)
		}
	}
	evs, err := w.p.Store.Events(t.Context(), 0)
	w.ok(err)
	n := 0
	for _, e := range evs {
		if e.Type == kedge.FeatureStatus && strings.Contains(string(e.Data), `"regressed"`) {
			n++
		}
	}
	if n != 1 {
		t.Errorf("regressed is journaled %d times", n)
	}
}

// A branch that somebody moved is not reset: the answer says so.
func TestLedgerOnAMovedBranchIsDrift(t *testing.T) {
	w := newWorks(t)
	f := w.feature(orders)
	base := w.Git("rev-parse", "HEAD")
	w.workCommit(base)
	ev, err := w.x.Do(t.Context(), w.command(run.Command{
		Kind: run.Ledger, Job: 1, Feature: f.ID, Hash: w.hash(f.ID), Base: base, Status: kedge.BlockedWork, Reason: "no",
	}), func(run.Input) {})
	w.ok(err)
	if ev.Outcome != run.Drifted || ev.Reason == "" {
		t.Errorf("answer %+v", ev)
	}
}

// Row 98 and invariant 5: a checkpoint keeps what is not committed, and changes
// nothing in the worktree.
func TestRow98CheckpointKeepsUncommittedWork(t *testing.T) {
	w := newWorks(t)
	f := w.feature(orders)
	base := w.Git("rev-parse", "HEAD")
	dir := w.slot(base)
	w.putIn(dir, "order.txt", "half\n")
	w.putIn(dir, "a.txt", "changed\n")
	w.gitIn(dir, "add", "a.txt")
	before := w.gitIn(dir, "status", "--porcelain")
	ses := kedge.SessionID(kedge.NewID("ses", w.Now))
	w.session(ses, []string{
		`KEDGE {"type":"usage","input_tokens":100,"cache_read_tokens":9000,"cache_write_tokens":20,"output_tokens":5,"usd":0.25}`,
		`KEDGE {"type":"usage","input_tokens":10}`,
		`KEDGE {"type":"say","text":"half way"}`,
	}, kedge.SessionEndedData{State: kedge.SessionInterrupted, Cause: "killed"})
	c := w.command(run.Command{Kind: run.Checkpoint, Job: 1, Feature: f.ID, Hash: w.hash(f.ID), Base: base})
	w.do(c)
	if after := w.gitIn(dir, "status", "--porcelain"); after != before {
		t.Errorf("the worktree changed:\n%s\n%s", before, after)
	}
	kept, err := w.cfg.Repo.Salvages(t.Context())
	w.ok(err)
	if len(kept) != 1 || w.Git("show", kept[0].Commit+":order.txt") != "half" || w.Git("show", kept[0].Commit+":a.txt") != "changed" {
		t.Fatalf("kept %+v", kept)
	}
	ckp, _, err := journal.Newest[kedge.Checkpoint](t.Context(), w.p.Store, journal.KindCheckpoint)
	w.ok(err)
	if ckp.Session != ses || ckp.Commit != base || ckp.Agent != "bot" || len(ckp.Files) != 2 || ckp.Files[0].ChangedBy != "agent" {
		t.Errorf("checkpoint %+v", ckp)
	}
	// Row 67: what was spent is the sum of the session's usage events.
	if ckp.Tokens == nil || *ckp.Tokens != 135 || ckp.USD == nil || *ckp.USD != 0.25 {
		t.Errorf("spent %v %v", ckp.Tokens, ckp.USD)
	}
	if !strings.Contains(ckp.Resume, "orders") || !strings.Contains(ckp.Resume, "test -f order.txt") {
		t.Errorf("resume %q", ckp.Resume)
	}
	j, err := w.cfg.Slots.Job(w.Run, 1)
	w.ok(err)
	if j.Checkpoint != ckp.ID {
		t.Errorf("the job knows %q", j.Checkpoint)
	}

	// The next copy is under the same ref, with this one behind it.
	w.putIn(dir, "order.txt", "more\n")
	w.do(w.command(run.Command{Kind: run.Checkpoint, Job: 1, Feature: f.ID, Hash: w.hash(f.ID), Base: base}))
	next, err := w.cfg.Repo.Salvages(t.Context())
	w.ok(err)
	if len(next) != 1 || w.Git("show", next[0].Commit+":order.txt") != "more" || w.Git("merge-base", kept[0].Commit, next[0].Commit) != kept[0].Commit {
		t.Errorf("kept %+v", next)
	}
}

// brief carries out a Brief and gives its text.
func (w *works) brief(c run.Command) string {
	w.t.Helper()
	ev := w.do(w.command(c))
	b, err := os.ReadFile(filepath.Join(w.cfg.Slots.CleanDir(w.Run)+".d", ev.Text))
	w.ok(err)
	return string(b)
}

// Rows 8, 26 and 69: the rules at the base first, where to begin reading, and
// what was in flight.
func TestRow26BriefNamesFilesAndWhatWasInFlight(t *testing.T) {
	w := newWorks(t)
	w.Put("order_old.txt", "old\n")
	w.Git("add", "order_old.txt")
	w.Git("commit", "-q", "-m", "old")
	f := w.feature(orders)
	base := w.Git("rev-parse", "HEAD")
	dir := w.slot(base)
	w.putIn(dir, ".kedge/rules.md", "do what you like\n") // an agent's edit counts for nothing
	c := run.Command{Kind: run.Brief, Job: 1, Feature: f.ID, Hash: w.hash(f.ID), Base: base, Purpose: run.Implement, Attempt: 1}
	text := w.brief(c)
	if !strings.HasPrefix(text, "# Rules\n\n1. Never break the API.\n") {
		t.Errorf("does not start with the rules at the base: %.60q", text)
	}
	if !strings.Contains(text, "> - order_old.txt") || strings.Contains(text, "## In flight") {
		t.Errorf("the first brief:\n%s", text)
	}

	w.putIn(dir, "order.txt", "half\n")
	w.session(kedge.SessionID(kedge.NewID("ses", w.Now)), []string{
		`KEDGE {"type":"call","id":"1","tool":"Read","input":"order_old.txt"}`, `KEDGE {"type":"result","id":"1","output":"old"}`,
		`KEDGE {"type":"call","id":"2","tool":"Edit","input":"half","paths":["order.txt"]}`, `KEDGE {"type":"result","id":"2"}`,
		`KEDGE {"type":"call","id":"3","tool":"Bash","input":"grep total order.txt"}`, `KEDGE {"type":"result","id":"3","output":"no total","failed":true}`,
		`KEDGE {"type":"say","text":"Now let me add the total to the order."}`,
		`KEDGE {"type":"call","id":"4","tool":"Bash","input":"cat order.txt"}`,
	}, kedge.SessionEndedData{State: kedge.SessionInterrupted, Cause: "killed"})
	text = w.brief(c)
	for _, want := range []string{
		"## In flight", "> interrupted: killed", "> - A order.txt", "\n### Next step\n> Finish what was cut off: Bash: cat order.txt\n",
		"### Last command\n> cat order.txt\n", "> without a result: Bash: cat order.txt",
		"> - order.txt (changed since the checkpoint): edited 2 actions ago, no commit seen\n> - order_old.txt: read 3 actions ago\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("lacks %q:\n%s", want, text)
		}
	}
	if task := text[strings.Index(text, "## Task"):]; !strings.Contains(task, "test -f order.txt") || !strings.Contains(task, "all: true") {
		t.Errorf("task:\n%s", task)
	}

	// One that was to go on with it and found the conversation gone may end well.
	code := 0
	w.begun(kedge.SessionID(kedge.NewID("ses", w.Now)), &kedge.Begun{How: kedge.BegunNative, Why: "it was killed"}, nil,
		kedge.SessionEndedData{State: kedge.SessionExited, ExitCode: &code})
	c.Reason = "its conversation could not be resumed: no such session"
	text = w.brief(c)
	for _, want := range []string{"A session worked on this before you and was interrupted.", "> its conversation could not be resumed: no such session", "> - A order.txt"} {
		if !strings.Contains(text, want) {
			t.Errorf("lacks %q:\n%s", want, text)
		}
	}
}

// Row 19: an attempt that failed is shown when the feature is tried again; the
// repair is told its one failure and no other.
func TestRow19FailedAttemptIsShownAgain(t *testing.T) {
	w := newWorks(t)
	f := w.feature(orders)
	base := w.Git("rev-parse", "HEAD")
	w.slot(base)
	w.evidence(f.ID, base, kedge.TestFailure, &kedge.Failure{Test: "TestOrder", Message: "total is 0"})
	c := run.Command{Kind: run.Brief, Job: 1, Feature: f.ID, Hash: w.hash(f.ID), Base: base, Purpose: run.Implement, Attempt: 2}
	if text := w.brief(c); !strings.Contains(text, "total is 0") {
		t.Errorf("the second attempt is not told:\n%s", text)
	}
	c.Purpose, c.Failure = run.Repair, "TestOrder: another"
	if text := w.brief(c); strings.Contains(text, "total is 0") || strings.Count(text, "TestOrder: another") != 1 {
		t.Errorf("the repair is told:\n%s", text)
	}
}

// Told and answered: both are in the next brief of that feature, and of no
// other.
func TestTellAndAnswerReachTheNextBrief(t *testing.T) {
	w := newWorks(t)
	f := w.feature(orders)
	w.feature(kedge.Definition{ID: "users", Name: "Users", Checks: orders.Checks})
	base := w.Git("rev-parse", "HEAD")
	w.slot(base)
	ctx := context.Background()
	tell := w.command(run.Command{Kind: run.Tell, Job: 1, Feature: f.ID, Text: "use decimals", Actor: kedge.Human("ada")})
	w.ok(w.cfg.Briefs.Told(ctx, tell))
	w.ok(w.cfg.Briefs.Told(ctx, tell))
	c := run.Command{Kind: run.Brief, Job: 1, Feature: f.ID, Hash: w.hash(f.ID), Base: base, Purpose: run.Implement, Attempt: 1}
	if text := w.brief(c); strings.Count(text, "use decimals") != 1 {
		t.Errorf("brief:\n%s", text)
	}
	c.Feature, c.Hash = "users", w.hash("users")
	if text := w.brief(c); strings.Contains(text, "use decimals") {
		t.Errorf("another feature is told:\n%s", text)
	}
}

// Row 70 and 71: what the plan says to a phase, and what earlier phases came to.
func TestRow71BriefHasItsPhaseAndSummaries(t *testing.T) {
	w := newWorks(t)
	w.Put(".kedge/plan.md", `---
version: 1
title: a shop
status: drafting
---

## Questions

none

## Root cause

There is no shop.

## Files expected to change

- order.txt

## Assumptions

none

## Invariants

none at all

## Risks

none

## Validation

- `+"`true`"+`

## Phase 1: users {#p1}

- [ ] p1.1 the user entity
  check: test -f user.txt

## Phase 2: orders {#p2 budget=200k}

prompt: keep the public API as it is

- [ ] p2.1 the order entity
  check: test -f order.txt
`)
	_, err := w.s.PlanApprove(t.Context(), w.who(), PlanApproveRequest{Path: os.Getenv("PATH")})
	w.ok(err)
	base := w.Git("rev-parse", "HEAD")
	w.slot(base)
	text := w.brief(run.Command{Kind: run.Brief, Job: 1, Feature: "p2.1", Hash: w.hash("p2.1"), Base: base, Purpose: run.Implement, Attempt: 1})
	for _, want := range []string{"## Earlier phases\n> users: 0 of 1 done. Left open: the user entity: pending", "> keep the public API as it is", "item p2.1, phase orders", "> a shop"} {
		if !strings.Contains(text, want) {
			t.Errorf("lacks %q:\n%s", want, text)
		}
	}
}

func TestSessionNamesAreUniqueAmongTheLiving(t *testing.T) {
	w := newWorks(t)
	for i, want := range []string{"orders", "orders-2", "orders-3"} {
		id := kedge.SessionID(kedge.NewID("ses", w.Now))
		ev, err := kedge.NewEvent(kedge.SessionStarted, kedge.ActorDaemon, kedge.Session{ID: id, Name: "orders", State: kedge.SessionRunning})
		w.ok(err)
		key := "s" + string(rune('0'+i))
		w.ok(w.cfg.Ledger.Session(t.Context(), key, ev))
		w.ok(w.cfg.Ledger.Session(t.Context(), key, ev))
		got, _, err := journal.Get[kedge.Session](t.Context(), w.p.Store, journal.KindSession, string(id))
		w.ok(err)
		if got.Name != want {
			t.Errorf("session %d is called %q", i, got.Name)
		}
	}
}

func TestSettingsAreThoseOfTheCommit(t *testing.T) {
	w := newWorks(t)
	base := w.Git("rev-parse", "HEAD")
	w.Put(".kedge/gate.toml", "version = 1\n")
	w.Put(".kedge/config.toml", "version = 1\n[run]\nparallel = 7\n")
	cfg, gate, err := w.cfg.Rules.At(t.Context(), base)
	w.ok(err)
	if len(gate.Checks) != 1 || cfg.Run.Parallel != 1 {
		t.Errorf("%d checks, parallel %d", len(gate.Checks), cfg.Run.Parallel)
	}
}

// The red that is wanted before the work is no verdict on it.
func TestLastVerdictJudgesWork(t *testing.T) {
	w := newWorks(t)
	w.feature(orders)
	if v, err := status.LastVerdict(t.Context(), w.p); v != nil || err != nil {
		t.Fatalf("a verdict where there is none: %+v, %v", v, err)
	}
	for i, stage := range []kedge.GateStage{kedge.StageProve, kedge.StageIntegrate, kedge.StageProve} {
		w.add(kedge.GateFinished, kedge.Evidence{
			ID: kedge.EvidenceID("evd-" + string(rune('1'+i))), Feature: "orders", For: stage, At: w.Now,
			Verdict: kedge.Verdict{Verdict: kedge.TestFailure},
		})
		v, err := status.LastVerdict(t.Context(), w.p)
		w.ok(err)
		if i == 0 && v != nil || i > 0 && (v == nil || v.For != kedge.StageIntegrate) {
			t.Errorf("after %s the last verdict is %+v", stage, v)
		}
	}
}
