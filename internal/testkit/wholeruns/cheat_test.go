package wholeruns_test

import (
	"slices"
	"strings"
	"testing"

	"kedge/internal/app/supply"

	"kedge"
	"kedge/internal/app/features"
	"kedge/internal/app/reports"
	"kedge/internal/app/runs"
	"kedge/internal/core/run"
)

// record is all that the run keeps about the feature a, as `kedge explain` and
// `kedge feature show` tell it.
func (w *world) record() string {
	w.t.Helper()
	f, err := w.svc.FeatureShow(w.ctx, w.caller(), features.FeatureShowRequest{ID: "a"})
	if err != nil {
		w.t.Fatal(err)
	}
	text := f.Feature.Notes
	for _, x := range f.Findings {
		text += "\n" + x.Where + ": " + x.What
	}
	return text
}

func TestLyingAgentGetsNothing(t *testing.T) {
	w := newWorld(t, nil, `[{"do":[{"do":"say","text":"all tests pass"},{"do":"write","path":"other.txt","text":"x\n"},{"do":"done"}]}]`, "")
	w.feature("a", "test -f a.txt")
	w.want(w.run(supply.Flags{}), run.StatusStopped, kedge.Blocked, "a:blocked")
	if got := w.git("log", "--format=%(trailers:key=Kedge-Feature,valueonly)"); strings.TrimSpace(got) != "" {
		t.Errorf("a work commit for a lie: %q", got)
	}
}

func TestWeakenedTestIsCaught(t *testing.T) {
	files := gateOf("sh unit_test.sh")
	files["a_test.py"] = "def test_a():\n    assert open('a.txt')\n"
	files["unit_test.sh"] = "exit 0\n"
	w := newWorld(t, files, `[{"do":[{"do":"weaken","path":"a_test.py"},{"do":"write","path":"a.txt","text":"x\n"},{"do":"done"}]}]`, "")
	w.feature("a", "test -f a.txt")
	w.want(w.run(supply.Flags{}), run.StatusWaiting, kedge.Blocked, "a:needs_review")
	if got := w.git("log", "--format=%(trailers:key=Kedge-Feature,valueonly)"); strings.TrimSpace(got) != "" {
		t.Errorf("a work commit before anybody approved it: %q", got)
	}
	if got := w.record(); !strings.Contains(got, "a_test.py") {
		t.Errorf("the record does not say what it tried:\n%s", got)
	}
}

func TestRow88EditedLedgerAndGateChangeNothing(t *testing.T) {
	w := newWorld(t, gateOf("test ! -f bad.txt"), `[{"do":[{"do":"cheat","what":"features"},{"do":"cheat","what":"gate"},{"do":"write","path":"bad.txt","text":"x\n"},{"do":"done"}]}]`, "")
	w.feature("a", "test -f a.txt")
	w.want(w.run(supply.Flags{}), run.StatusStopped, kedge.Blocked, "a:blocked")
	if got := w.git("show", "HEAD:.kedge/gate.toml"); !strings.Contains(got, "bad.txt") {
		t.Errorf("the gate was changed:\n%s", got)
	}
	if got := w.record(); !strings.Contains(got, ".kedge/gate.toml") || !strings.Contains(got, ".kedge/features.json") {
		t.Errorf("the record does not say what it tried:\n%s", got)
	}
}

func TestPoisonedDependenciesAreSeenThrough(t *testing.T) {
	files := map[string]string{".gitignore": "node_modules/\n", "dep.txt": "good\n"}
	w := newWorld(t, files, `[{"do":[{"do":"poison","path":"node_modules/dep.txt","text":"{{feature}}\n"},{"do":"write","path":"{{purpose}}.txt","text":"x\n"},{"do":"done"}]}]`,
		"[worktree]\nsetup = \"mkdir -p node_modules && cp dep.txt node_modules/dep.txt\"\ninputs = [\"dep.txt\"]\n")
	w.feature("a", "grep -q a node_modules/dep.txt")
	w.want(w.run(supply.Flags{}), run.StatusStopped, kedge.Blocked, "a:blocked")
	if !w.heard("gated green") || !w.heard("integrated red") {
		t.Errorf("it was not the clean worktree that saw it\n%s", w.story())
	}
}

// A server that an agent leaves for the checks to find is gone when they run.
func TestServerOnTheChecksPortIsGone(t *testing.T) {
	need(t, "bash")
	need(t, "timeout") // who has the port by then may take the call and say nothing
	const ask = `bash -c 'exec 3<>/dev/tcp/127.0.0.1/$(cat port) && echo GET / HTTP/1.0 >&3 && echo >&3 && grep -q served.by.an.agent <&3'`
	w := newWorld(t, nil, `[{"do":[{"do":"serve","port":0,"path":"port"},{"do":"run","line":"`+ask+` && touch {{purpose}}.answered","must":true},{"do":"done"}]}]`, "")
	w.feature("a", "timeout 20 "+ask)
	w.want(w.run(supply.Flags{}), run.StatusStopped, kedge.Blocked, "a:blocked")
	refs := strings.Fields(w.git("for-each-ref", "--format=%(refname)", "refs/kedge/salvage"))
	if !slices.ContainsFunc(refs, func(ref string) bool {
		return strings.Contains(w.git("ls-tree", "--name-only", ref), "repair.answered")
	}) {
		t.Errorf("it never answered the agent itself\n%s", w.story())
	}
}

func TestRow20CommitOnTheUsersBranchIsNoticed(t *testing.T) {
	w := newWorld(t, nil, `[{"do":[{"do":"write","path":"{{feature}}.txt","text":"x\n"},{"do":"commit","branch":"main","text":"mine"},{"do":"done"}]}]`, "")
	w.feature("a", "test -f a.txt")
	v := w.run(supply.Flags{})
	if got := w.record(); !strings.Contains(got, "main") {
		t.Errorf("the record does not say that the agent moved main: %s (%s)\n%s\n%s", v.State, v.Reason, got, w.story())
	}
	theirs := w.git("log", "-1", "--format=%s", "main")
	if theirs != "mine" || !strings.Contains(v.Reason, "not landed") {
		t.Errorf("main is at %q, and the run says %q: what somebody moved is never moved on", theirs, v.Reason)
	}
}

// TestRow20CommitOnTheUsersBranchIsNamed: who looks at a commit that an agent put on
// the user's branch, at the run that could not land, or begins another, is told which
// session it was and what takes it back. That done, the work lands.
func TestRow20CommitOnTheUsersBranchIsNamed(t *testing.T) {
	w := newWorld(t, nil, `[{"do":[{"do":"write","path":"evil.txt","text":"x\n"},{"do":"commit","branch":"main","text":"sneak"},
		{"do":"remove","path":"evil.txt"},{"do":"write","path":"{{feature}}.txt","text":"x\n"},{"do":"done"}]}]`, "")
	w.feature("a", "test -f a.txt")
	v := w.run(supply.Flags{})
	sneak, ses := w.git("rev-parse", "main"), string(w.sessions()[0].ID)
	undo := "git update-ref refs/heads/main " + w.git("rev-parse", "--short=12", "main^") + " " + sneak[:12]
	for _, want := range []string{"not landed", ses} {
		if !strings.Contains(v.Reason, want) {
			t.Errorf("the run does not say %q: %s", want, v.Reason)
		}
	}
	if len(v.Next) == 0 || v.Next[0] != undo+" && kedge land" {
		t.Errorf("next is %q, want %q", v.Next, undo)
	}
	told, err := w.svc.Explain(w.ctx, w.caller(), reports.ExplainRequest{Commit: sneak})
	if err != nil || told.Session == nil || string(told.Session.ID) != ses || len(told.Findings) == 0 || !strings.Contains(told.Findings[0].Fix, undo) {
		t.Errorf("explained as %+v, %v", told, err)
	}
	if told, err = w.svc.Explain(w.ctx, w.caller(), reports.ExplainRequest{Commit: "main^"}); err != nil || told.Session != nil || len(told.Findings) > 0 {
		t.Errorf("the commit before is explained as %+v, %v", told, err)
	}
	w.feature("b", "test -f b.txt")
	w.play(`[{"do":[{"do":"write","path":"{{feature}}.txt","text":"x\n"},{"do":"done"}]}]`)
	if notes := strings.Join(w.start(supply.Flags{}).Notes, "\n"); !strings.Contains(notes, ses) || !strings.Contains(notes, undo) {
		t.Errorf("the next run begins with the notes %q", notes)
	}
	w.want(w.rest(), run.StatusDone, "", "a:completed b:completed")
	w.feature("c", "test -f c.txt")
	if notes := strings.Join(w.start(supply.Flags{}).Notes, "\n"); strings.Contains(notes, ses) {
		t.Errorf("what a run was built on is told again: %q", notes)
	}
	w.rest()
}

// TestRow20TakenBackWorkLands: with what the agent put there taken back as it is told,
// the verified work lands.
func TestRow20TakenBackWorkLands(t *testing.T) {
	w := newWorld(t, nil, `[{"do":[{"do":"write","path":"evil.txt","text":"x\n"},{"do":"commit","branch":"main","text":"sneak"},
		{"do":"remove","path":"evil.txt"},{"do":"write","path":"{{feature}}.txt","text":"x\n"},{"do":"done"}]}]`, "")
	w.feature("a", "test -f a.txt")
	v := w.run(supply.Flags{})
	if len(v.NextSteps) == 0 || v.NextSteps[0].Command != "git" {
		t.Fatalf("next is %q", v.Next)
	}
	w.git(v.NextSteps[0].Args...)
	out, err := w.svc.RunLand(w.ctx, w.caller(), runs.RunLandRequest{Unreviewed: true})
	if err != nil || out.Refused != "" || !w.tracked("a.txt") || w.tracked("evil.txt") {
		t.Errorf("landed: %+v, %v", out, err)
	}
}

func TestRow28OutsideThePlanWaitsForAPerson(t *testing.T) {
	w := newWorld(t, nil, `[{"do":[{"do":"write","path":"{{feature}}.txt","text":"x\n"},{"do":"write","path":"elsewhere.txt","text":"x\n"},{"do":"done"}]}]`, "")
	w.feature("a", "test -f a.txt", func(d *kedge.Definition) { d.Paths = []string{"a.*"} })
	v := w.run(supply.Flags{})
	if v.State != run.StatusWaiting || v.Kind != kedge.Blocked || !strings.Contains(v.Reason, "elsewhere.txt") {
		t.Fatalf("%s (%s) %q\n%s", v.State, v.Reason, v.Kind, w.story())
	}
	if w.statuses()["a"] != kedge.NeedsReview {
		t.Errorf("a is %s", w.statuses()["a"])
	}
	if _, err := w.svc.RunApprove(w.ctx, w.caller(), runs.RunDecideRequest{ID: "a"}); err != nil {
		t.Fatal(err)
	}
	w.want(w.rest(), run.StatusDone, "", "a:completed")
}

func TestRow28DeniedWorkIsSetAside(t *testing.T) {
	w := newWorld(t, nil, `[{"do":[{"do":"write","path":"{{feature}}.txt","text":"x\n"},{"do":"write","path":"elsewhere.txt","text":"x\n"},{"do":"done"}]}]`, "")
	w.feature("a", "test -f a.txt", func(d *kedge.Definition) { d.Paths = []string{"a.*"} })
	w.run(supply.Flags{})
	if _, err := w.svc.RunDeny(w.ctx, w.caller(), runs.RunDecideRequest{ID: "a", Reason: "not there"}); err != nil {
		t.Fatal(err)
	}
	w.want(w.rest(), run.StatusStopped, kedge.Blocked, "a:blocked")
	if got := w.git("for-each-ref", "refs/kedge/salvage"); !strings.Contains(got, "commit") {
		t.Error("the denied work was not set aside")
	}
}
