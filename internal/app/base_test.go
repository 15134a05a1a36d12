package app_test

import (
	"slices"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/app/features"
	"kedge/internal/app/projects"
	"kedge/internal/app/verify"
	"kedge/internal/journal"
)

const (
	strictGate = "version = 1\n[[check]]\nname = 'unit'\nrun = 'test ! -e broken'\n"
	looseGate  = "version = 1\n[[check]]\nname = 'unit'\nrun = 'true'\n"
	goodTest   = "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {\n\tif 1 != 2 {\n\t\tt.Fatal(\"no\")\n\t}\n}\n"
	skipTest   = "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {\n\tt.Skip(\"later\")\n}\n"
)

// levels lists findings as "level where".
func levels(v kedge.Verdict) []string {
	var out []string
	for _, f := range v.Findings {
		where, _, _ := strings.Cut(f.Where, ":")
		out = append(out, string(f.Level)+" "+where)
	}
	return out
}

func (y *yard) gate(who projects.Caller) verify.GateReply {
	y.t.Helper()
	r, err := y.s.Gate(y.t.Context(), who, verify.GateRequest{Env: y.env()})
	if err != nil {
		y.t.Fatal(err)
	}
	return r
}

func (y *yard) commit(what string) {
	y.t.Helper()
	y.git("add", "-A")
	y.git("commit", "-q", "--allow-empty", "-m", what)
}

// anchored is a project whose gate a person saw green.
func anchored(t *testing.T) *yard {
	t.Helper()
	y := newYard(t, true)
	y.put(".kedge/gate.toml", strictGate)
	y.put("a_test.go", goodTest)
	y.commit("the gate")
	if r := y.gate(y.person()); !r.Green() || r.Partial {
		t.Fatalf("%+v", r)
	}
	return y
}

func TestT17CommittedGateIsStillTheOldOne(t *testing.T) {
	y := anchored(t)
	y.add("a", check("true"))
	y.put("broken", "")
	y.put(".kedge/gate.toml", looseGate)
	y.commit("an easier gate")
	r := y.gate(y.agent())
	if r.Green() || r.Checks[0].Command != "test ! -e broken" || !slices.Contains(levels(r.Verdict), "error .kedge/gate.toml") {
		t.Errorf("gate: %+v", r.Verdict)
	}
	s := y.submit(y.agent(), "a")
	if s.Verdict.Green() || s.Feature.Status != kedge.Pending || s.Verdict.Checks[0].Command != "test ! -e broken" {
		t.Errorf("submit: %+v", s)
	}
	y.put("broken2", "")
	y.commit("and another commit")
	if s := y.submit(y.agent(), "a"); s.Verdict.Green() {
		t.Errorf("one commit later: %+v", s)
	}
}

func TestT17CommittedSkipIsStillFound(t *testing.T) {
	y := anchored(t)
	y.add("a", check("true"))
	y.put("a_test.go", skipTest)
	y.commit("later")
	if r := y.gate(y.agent()); r.Green() || !slices.Contains(levels(r.Verdict), "error a_test.go") {
		t.Errorf("gate: %+v", r.Verdict)
	}
	for name, who := range map[string]projects.Caller{"an agent's": y.agent(), "a person's": y.person()} {
		s := y.submit(who, "a")
		if s.Feature.Status != kedge.NeedsReview || !slices.Contains(levels(*s.Verdict), "warning a_test.go") {
			t.Errorf("%s submit: %s, %+v", name, s.Feature.Status, s.Verdict)
		}
	}
	if r := y.gate(y.person()); !r.Green() {
		t.Errorf("a person's gate is since HEAD: %+v", r)
	}
	if s := y.submit(y.agent(), "a"); !s.Verdict.Green() || s.Feature.Status != kedge.Completed {
		t.Errorf("after a person looked: %+v", s)
	}
}

func TestT17ConfigThatIsNewProtectsNoLess(t *testing.T) {
	y := anchored(t)
	y.put(".kedge/config.toml", "version = 1\n[protect]\npaths = []\n")
	y.put(".kedge/gate.toml", looseGate)
	y.commit("nothing is protected")
	r := y.gate(y.agent())
	if r.Green() || !slices.Contains(levels(r.Verdict), "error .kedge/gate.toml") {
		t.Errorf("%+v", r.Verdict)
	}
}

// An agent cannot bring a user's settings of its own.
func TestT17AgentsEnvironmentProtectsNoLess(t *testing.T) {
	y := anchored(t)
	y.put("home/kedge/config.toml", "version = 1\n[protect]\npaths = []\n")
	y.put(".kedge/gate.toml", looseGate)
	y.commit("nothing is protected")
	in := verify.GateRequest{Env: append(y.env(), "XDG_CONFIG_HOME="+y.dir+"/home")}
	if r, err := y.s.Gate(t.Context(), y.agent(), in); err != nil || r.Green() {
		t.Errorf("%+v, %v", r.Verdict, err)
	}
	y.put(".kedge/gate.toml", strictGate)
	if r, err := y.s.Gate(t.Context(), y.person(), in); err != nil || len(r.Findings) > 0 {
		t.Errorf("a person's own settings count: %+v, %v", r.Verdict, err)
	}
}

func TestT17TheBaseBeforeAnyVerdictIsInit(t *testing.T) {
	y := newYard(t, true)
	y.put(".kedge/gate.toml", strictGate)
	y.commit("set up")
	y.fact(kedge.InitFinished, kedge.InitData{Commit: y.git("rev-parse", "HEAD")})
	y.put(".kedge/gate.toml", looseGate)
	y.put("broken", "")
	y.commit("easier")
	if r := y.gate(y.agent()); r.Green() || r.Checks[0].Command != "test ! -e broken" {
		t.Errorf("%+v", r.Verdict)
	}
	// an agent's own verdict moves nothing
	y.put(".kedge/gate.toml", strictGate)
	y.git("rm", "-q", "broken")
	y.commit("as it was")
	if r := y.gate(y.agent()); !r.Green() {
		t.Errorf("%+v", r.Verdict)
	}
	for _, ev := range journaled[kedge.Evidence](y, journal.KindEvidence) {
		if ev.Anchor || ev.By != kedge.Agent("ses-1") {
			t.Errorf("%+v", ev)
		}
	}
}

func TestT17CompletingMovesTheBase(t *testing.T) {
	y := anchored(t)
	y.add("a", check("test -e b_test.go"))
	y.put("b_test.go", strings.ReplaceAll(goodTest, "TestA", "TestB"))
	y.commit("the work")
	if s := y.submit(y.agent(), "a"); s.Feature.Status != kedge.Completed || strings.Join(s.Feature.Files, " ") != "b_test.go" {
		t.Fatalf("%+v", s)
	}
	y.put("b_test.go", strings.ReplaceAll(skipTest, "TestA", "TestB"))
	y.commit("later")
	if r := y.gate(y.agent()); r.Green() || !slices.Contains(levels(r.Verdict), "error b_test.go") {
		t.Errorf("a test that came with the feature: %+v", r.Verdict)
	}
}

// A test that is newer than the base counts from when a person had it judged.
func TestT17TestsAreHeldByARedVerdictToo(t *testing.T) {
	y := anchored(t)
	y.put("b_test.go", strings.ReplaceAll(goodTest, "TestA", "TestB"))
	y.put("broken", "")
	y.commit("a test for what is to come")
	if r := y.gate(y.person()); r.Green() {
		t.Fatalf("%+v", r)
	}
	y.put("b_test.go", strings.ReplaceAll(skipTest, "TestA", "TestB"))
	y.git("rm", "-q", "broken")
	y.commit("done")
	if r := y.gate(y.agent()); r.Green() || !slices.Contains(levels(r.Verdict), "error b_test.go") {
		t.Errorf("%+v", r.Verdict)
	}
}

func TestT17BaseThatIsGone(t *testing.T) {
	y := newYard(t, true)
	y.put(".kedge/gate.toml", strictGate)
	y.commit("the gate")
	y.put("uncommitted", "1")
	if r := y.gate(y.person()); !r.Green() {
		t.Fatalf("%+v", r)
	}
	if y.git("rev-parse", "refs/kedge/anchor^{tree}") == y.git("rev-parse", "HEAD^{tree}") {
		t.Fatal("the anchored tree is not the worktree's")
	}
	y.git("update-ref", "-d", "refs/kedge/anchor")
	y.put("uncommitted", "2")
	y.git("gc", "-q", "--prune=now")
	r := y.gate(y.agent())
	if !r.Green() || len(r.Findings) != 1 || r.Findings[0].Level != kedge.LevelWarning || !strings.Contains(r.Findings[0].What, "no longer has the files") {
		t.Errorf("%+v", r.Verdict)
	}
}

func TestRow28FilesOutsideThePathsWaitForAPerson(t *testing.T) {
	y := anchored(t)
	within := func(d *kedge.Definition) { d.Paths = []string{"src/**"} }
	y.add("a", check("test -e src/a"), within)
	y.put("src/a", "")
	y.put("other/b", "")
	y.commit("more than was asked for")
	y.put("c.txt", "not committed either")
	s := y.submit(y.agent(), "a")
	if !s.Verdict.Green() || s.Feature.Status != kedge.NeedsReview || !strings.HasPrefix(s.Reason, "files outside its paths were changed: c.txt, other/b; it may change src/** (.kedge/features.json:") {
		t.Errorf("%+v", s)
	}
	got, err := y.s.FeatureAccept(t.Context(), y.person(), features.FeatureStatusRequest{ID: "a", Reason: "they belong to it"})
	if err != nil || got.Feature.Status != kedge.Completed {
		t.Fatalf("%+v %v", got, err)
	}
	y.add("b", check("test -e src/b"), within)
	y.put("src/b", "")
	if s := y.submit(y.agent(), "b"); s.Feature.Status != kedge.Completed || strings.Join(s.Feature.Files, " ") != "src/b" {
		t.Errorf("what was accepted is not outside again: %+v", s)
	}
}

func TestSubmitSaysWhatWasNeverRed(t *testing.T) {
	unproved := func(v *kedge.Verdict) bool {
		return slices.ContainsFunc(v.Findings, func(f kedge.Finding) bool {
			return f.Level == kedge.LevelWarning && f.Where == "own" && f.What == "not proved: this check never failed before the work"
		})
	}
	y := newYard(t, true)
	y.add("green", check("true"))
	if s := y.submit(y.agent(), "green"); s.Feature.Status != kedge.Completed || !unproved(s.Verdict) {
		t.Errorf("%+v", s)
	}
	y.add("holds", check("true"), func(d *kedge.Definition) { d.Checks[0].Prove = "holds" })
	if s := y.submit(y.agent(), "holds"); unproved(s.Verdict) {
		t.Errorf("%+v", s)
	}
	y.add("red", check("test -e done"))
	if s := y.submit(y.agent(), "red"); s.Verdict.Green() || unproved(s.Verdict) {
		t.Errorf("%+v", s)
	}
	y.put("done", "")
	if s := y.submit(y.agent(), "red"); s.Feature.Status != kedge.Completed || unproved(s.Verdict) {
		t.Errorf("%+v", s)
	}
}

func TestGateTellsOfHandEdits(t *testing.T) {
	y := anchored(t)
	y.add("a", check("true"))
	y.replace(".kedge/features.json", `"status": "pending"`, `"status": "completed"`)
	r := y.gate(y.person())
	i := slices.IndexFunc(r.Findings, func(f kedge.Finding) bool { return f.Where == ".kedge/features.json" })
	if !r.Green() || i < 0 || r.Findings[i].Level != kedge.LevelWarning || !strings.Contains(r.Findings[i].What, `the status of feature "a" was set by hand`) {
		t.Errorf("%+v", r.Verdict)
	}
}
