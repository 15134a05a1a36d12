package app_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kedge/internal/app/planning"

	"kedge"
	"kedge/internal/app/features"
	"kedge/internal/app/projects"
	"kedge/internal/app/verify"
	"kedge/internal/journal"
)

// submit asks for a verdict by the given caller, with this process's PATH.
func (y *yard) submit(who projects.Caller, id string) verify.FeatureSubmitReply {
	y.t.Helper()
	r, err := y.s.FeatureSubmit(y.t.Context(), who, verify.FeatureSubmitRequest{ID: kedge.FeatureID(id), Env: y.env()})
	if err != nil {
		y.t.Fatal(err)
	}
	return r
}

func (y *yard) env() []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")}
}

func check(run string) func(*kedge.Definition) {
	return func(d *kedge.Definition) { d.Checks = []kedge.Check{{Name: "own", Run: run}} }
}

func TestRow88CompletedOnlyByItsOwnChecks(t *testing.T) {
	y := newYard(t, true)
	y.add("a", check("grep -q two b.txt"))
	who := y.agent()
	r := y.submit(who, "a")
	if r.Verdict == nil || r.Verdict.Green() || r.Feature.Status != kedge.Pending || r.Feature.Evidence != nil {
		t.Fatalf("red: %+v", r)
	}
	y.put("b.txt", "two\n")
	if again := y.submit(who, "a"); again.Evidence != r.Evidence || again.Verdict.Green() {
		t.Errorf("the same request ran the checks again: %+v", again)
	}
	r = y.submit(y.agent(), "a")
	if !r.Verdict.Green() || r.Feature.Status != kedge.Completed || r.Feature.CompletedAt == nil {
		t.Fatalf("green: %+v", r)
	}
	if r.Feature.Evidence == nil || *r.Feature.Evidence != r.Evidence || strings.Join(r.Feature.Files, " ") != "b.txt" {
		t.Errorf("evidence %v, files %v", r.Feature.Evidence, r.Feature.Files)
	}
	if !strings.Contains(y.read(".kedge/features.json"), `"status": "completed"`) {
		t.Error("the file does not say so")
	}
	if docs := journaled[kedge.Evidence](y, journal.KindEvidence); len(docs) != 2 || docs[1].Feature != "a" || docs[1].Verdict.Tree == "" {
		t.Errorf("evidence in the journal: %+v", docs)
	}

	y.put("b.txt", "three\n")
	r = y.submit(y.person(), "a")
	if r.Feature.Status != kedge.Regressed || r.Feature.CompletedAt != nil {
		t.Errorf("red after it was completed: %+v", r.Feature)
	}
	y.put("b.txt", "two\n")
	if r = y.submit(y.person(), "a"); r.Feature.Status != kedge.Completed {
		t.Errorf("repaired: %+v", r.Feature)
	}
	y.wantEdits()
}

func TestRow88TheProjectsGateCountsToo(t *testing.T) {
	y := newYard(t, true)
	y.put(".kedge/gate.toml", "version = 1\n[[check]]\nname = \"all\"\nkind = \"build\"\nrun = \"false\"\n")
	y.add("a", check("true"))
	r := y.submit(y.person(), "a")
	if r.Verdict.Verdict != kedge.BuildFailure || r.Feature.Status != kedge.Pending {
		t.Errorf("%+v", r)
	}
}

// An agent flips the status, edits the check and edits a test: all is seen, and
// the feature does not pass.
func TestT17AgentEditsStatusCheckAndTest(t *testing.T) {
	y := newYard(t, true)
	y.put("a_test.go", "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {\n\tif 1 != 2 {\n\t\tt.Fatal(\"no\")\n\t}\n}\n")
	y.git("add", ".")
	y.git("commit", "-q", "-m", "a test that fails")
	y.add("a", check("grep -q Fatal a_test.go && false"))

	y.replace(".kedge/features.json", `"status": "pending"`, `"status": "completed"`)
	y.replace(".kedge/features.json", `grep -q Fatal a_test.go && false`, `true`)
	y.put("a_test.go", "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {\n\tt.Skip(\"later\")\n}\n")

	r := y.submit(y.agent(), "a")
	if r.Verdict.Green() || r.Feature.Status != kedge.Pending {
		t.Fatalf("it passed: %+v", r)
	}
	y.wantEdits(
		`.kedge/features.json: the definition of feature "a" was changed: checks: restored`,
		`.kedge/features.json: the status of feature "a" was set by hand to completed; the real status is pending: reset`,
	)
	if len(r.Edits) != 2 {
		t.Errorf("the answer tells of %d edits", len(r.Edits))
	}
	var about []string
	for _, f := range r.Verdict.Findings {
		about = append(about, string(f.Level)+" "+f.Where)
	}
	if got := strings.Join(about, "\n"); !strings.Contains(got, "warning a_test.go") {
		t.Errorf("no finding about the weakened test:\n%s", got)
	}
}

func TestSubmitWithoutChecksWaitsForAPerson(t *testing.T) {
	y := newYard(t, false)
	y.add("a", unchecked)
	r := y.submit(y.agent(), "a")
	if r.Feature.Status != kedge.NeedsReview || r.Verdict != nil {
		t.Errorf("%+v", r)
	}
	_, err := y.s.FeatureAccept(t.Context(), y.agent(), features.FeatureStatusRequest{ID: "a", Reason: "fine"})
	wantKind(t, err, kedge.Blocked, "agents may not accept")
	got, err := y.s.FeatureAccept(t.Context(), y.person(), features.FeatureStatusRequest{ID: "a", Reason: "looked at it"})
	if err != nil || got.Feature.Status != kedge.Completed {
		t.Errorf("%+v %v", got, err)
	}
	y.put(".kedge/gate.toml", "version = 1\n[[check]]\nname = \"all\"\nrun = \"true\"\n")
	y.add("b", unchecked)
	r = y.submit(y.person(), "b")
	if r.Feature.Status != kedge.NeedsReview || r.Verdict == nil || !r.Verdict.Green() || r.Feature.Evidence == nil {
		t.Errorf("with a green gate: %+v", r)
	}
}

func TestSubmitRefuses(t *testing.T) {
	y := newYard(t, false)
	y.add("a")
	y.add("b", after("a"))
	in := verify.FeatureSubmitRequest{ID: "b", Env: y.env()}
	_, err := y.s.FeatureSubmit(t.Context(), y.person(), in)
	wantKind(t, err, kedge.Blocked, `"b" waits for "a" (pending)`)
	in.ID = "ghost"
	_, err = y.s.FeatureSubmit(t.Context(), y.person(), in)
	wantKind(t, err, kedge.NotFound, "ghost")
	if _, err := y.s.FeatureSkip(t.Context(), y.person(), features.FeatureStatusRequest{ID: "a"}); err != nil {
		t.Fatal(err)
	}
	in.ID = "a"
	_, err = y.s.FeatureSubmit(t.Context(), y.person(), in)
	wantKind(t, err, kedge.Conflict, "is skipped")
}

func TestSubmittedItemTicksThePlan(t *testing.T) {
	y := newYard(t, true)
	y.draft()
	y.replace(".kedge/plan.md", "check: go test ./parser\n", "check: true\n")
	y.replace(".kedge/plan.md", "- `go vet ./...` and `go test ./...`\n- CGO_ENABLED=0 go build ./cmd/app\n", "- `true`\n")
	if _, err := y.s.PlanApprove(t.Context(), y.person(), planning.PlanApproveRequest{Path: tools(t, "go")}); err != nil {
		t.Fatal(err)
	}
	if r := y.submit(y.person(), "p1.1"); r.Feature.Status != kedge.Completed {
		t.Fatalf("%+v", r)
	}
	if !strings.Contains(y.read(".kedge/plan.md"), "- [x] p1.1") {
		t.Errorf("plan:\n%s", y.read(".kedge/plan.md"))
	}
}

// TestOldInvalidChecks: a journal of an older Kedge may hold a check that today's rules
// refuse. It opens, other work goes on, and the check is refused when it is to run.
func TestOldInvalidChecks(t *testing.T) {
	y := newYard(t, true)
	y.add("before")
	old := kedge.Definition{ID: "old", Name: "Old", Checks: []kedge.Check{{Name: "own", Run: "true", Exclusive: "../../x"}}}
	y.fact(kedge.FeatureAdded, featureFact(t, 2, old))
	y.add("after", after("old"))
	if r := y.doctor(); r.OK || !strings.Contains(errorsOf(r)[0].What, `feature "old": check "own": exclusive "../../x" is not a name`) {
		t.Errorf("doctor: %+v", r.Findings)
	}
	_, err := y.s.FeatureSubmit(t.Context(), y.person(), verify.FeatureSubmitRequest{ID: "old", Env: y.env()})
	if !kedge.Invalid.Is(err) || !strings.HasPrefix(err.Error(), `the checks cannot run: check "own": exclusive "../../x" is not a name`) {
		t.Errorf("submitted: %v", err)
	}
	if hint := kedge.HintOf(err); hint != "correct the feature's check: kedge feature amend old --definition FILE --reason WHY" {
		t.Errorf("hint %q", hint)
	}
	if found, _ := filepath.Glob(filepath.Join(y.home, "projects", "*.lock")); len(found) > 0 {
		t.Errorf("locks outside the project: %v", found)
	}
	renamed := old
	renamed.Name = "Renamed"
	if _, err := y.s.FeatureAmend(t.Context(), y.person(), features.FeatureAmendRequest{Definition: renamed, Reason: "r"}); !kedge.Invalid.Is(err) {
		t.Errorf("amended with the same check: %v", err)
	}
	old.Checks[0].Exclusive = "x"
	if _, err := y.s.FeatureAmend(t.Context(), y.person(), features.FeatureAmendRequest{Definition: old, Reason: "a plain name"}); err != nil {
		t.Errorf("corrected: %v", err)
	}
	if r := y.submit(y.person(), "old"); !r.Verdict.Green() {
		t.Errorf("after the correction: %+v", r.Verdict)
	}
}
