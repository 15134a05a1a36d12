package server_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"kedge"
	"kedge/internal/app"
	"kedge/internal/git"
	"kedge/internal/server"
)

// TestEveryCallHasAGolden walks through all calls, and compares each answer with
// testdata/answers/NAME.json: what scripts, the command line and other programs
// rely on. A call that is not told of here fails it, and so does a golden that
// no call gives any more. internal/cli holds that --json prints these answers.
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
	st.tell("init.plan", app.InitRequest{})
	st.tell("init", app.InitRequest{})
}

// hooks asks what agents ask.
func (st *story) hooks() {
	st.tell("hook.brief", app.HookBriefRequest{Event: kedge.HookCompact})
	st.tell("hook.take", app.HookTakeRequest{})
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
	st.tell("audit", app.AuditRequest{What: []string{path}})
	st.tell("brief", app.BriefRequest{What: path})
	st.tell("hook.stop", app.HookStopRequest{Agent: "claude", Native: "c0ffee"}) // the project is gone: nothing to say
}

func (st *story) memory() {
	first := st.tell("decision.add", app.DecisionAddRequest{
		Title: "Strict", Why: "typos are rare", Rejected: []kedge.Rejected{{What: "fuzzy", Reason: "slow"}}, AppliesTo: []string{"cmd/**"},
	})
	id := kedge.DecisionID(first.at("decision", "id"))
	second := st.do("decision.add", app.DecisionAddRequest{
		Title: "Fuzzy", Why: "users mistype", Supersedes: id, Reason: "it is fast now", Reversibility: "one-way",
	})
	st.tell("decision.show", app.DecisionShowRequest{ID: id})
	st.tell("decision.list", app.DecisionListRequest{All: true})
	st.tell("decision.withdraw", app.DecisionWithdrawRequest{ID: kedge.DecisionID(second.at("decision", "id")), Reason: "a typo"})
	risk := st.tell("risk.add", app.RiskAddRequest{Text: "no load test"})
	st.tell("risk.close", app.RiskCloseRequest{ID: kedge.RiskID(risk.at("risk", "id")), Reason: "measured"})
	st.do("risk.add", app.RiskAddRequest{Text: "clock skew"})
	st.tell("risk.list", app.RiskListRequest{All: true})
	note := st.tell("note.add", app.NoteAddRequest{
		Text: "Fuzzy matching is in a.txt", Files: []string{"a.txt"}, Commits: []string{st.git("rev-parse", "HEAD")}, Tags: []string{"match"},
	})
	st.tell("note.show", app.NoteShowRequest{ID: kedge.NoteID(note.at("note", "id"))})
	st.tell("note.list", app.NotesRequest{})
	st.tell("note.lint", app.NotesLintRequest{})
	st.tell("recall", app.RecallRequest{Query: "fuzzy matching"})
	st.put(".kedge/rules.md", "# 1. Constraints\n- Keep the API.\n")
	st.tell("rules.lint", app.RulesLintRequest{})
	st.tell("rules.show", app.RulesShowRequest{})
}

func (st *story) features() {
	list := `[{"category": "functional", "description": "Log in", "steps": ["open the page"], "passes": true},
		{"category": "functional", "description": "Log out", "steps": [], "passes": false}]`
	st.tell("features.import", app.FeaturesImportRequest{File: "feature_list.json", Text: list})
	d := kedge.Definition{
		ID: "orders", Name: "Orders", Phase: "p2", Category: "functional", Priority: 1, Description: "One per user", Acceptance: []string{"POST gives 201"},
		Steps: []string{"post one"}, Paths: []string{"src/**"}, Checks: []kedge.Check{{Name: "unit", Run: "test -e src/orders", Timeout: "5m"}},
		Budget: kedge.Budget{Attempts: 1},
	}
	st.tell("feature.add", app.FeatureAddRequest{Definition: d})
	d.ID, d.Name, d.Priority, d.Dependencies = "refunds", "Refunds", 2, []kedge.FeatureID{"orders"}
	st.do("feature.add", app.FeatureAddRequest{Definition: d})
	d.Description, d.Checks = "Of whole orders only", nil
	st.tell("feature.amend", app.FeatureAmendRequest{Definition: d, Reason: "asked for less"})
	st.tell("feature.block", app.FeatureStatusRequest{ID: "refunds", Reason: "the bank"})
	st.tell("feature.reopen", app.FeatureStatusRequest{ID: "refunds", Reason: "it answered"})
	st.tell("feature.show", app.FeatureShowRequest{ID: "refunds"})
	st.tell("ready", app.ReadyRequest{})
	st.tell("next", app.NextRequest{})
	st.tell("features", app.FeaturesRequest{})
	st.tell("features.export", app.FeaturesExportRequest{Format: "anthropic"})
}

// gate has a red verdict, whose shape has everything, and completes a feature.
func (st *story) gate() {
	st.put(".kedge/gate.toml", "version = 1\n[[check]]\nname = 'unit'\nrun = 'echo \"a.txt:1: it is not two\"; grep -q two a.txt'\n"+
		"[[check]]\nname = 'pages'\nkind = 'build'\nrun = 'true'\npaths = ['pages/**']\n")
	st.git("add", "-A")
	st.git("commit", "-q", "-m", "the gate")
	st.put("a.txt", "one\n2\n")
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")}
	st.tell("gate", app.GateRequest{Env: env})
	st.put("a.txt", "two\n")
	st.put("src/orders", "")
	st.tell("feature.submit", app.FeatureSubmitRequest{ID: "orders", Env: env})
	st.tell("feature.accept", app.FeatureStatusRequest{ID: "orders", Reason: "they belong to it"})
	st.tell("feature.skip", app.FeatureStatusRequest{ID: "log-out", Reason: "not needed"})
}

func (st *story) plan() {
	st.do("plan.new", app.PlanNewRequest{Title: "Another"})
	st.tell("plan.drop", app.PlanDropRequest{Reason: "another time"})
	st.tell("plan.new", app.PlanNewRequest{Title: "Strict matching"})
	b, err := os.ReadFile("../core/plan/testdata/plan.md")
	if err != nil {
		st.t.Fatal(err)
	}
	st.put(".kedge/plan.md", strings.Replace(string(b), "- [x]", "- [ ]", 1))
	tools := st.t.TempDir()
	st.tell("plan.check", app.PlanCheckRequest{Path: tools})
	if err := os.WriteFile(filepath.Join(tools, "go"), []byte("#!/bin/sh\n"), 0o700); err != nil { //nolint:gosec // it stands for a program
		st.t.Fatal(err)
	}
	st.tell("plan.show", app.PlanShowRequest{})
	st.tell("plan.approve", app.PlanApproveRequest{Path: tools})
}

func (st *story) place() {
	st.tell("checkpoint.save", app.CheckpointSaveRequest{Files: []string{"a.txt"}})
	st.tell("handoff.save", app.HandoffSaveRequest{
		Percent: 60, State: "auth", Approach: "JWT", Constraints: []string{"v1 stays"}, RuledOut: []kedge.Rejected{{What: "cookies", Reason: "no browser"}},
	})
	st.tell("handoff.show", app.HandoffShowRequest{})
	st.put("a.txt", "one\ntwo\n")
	st.tell("checkpoint.show", app.CheckpointShowRequest{})
	st.tell("checkpoint.lint", app.LintRequest{})
	st.tell("prime", app.PrimeRequest{})
	st.put(".kedge/handoff.md", "mine\n")
	st.tell("handoff.lint", app.LintRequest{})
	st.git("checkout", "-q", "--", ".")
}

func (st *story) sessions() {
	env := []string{"PATH=" + os.Getenv("PATH")}
	st.tell("session.new", app.SessionNew{
		Name: "work", Dir: st.dir, Command: []string{"sh", "-c", "echo the first line; exec cat"}, Env: env, Cols: 80, Rows: 24,
	})
	find := app.SessionSearch{Query: "first", Limit: 10}
	var hits answer
	st.until("it has printed", func() bool {
		hits = st.do("session.search", find)
		return strings.Contains(string(hits.raw), "the first line")
	})
	st.golden("session.search", hits.without("at"))
	st.tell("session.send", app.SessionSend{Name: "work", Text: "hello", Enter: true})
	st.tell("session.rename", app.SessionRename{Name: "work", New: "job"})
	st.tell("session.find", app.SessionName{Name: "job"})
	st.tell("session.attach", app.SessionName{Name: "job"})
	st.tell("status", app.StatusRequest{})
	st.tell("session.kill", app.SessionKill{Name: "job", GraceMS: int(patience.Milliseconds())})
	st.tell("session.list", app.SessionList{})
	st.golden("cost", st.do("cost", app.CostRequest{By: "agent"}).without("estimated_tokens"))                                   // how much it printed is the terminal's
	st.golden("stats", st.do("stats", app.StatsRequest{By: "agent"}).set("productive_minutes", "1").without("estimated_tokens")) // its minutes are the machine's, too
	st.tell("session.resume", app.SessionResume{Name: "job", Env: env, Cols: 80, Rows: 24})
	st.do("session.kill", app.SessionKill{Name: "job", GraceMS: int(patience.Milliseconds())})
}

func (st *story) gitWork() {
	st.git("add", "-A")
	st.git("commit", "-q", "-m", "all of it")
	st.put("a.txt", "set aside\n")
	id := st.setAside(st.now().Add(-40 * 24 * time.Hour))
	st.tell("salvage.list", app.SalvageListRequest{})
	st.tell("salvage.restore", app.SalvageRestoreRequest{ID: id})
	st.tell("salvage.old", app.SalvageGCRequest{OlderThan: "30d"})
	st.tell("salvage.gc", app.SalvageGCRequest{OlderThan: "30d"})
	st.addWorktree("one")
	st.tell("worktree.list", app.WorktreeListRequest{})
	st.tell("worktree.old", app.WorktreeGCRequest{})
	st.tell("worktree.gc", app.WorktreeGCRequest{})
	st.git("config", "filter.shout.clean", "tr a-z A-Z")
	st.put(".claude/settings.json", `{"env":{"NODE_OPTIONS":"--require ./x"},"hooks":{"Stop":[{"hooks":[{"type":"command","command":"make"}]}]}}`)
	st.git("add", ".claude")
	st.git("commit", "-q", "-m", "settings of an agent", ".claude")
	filters := st.tell("filter.list", app.FilterListRequest{})
	st.tell("filter.approve", app.FilterApproveRequest{Name: "shout", Hash: filters.at("filters", 0, "hash")})
	st.tell("trust.approve", app.TrustApproveRequest{Hash: filters.at("hash")})
}

func (st *story) care() {
	st.put(".kedge/features.json", "{}\n")
	st.tell("doctor", app.DoctorRequest{})
	st.tell("rebuild", app.RebuildRequest{})
	st.tell("backup", app.BackupRequest{})
	list := st.tell("project.list", app.ProjectListRequest{})
	st.tell("init.remove", app.InitRemoveRequest{})
	st.pass(400 * 24 * time.Hour)
	st.tell("session.retain", app.SessionRetain{})
	st.tell("project.remove", app.ProjectRemoveRequest{Project: list.at("projects", 0, "id")})
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
