package service_test

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"kedge"
	"kedge/internal/brief"
	"kedge/internal/redact/redacttest"
	"kedge/internal/service"
	"kedge/internal/store"
	"kedge/internal/tokens"
)

// place is a project for the tests of what leaves and comes back: its folder,
// the service on it, and a clock that stands still until it is moved.
type place struct {
	t    *testing.T
	dir  string
	home string
	s    *service.Service
	now  time.Time
}

func newPlace(t *testing.T, git bool) *place {
	t.Helper()
	pl := &place{t: t, dir: t.TempDir(), home: t.TempDir(), now: time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)}
	t.Setenv("HOME", t.TempDir())
	id := kedge.NewID("prj", pl.now)
	idFile := ".kedge/id"
	if git {
		pl.git("init", "-q", "-b", "main")
		pl.put("a.txt", "one\n")
		pl.git("add", ".")
		pl.git("commit", "-q", "-m", "first")
		idFile = ".git/kedge-id"
	}
	pl.put(idFile, id+"\n")
	pl.append(id, kedge.ProjectCreated, kedge.ProjectData{Dir: pl.dir, Name: "shop", Git: git})
	pl.s = service.New(service.Config{Home: pl.home, Now: func() time.Time { return pl.now }})
	t.Cleanup(func() {
		if err := pl.s.Close(); err != nil {
			t.Error(err)
		}
	})
	return pl
}

// append adds facts that other areas write, before the service opens the store.
func (pl *place) append(id string, typ kedge.EventType, data any) {
	pl.t.Helper()
	st, err := store.Open(filepath.Join(pl.home, "projects", id), store.Options{Now: func() time.Time { return pl.now }})
	if err != nil {
		pl.t.Fatal(err)
	}
	ev, err := kedge.NewEvent(typ, kedge.Human("ada"), data)
	if err != nil {
		pl.t.Fatal(err)
	}
	ev.Project = kedge.ProjectID(id)
	if _, _, err := st.Append(pl.t.Context(), "", ev); err != nil {
		pl.t.Fatal(err)
	}
	if err := st.Close(); err != nil {
		pl.t.Fatal(err)
	}
}

// fact adds one fact of another area while the service is closed, and opens it
// again.
func (pl *place) fact(typ kedge.EventType, data any) {
	pl.t.Helper()
	if err := pl.s.Close(); err != nil {
		pl.t.Fatal(err)
	}
	id := pl.read(".git/kedge-id")
	pl.append(strings.TrimSpace(id), typ, data)
}

func (pl *place) git(args ...string) string {
	pl.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "commit.gpgsign=false"}, args...)...)
	cmd.Dir = pl.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		pl.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (pl *place) put(name, text string) {
	pl.t.Helper()
	path := filepath.Join(pl.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		pl.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		pl.t.Fatal(err)
	}
}

func (pl *place) read(name string) string {
	pl.t.Helper()
	b, err := os.ReadFile(filepath.Join(pl.dir, name))
	if err != nil {
		pl.t.Fatal(err)
	}
	return string(b)
}

// who is a fresh request by a person.
func (pl *place) who() service.Caller {
	return service.Caller{Dir: pl.dir, Actor: kedge.Human("ada"), Key: kedge.NewID("req", pl.now)}
}

func (pl *place) save(in service.CheckpointSaveRequest) service.CheckpointReply {
	pl.t.Helper()
	pl.now = pl.now.Add(time.Minute)
	r, err := pl.s.CheckpointSave(pl.t.Context(), pl.who(), in)
	if err != nil {
		pl.t.Fatal(err)
	}
	return r
}

func (pl *place) status() service.StatusReply {
	pl.t.Helper()
	r, err := pl.s.Status(pl.t.Context(), pl.who(), service.StatusRequest{})
	if err != nil {
		pl.t.Fatal(err)
	}
	return r
}

func (pl *place) prime(budget int) service.PrimeReply {
	pl.t.Helper()
	r, err := pl.s.Prime(pl.t.Context(), pl.who(), service.PrimeRequest{Budget: budget})
	if err != nil {
		pl.t.Fatal(err)
	}
	return r
}

func featureFact(t *testing.T, order int, d kedge.Definition) kedge.FeatureAddedData {
	t.Helper()
	b, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	return kedge.FeatureAddedData{Definition: b, Hash: "h", Order: order}
}

func TestCheckpointSaveWritesTheFile(t *testing.T) {
	pl := newPlace(t, true)
	pl.fact(kedge.FeatureAdded, featureFact(t, 1, kedge.Definition{ID: "login", Name: "Log in", Priority: 1, Checks: []kedge.Check{{Name: "unit", Run: "make test"}}}))
	pl.put("b.txt", "new\n")
	r := pl.save(service.CheckpointSaveRequest{})
	if r.Task != "login: Log in" || r.Agent != "human:ada" || r.Tokens != nil || r.USD != nil {
		t.Errorf("checkpoint = %+v", r.Checkpoint)
	}
	if want := "Start at feature login. Re-read the files above before editing. First command: make test"; r.Resume != want {
		t.Errorf("resume = %q", r.Resume)
	}
	if r.Commit != pl.git("rev-parse", "HEAD") || len(r.Files) != 1 || r.Files[0].Path != "b.txt" || r.Files[0].State != kedge.FileUnchanged {
		t.Errorf("commit %s, files %v", r.Commit, r.Files)
	}
	file := pl.read(".kedge/checkpoint.md")
	c, err := brief.ParseCheckpoint("checkpoint.md", []byte(file))
	if err != nil || c.ID != r.ID || file != r.Text {
		t.Errorf("file of %s: %v\n%s", c.ID, err, file)
	}
	if l, err := pl.s.CheckpointLint(t.Context(), pl.who(), service.LintRequest{}); err != nil || !l.OK {
		t.Errorf("lint = %+v, %v", l, err)
	}
	if !strings.Contains(file, "- [ ] login: Log in\n") {
		t.Errorf("no status line in\n%s", file)
	}
}

func TestCheckpointSaveTwiceByKey(t *testing.T) {
	pl := newPlace(t, true)
	who := pl.who()
	first, err := pl.s.CheckpointSave(t.Context(), who, service.CheckpointSaveRequest{})
	if err != nil {
		t.Fatal(err)
	}
	pl.now = pl.now.Add(time.Hour)
	again, err := pl.s.CheckpointSave(t.Context(), who, service.CheckpointSaveRequest{})
	if err != nil || again.ID != first.ID || !again.At.Equal(first.At) {
		t.Errorf("a retried request made %s at %s, first %s: %v", again.ID, again.At, first.ID, err)
	}
}

func TestCheckpointKeepsPeoplesText(t *testing.T) {
	pl := newPlace(t, true)
	pl.save(service.CheckpointSaveRequest{})
	const file = ".kedge/checkpoint.md"
	pl.put(file, pl.read(file)+"\nMind the release.\n")
	r := pl.save(service.CheckpointSaveRequest{})
	if !strings.HasSuffix(pl.read(file), "-->\n\nMind the release.\n") || len(r.Moved) > 0 {
		t.Errorf("moved %q, file\n%s", r.Moved, pl.read(file))
	}
	pl.put(file, strings.Replace(pl.read(file), "## Open risks\n", "## Open risks\n- by hand\n", 1))
	r = pl.save(service.CheckpointSaveRequest{})
	if !strings.HasSuffix(pl.read(file), "Mind the release.\n- by hand\n") || len(r.Moved) != 1 || r.Moved[0] != "- by hand" {
		t.Errorf("moved %q, file\n%s", r.Moved, pl.read(file))
	}
	if _, err := brief.ParseCheckpoint(file, []byte(pl.read(file))); err != nil {
		t.Error(err)
	}
}

func TestRow40FilesToReread(t *testing.T) {
	pl := newPlace(t, true)
	pl.put("src/b.txt", "two\n")
	pl.put("src/c.txt", "three\n")
	who := pl.who()
	who.Dir = filepath.Join(pl.dir, "src")
	if _, err := pl.s.CheckpointSave(t.Context(), who, service.CheckpointSaveRequest{Files: []string{"../a.txt", "b.txt", "c.txt"}}); err != nil {
		t.Fatal(err)
	}
	pl.put("src/b.txt", "changed\n")
	if err := os.Remove(filepath.Join(pl.dir, "src/c.txt")); err != nil {
		t.Fatal(err)
	}
	r, err := pl.s.CheckpointShow(t.Context(), pl.who(), service.CheckpointShowRequest{})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]kedge.FileState{}
	for _, f := range r.Files {
		got[f.Path] = f.State
	}
	if got["a.txt"] != kedge.FileUnchanged || got["src/b.txt"] != kedge.FileChanged || got["src/c.txt"] != kedge.FileGone {
		t.Errorf("files = %v", got)
	}
	text := pl.prime(0).Text
	for _, want := range []string{"> - changed src/b.txt, since the checkpoint\n", "> - gone src/c.txt, since the checkpoint\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for _, bad := range []string{"../outside", "none.txt", "."} {
		if _, err := pl.s.CheckpointSave(t.Context(), pl.who(), service.CheckpointSaveRequest{Files: []string{bad}}); !kedge.Invalid.Is(err) && !kedge.NotFound.Is(err) {
			t.Errorf("--file %s: %v", bad, err)
		}
	}
}

func TestRow41DriftByContent(t *testing.T) {
	pl := newPlace(t, true)
	if r := pl.status(); len(r.Drift) != 0 || !strings.Contains(r.DriftUnknown, "has not looked") {
		t.Errorf("before Kedge looked: %v, %q", r.Drift, r.DriftUnknown)
	}
	pl.put("b.txt", "1\n2\n3\n")
	pl.save(service.CheckpointSaveRequest{})
	if r := pl.status(); len(r.Drift) != 0 || r.DriftUnknown != "" {
		t.Errorf("nothing was touched: %v, %q", r.Drift, r.DriftUnknown)
	}
	pl.put("b.txt", "1\nzwei\n3\n4\n")
	pl.put("new.txt", "x\n")
	pl.git("rm", "-q", "a.txt")
	pl.git("add", ".")
	pl.git("commit", "-q", "-m", "out of band")
	want := []kedge.Drift{
		{Path: "a.txt", State: kedge.FileGone, Removed: 1},
		{Path: "b.txt", State: kedge.FileChanged, Added: 2, Removed: 1},
		{Path: "new.txt", State: kedge.FileNew, Added: 1},
	}
	got := pl.status().Drift
	if len(got) != len(want) {
		t.Fatalf("drift = %v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("drift %d = %+v, want %+v", i, got[i], want[i])
		}
	}
	if text := pl.prime(0).Text; !strings.Contains(text, "> - changed b.txt (+2 -1 lines), since Kedge last looked\n") {
		t.Errorf("no drift in\n%s", text)
	}
	pl.save(service.CheckpointSaveRequest{})
	if r := pl.status(); len(r.Drift) != 0 {
		t.Errorf("seen again: %v", r.Drift)
	}
}

func TestRow41DriftSurvivesGarbageCollection(t *testing.T) {
	pl := newPlace(t, true)
	pl.put("b.txt", "not committed\n")
	pl.save(service.CheckpointSaveRequest{})
	pl.put("b.txt", "changed\n")
	pl.git("gc", "-q", "--prune=now")
	if r := pl.status(); len(r.Drift) != 1 || r.Drift[0].Path != "b.txt" {
		t.Errorf("drift = %v, %q", r.Drift, r.DriftUnknown)
	}
	pl.git("update-ref", "-d", "refs/kedge/seen")
	pl.git("gc", "-q", "--prune=now")
	if r := pl.status(); len(r.Drift) != 0 || !strings.Contains(r.DriftUnknown, "no longer has the tree") {
		t.Errorf("the tree is gone: drift = %v, %q", r.Drift, r.DriftUnknown)
	}
}

func TestT15CheckpointsAreRedacted(t *testing.T) {
	pl := newPlace(t, true)
	canaries := redacttest.Canaries()
	var text strings.Builder
	for _, family := range slices.Sorted(maps.Keys(canaries)) {
		text.WriteString(canaries[family] + "\n")
	}
	pl.put(".kedge/checkpoint.md", text.String())
	r := pl.save(service.CheckpointSaveRequest{Task: "t", Resume: "Start at item p1.1. " + text.String()})
	h, err := pl.s.HandoffSave(t.Context(), pl.who(), service.HandoffSaveRequest{State: "s", Approach: "a", Next: "n", BlockedOn: firstLine(text.String())})
	if err != nil {
		t.Fatal(err)
	}
	for where, got := range map[string]string{
		"checkpoint.md": pl.read(".kedge/checkpoint.md"), "reply": r.Text + r.Resume, "handoff": h.Text, "brief": pl.prime(0).Text,
	} {
		for family, secret := range redacttest.Secrets() {
			if strings.Contains(got, secret[:min(len(secret), 24)]) {
				t.Errorf("%s holds a secret of %s", where, family)
			}
		}
	}
	if _, err := brief.ParseCheckpoint("c.md", []byte(r.Text)); err != nil {
		t.Error(err)
	}
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}

func TestPlainFolderHasNoDrift(t *testing.T) {
	pl := newPlace(t, false)
	pl.put("a.txt", "one\n")
	r := pl.save(service.CheckpointSaveRequest{Files: []string{"a.txt"}})
	if r.Commit != "" || r.Tree != "" || len(r.Files) != 1 {
		t.Errorf("checkpoint = %+v", r.Checkpoint)
	}
	if l, err := pl.s.CheckpointLint(t.Context(), pl.who(), service.LintRequest{}); err != nil || !l.OK {
		t.Errorf("lint = %+v, %v", l, err)
	}
	st := pl.status()
	if len(st.Drift) != 0 || !strings.Contains(st.DriftUnknown, "plain folder") {
		t.Errorf("drift = %v, %q", st.Drift, st.DriftUnknown)
	}
	if text := pl.prime(0).Text; !strings.Contains(text, "is unknown: ") {
		t.Errorf("the brief hides that drift is unknown:\n%s", text)
	}
}

func TestRow8PrimeStartsWithTheRules(t *testing.T) {
	pl := newPlace(t, true)
	rules := "1. Constraints\n- never push\n"
	pl.put(".kedge/rules.md", rules)
	if text := pl.prime(0).Text; !strings.HasPrefix(text, rules+"(rules: .kedge/rules.md from the folder, ") {
		t.Errorf("not committed:\n%s", text)
	}
	pl.git("add", ".")
	pl.git("commit", "-q", "-m", "rules")
	if text := pl.prime(0).Text; !strings.HasPrefix(text, rules+"(rules: .kedge/rules.md from commit "+pl.git("rev-parse", "HEAD")[:12]+", 28 bytes, sha256 ") {
		t.Errorf("committed:\n%s", text)
	}
	pl.put(".kedge/rules.md", "do as you like\n")
	if text := pl.prime(0).Text; !strings.HasPrefix(text, "do as you like\n(rules: .kedge/rules.md from the folder, changed since commit ") {
		t.Errorf("a person's edit:\n%s", text)
	}
	agent := pl.who()
	agent.Actor = kedge.Agent(kedge.SessionID(kedge.NewID("ses", pl.now)))
	r, err := pl.s.Prime(t.Context(), agent, service.PrimeRequest{})
	if err != nil || !strings.HasPrefix(r.Text, rules) {
		t.Errorf("an agent's edit: %v\n%s", err, r.Text)
	}
}

func TestRow60PrimeUnderItsCap(t *testing.T) {
	pl := newPlace(t, true)
	pl.put(".kedge/rules.md", strings.Repeat("keep it short\n", 20))
	pl.save(service.CheckpointSaveRequest{})
	whole := pl.prime(0)
	if whole.Budget != brief.DefaultBudget || whole.Tokens != tokens.Estimate(whole.Text) || len(whole.Cut) != 0 {
		t.Errorf("prime = %+v", whole)
	}
	if r := pl.prime(whole.Tokens - 1); len(r.Cut) == 0 || r.Tokens >= whole.Tokens {
		t.Errorf("nothing was cut: %+v", r)
	}
	for _, budget := range []int{10, -1} {
		if _, err := pl.s.Prime(t.Context(), pl.who(), service.PrimeRequest{Budget: budget}); !kedge.Invalid.Is(err) {
			t.Errorf("budget %d: %v", budget, err)
		}
	}
}

func TestRow44RisksInCheckpointAndHandoff(t *testing.T) {
	pl := newPlace(t, true)
	open, closed := kedge.RiskID(kedge.NewID("rsk", pl.now)), kedge.RiskID(kedge.NewID("rsk", pl.now))
	pl.fact(kedge.RiskOpened, kedge.Risk{ID: open, Text: "clock skew"})
	pl.fact(kedge.RiskOpened, kedge.Risk{ID: closed, Text: "old risk"})
	pl.fact(kedge.RiskClosed, kedge.RiskClosedData{ID: closed, Reason: "tested"})
	c := pl.save(service.CheckpointSaveRequest{})
	h, err := pl.s.HandoffSave(t.Context(), pl.who(), service.HandoffSaveRequest{Percent: 10, State: "begun", Approach: "small steps"})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"checkpoint": c.Text, "handoff": h.Text, "brief": pl.prime(0).Text} {
		if !strings.Contains(text, "clock skew") || strings.Contains(text, "old risk") {
			t.Errorf("%s:\n%s", name, text)
		}
	}
}

func TestRow19RejectedPathsInTheBrief(t *testing.T) {
	pl := newPlace(t, true)
	pl.fact(kedge.FeatureAdded, featureFact(t, 1, kedge.Definition{ID: "login", Name: "Log in", Priority: 1}))
	pl.fact(kedge.DecisionSaved, kedge.DecisionData{Decision: kedge.Decision{
		ID: kedge.DecisionID(kedge.NewID("dec", pl.now)), Status: kedge.DecisionLocked, Title: "JWT", Why: "stateless",
		Rejected: []kedge.Rejected{{What: "cookies", Reason: "the API has no browser"}},
	}})
	pl.fact(kedge.GateFinished, kedge.Evidence{
		ID: kedge.EvidenceID(kedge.NewID("evd", pl.now)), Feature: "login", At: pl.now,
		Verdict: kedge.Verdict{Verdict: kedge.TestFailure, Checks: []kedge.CheckResult{{Name: "unit", FirstFailure: &kedge.Failure{Test: "TestLogin", Message: "401"}}}},
	})
	text := pl.prime(0).Text
	for _, want := range []string{"> - cookies: the API has no browser\n", "> - the attempt at login of 2026-11-15 12:00 UTC: TEST_FAILURE in check unit: TestLogin"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if c := pl.save(service.CheckpointSaveRequest{}); !strings.Contains(c.Text, "- cookies: the API has no browser\n") {
		t.Errorf("checkpoint:\n%s", c.Text)
	}
}

func TestRow67CheckpointRecord(t *testing.T) {
	pl := newPlace(t, true)
	ses := kedge.SessionID(kedge.NewID("ses", pl.now))
	usd := 1.5
	pl.fact(kedge.SessionStarted, kedge.Session{ID: ses, Name: "auth", Agent: "claude", State: kedge.SessionRunning, USD: &usd})
	pl.put("b.txt", "by the agent\n")
	who := pl.who()
	who.Actor = kedge.Agent(ses)
	if _, err := pl.s.CheckpointSave(t.Context(), who, service.CheckpointSaveRequest{Task: "auth", Resume: "half way"}); err != nil {
		t.Fatal(err)
	}
	r, err := pl.s.CheckpointShow(t.Context(), pl.who(), service.CheckpointShowRequest{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"task", "files", "decisions", "budget_spent", "summary", "agent", "session", "timestamp"} {
		if _, ok := got[key]; !ok {
			t.Errorf("no %q in %s", key, b)
		}
	}
	if r.Agent != "claude" || r.Session != ses || r.BudgetSpent.Tokens != nil || r.BudgetSpent.USD == nil || *r.BudgetSpent.USD != usd {
		t.Errorf("reply = %s", b)
	}
	if r.Files[0].ChangedBy != "agent" || r.Resume != "Nothing is ready to start, item none: half way" {
		t.Errorf("files %v, resume %q", r.Files, r.Resume)
	}
}

func TestRow72HandoffSave(t *testing.T) {
	pl := newPlace(t, true)
	pl.put("b.txt", "x\n")
	in := service.HandoffSaveRequest{
		Percent: 60, State: "auth module", Approach: "JWT", Constraints: []string{"v1 stays"},
		RuledOut: []kedge.Rejected{{What: "OAuth2", Reason: "too complex"}}, Next: "refresh tokens", BlockedOn: "expiry policy",
	}
	r, err := pl.s.HandoffSave(t.Context(), pl.who(), in)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Files) != 1 || r.Files[0] != "b.txt" || pl.read(".kedge/handoff.md") != r.Text {
		t.Errorf("handoff = %+v", r)
	}
	if l, err := pl.s.HandoffLint(t.Context(), pl.who(), service.LintRequest{}); err != nil || !l.OK {
		t.Errorf("lint = %+v, %v", l, err)
	}
	shown, err := pl.s.HandoffShow(t.Context(), pl.who(), service.HandoffShowRequest{ID: r.ID})
	if err != nil || shown.Text != r.Text {
		t.Errorf("show = %+v, %v", shown, err)
	}
	if text := pl.prime(0).Text; !strings.Contains(text, "> - State: 60%: auth module\n") || !strings.Contains(text, "> - OAuth2: too complex\n") {
		t.Errorf("brief:\n%s", text)
	}
	long := in
	long.Approach = strings.Repeat("many words ", 400)
	if _, err := pl.s.HandoffSave(t.Context(), pl.who(), long); !kedge.Invalid.Is(err) || !strings.Contains(err.Error(), "600 tokens") {
		t.Errorf("a long handoff: %v", err)
	}
	long = in
	long.State = ""
	if _, err := pl.s.HandoffSave(t.Context(), pl.who(), long); !kedge.Invalid.Is(err) {
		t.Errorf("a handoff without a state: %v", err)
	}
}

func TestShowBeforeAnything(t *testing.T) {
	pl := newPlace(t, true)
	if _, err := pl.s.CheckpointShow(t.Context(), pl.who(), service.CheckpointShowRequest{}); !kedge.NotFound.Is(err) {
		t.Errorf("checkpoint: %v", err)
	}
	if _, err := pl.s.HandoffShow(t.Context(), pl.who(), service.HandoffShowRequest{ID: "ckp-x"}); !kedge.NotFound.Is(err) {
		t.Errorf("handoff: %v", err)
	}
	if _, err := pl.s.CheckpointLint(t.Context(), pl.who(), service.LintRequest{}); !kedge.NotFound.Is(err) {
		t.Errorf("lint: %v", err)
	}
}

func TestReadingNeedsNoDaemon(t *testing.T) {
	pl := newPlace(t, true)
	pl.save(service.CheckpointSaveRequest{})
	if err := pl.s.Close(); err != nil {
		t.Fatal(err)
	}
	ro := service.New(service.Config{Home: pl.home, ReadOnly: true})
	defer func() { _ = ro.Close() }()
	who, ctx := pl.who(), context.Background()
	st, err := ro.Status(ctx, who, service.StatusRequest{})
	if err != nil || st.Daemon != nil || st.Checkpoint == nil {
		t.Errorf("status = %+v, %v", st, err)
	}
	if _, err := ro.Prime(ctx, who, service.PrimeRequest{}); err != nil {
		t.Errorf("prime: %v", err)
	}
	if _, err := ro.CheckpointShow(ctx, who, service.CheckpointShowRequest{}); err != nil {
		t.Errorf("show: %v", err)
	}
	if _, err := ro.CheckpointSave(ctx, who, service.CheckpointSaveRequest{}); !kedge.Conflict.Is(err) {
		t.Errorf("save: %v", err)
	}
}
