package server_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"kedge/internal/app/planning"

	"kedge"
	"kedge/internal/app/attend"
	"kedge/internal/app/features"
	"kedge/internal/app/maintenance"
	"kedge/internal/app/memory"
	"kedge/internal/app/reports"
	"kedge/internal/app/sessions"
	"kedge/internal/app/setup"
	"kedge/internal/app/status"
	"kedge/internal/app/verify"
	"kedge/internal/git"
	"kedge/internal/server"
)

// TestEveryCallHasAGolden walks through all calls, and compares each answer with
// testdata/answers/NAME.json: what scripts, the command line and other programs
// rely on. A call that the story does not tell by hand is made with a usual request;
// one that understands none of these fails it, and so does a golden that no call gives
// any more. internal/cli holds that --json prints these answers.
func TestEveryCallHasAGolden(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("what is known of processes, and so some answers, differ here")
	}
	st := newStory(t)
	st.setUp()
	st.memory()
	st.features()
	st.gate()
	st.hooks()
	st.plan()
	st.place()
	st.sessions()
	st.others()
	st.gitWork()
	st.care()
	st.runs()
	st.questions()
	st.asksPeople()
	st.look()
	for _, c := range server.Calls() {
		if !st.told[c.Name] {
			t.Errorf("call %q has no golden of its answer: tell of it in answers_test.go", c.Name)
		}
	}
	entries, err := os.ReadDir(filepath.Join("testdata", "answers"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !st.files[e.Name()] {
			t.Errorf("testdata/answers/%s is of no call", e.Name())
		}
	}
}

func (st *story) setUp() {
	st.put("go.mod", "module shop\n\ngo 1.26\n")
	red := setup.Trial{Name: "build", Command: "go build ./...", State: setup.TrialRed, Seconds: 1.5, Why: "a.go:1: no", Left: true}
	green := setup.Trial{Name: "test", Command: "go test ./...", State: setup.TrialGreen, Seconds: 2}
	st.tell("init.plan", setup.InitRequest{Trials: []setup.Trial{green, red}})
	st.tell("init", setup.InitRequest{Trials: []setup.Trial{green}})
	st.tell("init.try", setup.InitTryRequest{})
}

// hooks asks what agents ask.
func (st *story) hooks() {
	st.tell("hook.brief", attend.HookBriefRequest{Event: kedge.HookCompact})
	st.tell("hook.take", attend.HookTakeRequest{})
}

// look has a transcript of every figure.
func (st *story) look() {
	b, err := os.ReadFile(filepath.Join("..", "insight", "transcript", "testdata", "claude.jsonl"))
	if err != nil {
		st.t.Fatal(err)
	}
	path := filepath.Join(st.home, "transcript.jsonl")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		st.t.Fatal(err)
	}
	st.tell("audit", reports.AuditRequest{What: []string{path}})
	st.tell("brief", reports.BriefRequest{What: path})
	home := filepath.Join(st.home, "agents")
	kept := filepath.Join(home, ".claude", "projects", "-home-u-shop")
	if err := os.MkdirAll(kept, 0o700); err != nil {
		st.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(kept, "5e551011.jsonl"), b, 0o600); err != nil {
		st.t.Fatal(err)
	}
	env := map[string]string{"HOME": home}
	st.tell("history", reports.HistoryRequest{Words: "fix", Limit: 3, Env: env})
	st.tell("conversation", reports.ConversationRequest{What: "5e551011", Env: env})
	st.tell("hook.stop", attend.HookStopRequest{Agent: "claude", Native: "c0ffee"}) // the project is gone: nothing to say
}

func (st *story) memory() {
	first := st.tell("decision.add", memory.DecisionAddRequest{
		Title: "Strict", Why: "typos are rare", Rejected: []kedge.Rejected{{What: "fuzzy", Reason: "slow"}}, AppliesTo: []string{"cmd/**"},
	})
	id := kedge.DecisionID(first.at("decision", "id"))
	second := st.do("decision.add", memory.DecisionAddRequest{
		Title: "Fuzzy", Why: "users mistype", Supersedes: id, Reason: "it is fast now", Reversibility: "one-way",
	})
	st.tell("decision.show", memory.DecisionShowRequest{ID: id})
	st.tell("decision.list", memory.DecisionListRequest{All: true})
	st.tell("decision.withdraw", memory.DecisionWithdrawRequest{ID: kedge.DecisionID(second.at("decision", "id")), Reason: "a typo"})
	risk := st.tell("risk.add", memory.RiskAddRequest{Text: "no load test"})
	st.tell("risk.close", memory.RiskCloseRequest{ID: kedge.RiskID(risk.at("risk", "id")), Reason: "measured"})
	st.do("risk.add", memory.RiskAddRequest{Text: "clock skew"})
	st.tell("risk.list", memory.RiskListRequest{All: true})
	note := st.tell("note.add", memory.NoteAddRequest{
		Text: "Fuzzy matching is in a.txt", Files: []string{"a.txt"}, Commits: []string{st.git("rev-parse", "HEAD")}, Tags: []string{"match"},
	})
	st.tell("note.show", memory.NoteShowRequest{ID: kedge.NoteID(note.at("note", "id"))})
	st.tell("note.list", memory.NotesRequest{})
	st.tell("note.lint", memory.NotesLintRequest{})
	st.tell("recall", memory.RecallRequest{Query: "fuzzy matching"})
	st.put(".kedge/rules.md", "# 1. Constraints\n- Keep the API.\n")
	st.tell("rules.lint", memory.RulesLintRequest{})
	st.tell("rules.show", memory.RulesShowRequest{})
}

func (st *story) features() {
	list := `[{"category": "functional", "description": "Log in", "steps": ["open the page"], "passes": true},
		{"category": "functional", "description": "Log out", "steps": [], "passes": false}]`
	st.tell("features.import", features.ImportRequest{File: "feature_list.json", Text: list})
	d := kedge.Definition{
		ID: "orders", Name: "Orders", Phase: "p2", Category: "functional", Priority: 1, Description: "One per user", Acceptance: []string{"POST gives 201"},
		Steps: []string{"post one"}, Paths: []string{"src/**"}, Checks: []kedge.Check{{Name: "unit", Run: "test -e src/orders", Timeout: "5m"}},
		Budget: kedge.Budget{Attempts: 1},
	}
	st.tell("feature.add", features.FeatureAddRequest{Definition: d})
	d.ID, d.Name, d.Priority, d.Dependencies = "refunds", "Refunds", 2, []kedge.FeatureID{"orders"}
	st.do("feature.add", features.FeatureAddRequest{Definition: d})
	d.Description, d.Checks = "Of whole orders only", nil
	st.tell("feature.amend", features.FeatureAmendRequest{Definition: d, Reason: "asked for less"})
	st.tell("feature.block", features.FeatureStatusRequest{ID: "refunds", Reason: "the bank"})
	st.tell("feature.reopen", features.FeatureStatusRequest{ID: "refunds", Reason: "it answered"})
	st.tell("feature.show", features.FeatureShowRequest{ID: "refunds"})
	st.tell("ready", features.ReadyRequest{})
	st.tell("next", features.NextRequest{})
	st.tell("features", features.ListRequest{})
	st.tell("features.export", features.ExportRequest{Format: "anthropic"})
}

// gate has a red verdict, whose shape has everything, and completes a feature.
func (st *story) gate() {
	st.put(".kedge/gate.toml", "version = 1\n[[check]]\nname = 'unit'\nrun = 'echo \"a.txt:1: it is not two\"; grep -q two a.txt'\n"+
		"[[check]]\nname = 'pages'\nkind = 'build'\nrun = 'true'\npaths = ['pages/**']\n")
	st.git("add", "-A")
	st.git("commit", "-q", "-m", "the gate")
	st.put("a.txt", "one\n2\n")
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")}
	st.tell("gate", verify.GateRequest{Env: env})
	st.put("a.txt", "two\n")
	st.put("src/orders", "")
	st.tell("feature.submit", verify.FeatureSubmitRequest{ID: "orders", Env: env})
	st.tell("feature.accept", features.FeatureStatusRequest{ID: "orders", Reason: "they belong to it"})
	st.tell("feature.skip", features.FeatureStatusRequest{ID: "log-out", Reason: "not needed"})
}

func (st *story) plan() {
	st.do("plan.new", planning.PlanNewRequest{Title: "Another"})
	st.tell("plan.drop", planning.PlanDropRequest{Reason: "another time"})
	st.tell("plan.new", planning.PlanNewRequest{Title: "Strict matching"})
	b, err := os.ReadFile("../core/plan/testdata/plan.md")
	if err != nil {
		st.t.Fatal(err)
	}
	st.put(".kedge/plan.md", strings.Replace(string(b), "- [x]", "- [ ]", 1))
	tools := st.t.TempDir()
	st.tell("plan.check", planning.PlanCheckRequest{Path: tools})
	if err := os.WriteFile(filepath.Join(tools, "go"), []byte("#!/bin/sh\n"), 0o700); err != nil { //nolint:gosec // it stands for a program
		st.t.Fatal(err)
	}
	st.tell("plan.show", planning.PlanShowRequest{})
	st.tell("plan.approve", planning.PlanApproveRequest{Path: tools})
	st.tell("plan.diff", planning.PlanDiffRequest{Phase: "1"})
	frozen, err := os.ReadFile(filepath.Join(st.dir, ".kedge/plan.md"))
	if err != nil {
		st.t.Fatal(err)
	}
	amended := strings.Replace(string(frozen), "## Validation\n", "## Validation\n\n- `go version`\n", 1)
	st.tell("plan.amend", planning.PlanAmendRequest{Path: tools, Text: amended, Reason: "one command more"})
}

func (st *story) place() {
	st.tell("checkpoint.save", status.CheckpointSaveRequest{Files: []string{"a.txt"}})
	st.tell("handoff.save", status.HandoffSaveRequest{
		Percent: 60, State: "auth", Approach: "JWT", Constraints: []string{"v1 stays"}, RuledOut: []kedge.Rejected{{What: "cookies", Reason: "no browser"}},
	})
	st.tell("handoff.show", status.HandoffShowRequest{})
	st.put("a.txt", "one\ntwo\n")
	st.tell("checkpoint.show", status.CheckpointShowRequest{})
	st.tell("checkpoint.lint", status.LintRequest{})
	st.tell("prime", status.PrimeRequest{})
	st.put(".kedge/handoff.md", "mine\n")
	st.tell("handoff.lint", status.LintRequest{})
	st.git("checkout", "-q", "--", ".")
}

func (st *story) sessions() {
	env := []string{"PATH=" + os.Getenv("PATH")}
	st.tell("session.new", sessions.SessionNew{
		Name: "work", Dir: st.dir, Command: []string{"sh", "-c", "echo the first line; exec cat"}, Env: env, Cols: 80, Rows: 24,
	})
	find := sessions.SessionSearch{Query: "first", Limit: 10}
	var hits answer
	st.until("it has printed", func() bool {
		hits = st.do("session.search", find)
		return strings.Contains(string(hits.raw), "the first line")
	})
	st.golden("session.search", hits.without("at"))
	st.tell("session.send", sessions.SessionSend{Name: "work", Text: "hello", Enter: true})
	st.tell("session.rename", sessions.SessionRename{Name: "work", New: "job"})
	st.tell("session.find", sessions.SessionName{Name: "job"})
	st.tell("session.attach", sessions.SessionName{Name: "job"})
	st.tell("session.away", sessions.SessionAway{Name: "job"})
	st.tell("status", status.Request{})
	st.tell("session.kill", sessions.SessionKill{Name: "job", GraceMS: int(patience.Milliseconds())})
	st.tell("session.list", sessions.SessionList{})
	st.golden("cost", st.do("cost", reports.CostRequest{By: "agent"}).without("estimated_tokens"))                                   // how much it printed is the terminal's
	st.golden("stats", st.do("stats", reports.StatsRequest{By: "agent"}).set("productive_minutes", "1").without("estimated_tokens")) // its minutes are the machine's, too
	st.tell("session.resume", sessions.SessionResume{Name: "job", Env: env, Cols: 80, Rows: 24})
	st.golden("session.fresh", st.do("session.fresh", sessions.SessionFresh{Name: "job", GraceMS: int(patience.Milliseconds()), Env: env, Cols: 80, Rows: 24}))
	st.do("session.kill", sessions.SessionKill{Name: "job", GraceMS: int(patience.Milliseconds())})
}

// usual are requests for calls that need no story of their own: about everything, about
// the session and about a feature that the story has.
var usual = []string{`{}`, `{"name":"job"}`, `{"id":"refunds"}`}

// others makes the calls of the table that the story does not name, each with the first
// usual request that it understands.
func (st *story) others() {
	st.t.Helper()
	named := st.namedCalls()
	for _, c := range server.Calls() {
		if named[c.Name] {
			continue
		}
		for _, in := range usual {
			if a, err := st.try(c.Name, json.RawMessage(in)); err == nil {
				st.golden(c.Name, a)
				break
			}
		}
	}
}

// namedCalls are the calls that the tests of this package tell by hand.
func (st *story) namedCalls() map[string]bool {
	st.t.Helper()
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		st.t.Fatal(err)
	}
	tells := regexp.MustCompile(`\.(?:tell|golden)\("([a-z.]+)"`)
	out := map[string]bool{}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			st.t.Fatal(err)
		}
		for _, m := range tells.FindAllSubmatch(b, -1) {
			out[string(m[1])] = true
		}
	}
	return out
}

func (st *story) gitWork() {
	st.git("add", "-A")
	st.git("commit", "-q", "-m", "all of it")
	st.put("a.txt", "set aside\n")
	id := st.setAside(st.now().Add(-40 * 24 * time.Hour))
	st.tell("salvage.list", maintenance.SalvageListRequest{})
	st.tell("salvage.restore", maintenance.SalvageRestoreRequest{ID: id})
	st.tell("salvage.old", maintenance.SalvageGCRequest{OlderThan: "30d"})
	st.tell("salvage.gc", maintenance.SalvageGCRequest{OlderThan: "30d"})
	st.addWorktree("one")
	st.tell("worktree.list", maintenance.WorktreeListRequest{})
	st.tell("worktree.old", maintenance.WorktreeGCRequest{})
	st.tell("worktree.gc", maintenance.WorktreeGCRequest{})
	st.git("config", "filter.shout.clean", "tr a-z A-Z")
	st.put(".claude/settings.json", `{"env":{"NODE_OPTIONS":"--require ./x"},"hooks":{"Stop":[{"hooks":[{"type":"command","command":"make"}]}]}}`)
	st.git("add", ".claude")
	st.git("commit", "-q", "-m", "settings of an agent", ".claude")
	filters := st.tell("filter.list", maintenance.FilterListRequest{})
	st.tell("filter.approve", maintenance.FilterApproveRequest{Name: "shout", Hash: filters.at("filters", 0, "hash")})
	st.tell("trust.approve", maintenance.TrustApproveRequest{Hash: filters.at("hash")})
}

func (st *story) care() {
	st.put(".kedge/features.json", "{}\n")
	st.tell("doctor", maintenance.DoctorRequest{})
	st.tell("rebuild", maintenance.RebuildRequest{})
	backup := st.tell("backup", maintenance.BackupRequest{})
	st.tell("restore", maintenance.RestoreRequest{From: backup.at("path")})
	st.tell("operator.add", sessions.OperatorRequest{Name: "desk"})
	st.tell("operator.list", sessions.OperatorListRequest{})
	st.tell("operator.remove", sessions.OperatorRequest{Name: "desk"})
	list := st.tell("project.list", maintenance.ProjectListRequest{})
	st.tell("init.remove", setup.InitRemoveRequest{})
	st.pass(400 * 24 * time.Hour)
	st.tell("session.retain", sessions.SessionRetain{})
	st.tell("project.remove", maintenance.ProjectRemoveRequest{Project: list.at("projects", 0, "id")})
}

// setAside salvages the changes as a run would, and resets them.
func (st *story) setAside(at time.Time) kedge.SalvageID {
	st.t.Helper()
	ctx := st.t.Context()
	repo := st.repo()
	id := kedge.SalvageID(kedge.NewID("sal", at))
	v, err := repo.Salvage(ctx, git.SalvageRequest{ID: id, Reason: "gate was red", Attic: filepath.Join(st.home, "attic", "x"), Date: at})
	if err != nil {
		st.t.Fatal(err)
	}
	if err := repo.ResetWorktree(ctx, git.ResetRequest{To: v.Base, Head: v.Base, Expect: v.Tree}); err != nil {
		st.t.Fatal(err)
	}
	return id
}

// addWorktree makes a worktree as a run would.
func (st *story) addWorktree(name string) {
	st.t.Helper()
	home, err := filepath.EvalSymlinks(st.home) // git lists worktrees without links
	if err != nil {
		st.t.Fatal(err)
	}
	in := git.WorktreeRequest{Path: filepath.Join(home, "worktrees", name), Branch: name, Base: "main"}
	if err := st.repo().AddWorktree(st.t.Context(), in); err != nil {
		st.t.Fatal(err)
	}
}

func (st *story) repo() *git.Repo {
	st.t.Helper()
	repo, err := git.Open(st.t.Context(), st.dir, git.Options{})
	if err != nil {
		st.t.Fatal(err)
	}
	return repo
}
