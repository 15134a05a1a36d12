package app_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kedge/internal/app/planning"

	"kedge"
	"kedge/internal/app/features"
)

// tools is a PATH with the programs that the test plan validates with.
func tools(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, n := range names {
		if err := os.WriteFile(filepath.Join(dir, n), []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// draft puts the test plan into the project.
func (y *yard) draft() {
	y.t.Helper()
	b, err := os.ReadFile("../core/plan/testdata/plan.md")
	if err != nil {
		y.t.Fatal(err)
	}
	y.put(".kedge/plan.md", strings.Replace(string(b), "- [x]", "- [ ]", 1))
}

func TestRow10PlanCheckNamesTheField(t *testing.T) {
	y := newYard(t, true)
	_, err := y.s.PlanCheck(t.Context(), y.person(), planning.PlanCheckRequest{})
	wantKind(t, err, kedge.NotFound, "there is no plan")
	y.draft()
	path := tools(t, "go")
	r, err := y.s.PlanCheck(t.Context(), y.person(), planning.PlanCheckRequest{Path: path})
	if err != nil || !r.OK {
		t.Fatalf("%+v %v", r, err)
	}
	r, err = y.s.PlanCheck(t.Context(), y.person(), planning.PlanCheckRequest{Path: tools(t)})
	if err != nil || r.OK || !strings.Contains(r.Findings[len(r.Findings)-1].What+r.Findings[1].What, `the program "go"`) {
		t.Errorf("without go on the PATH: %+v %v", r, err)
	}
	y.replace(".kedge/plan.md", "## Risks\n", "## Dangers\n")
	r, err = y.s.PlanCheck(t.Context(), y.person(), planning.PlanCheckRequest{Path: path})
	if err != nil || r.OK {
		t.Fatalf("%+v %v", r, err)
	}
	var all []string
	for _, f := range r.Findings {
		all = append(all, f.Where+": "+f.What)
	}
	if got := strings.Join(all, "\n"); !strings.Contains(got, `field "Risks" is missing`) || !strings.Contains(got, `.kedge/plan.md:32: Kedge does not know the heading "Dangers"`) {
		t.Errorf("findings:\n%s", got)
	}
}

func TestPlanApprove(t *testing.T) {
	y := newYard(t, true)
	y.draft()
	y.put("staged.txt", "mine\n")
	y.git("add", "staged.txt")
	base := y.git("rev-parse", "HEAD")
	who, in := y.person(), planning.PlanApproveRequest{Path: tools(t, "go"), Try: true, Env: []string{"PATH=" + tools(t, "go")}}
	r, err := y.s.PlanApprove(t.Context(), who, in)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Features) != 4 || r.Status != kedge.PlanApproved || r.Commit == nil || *r.Commit != y.git("rev-parse", "HEAD") {
		t.Fatalf("%+v", r)
	}
	if len(r.Decisions) != 1 || len(r.Risks) == 0 {
		t.Errorf("decided %+v, opened %+v", r.Decisions, r.Risks)
	}
	names := strings.Fields(y.git("show", "--name-only", "--format=", "HEAD"))
	for _, want := range []string{".kedge/features.json", ".kedge/plan.md", ".kedge/progress.md", ".kedge/risks.md"} {
		if !slices.Contains(names, want) {
			t.Errorf("the commit lacks %s: %v", want, names)
		}
	}
	if got := y.git("show", "-s", "--format=%s", "HEAD"); got != "kedge: approve the plan \"Strict matching by default\"" || slices.Contains(names, "staged.txt") {
		t.Errorf("commit: %s with %v", got, names)
	}
	if got := y.git("diff", "--cached", "--name-only"); got != "staged.txt" {
		t.Errorf("staged: %q", got)
	}
	text := y.read(".kedge/plan.md")
	for _, want := range []string{"status: approved\n", "id: " + string(r.ID) + "\n", "base: " + base + "\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	again, err := y.s.PlanApprove(t.Context(), who, in)
	if err != nil || again.ID != r.ID || again.Hash != r.Hash || y.git("rev-list", "--count", "HEAD") != "2" {
		t.Errorf("the same request again: %+v %v", again, err)
	}
	_, err = y.s.PlanApprove(t.Context(), y.person(), in)
	wantKind(t, err, kedge.Conflict, "already approved")
	n, err := y.s.Next(t.Context(), y.person(), features.NextRequest{})
	if err != nil || n.Feature.ID != "p1.1" || n.Phase != "p1" || n.Item != "p1.1" || n.Command != "go test ./parser" {
		t.Errorf("next: %+v %v", n, err)
	}
}

// TestPlanAmend: the same request twice amends once, and gives the same answer.
func TestPlanAmend(t *testing.T) {
	y := newYard(t, true)
	path := tools(t, "go")
	who := y.person()
	_, err := y.s.PlanAmend(t.Context(), who, planning.PlanAmendRequest{Reason: "x"})
	wantKind(t, err, kedge.NotFound, "there is no approved plan to amend")
	y.draft()
	was, err := y.s.PlanApprove(t.Context(), y.person(), planning.PlanApproveRequest{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	last := was.Features[len(was.Features)-1]
	y.replace(".kedge/plan.md", string("- [ ] "+last), string("- [ ] "+last)+" above all,")
	in := planning.PlanAmendRequest{Path: path, Reason: "it matters"}
	who = y.person()
	r, err := y.s.PlanAmend(t.Context(), who, in)
	if err != nil || r.ID != was.ID || r.Was != was.Hash || r.Hash == r.Was || len(r.Amended) != 1 || r.Amended[0].ID != last {
		t.Fatalf("%+v %v", r, err)
	}
	if !strings.Contains(y.feature(string(last)).Feature.Name, "above all,") || !strings.Contains(y.read(".kedge/plan.md"), string(last)+" above all,") {
		t.Errorf("%s is %+v, the file\n%s", last, y.feature(string(last)).Feature.Definition, y.read(".kedge/plan.md"))
	}
	again, err := y.s.PlanAmend(t.Context(), who, in)
	if err != nil || again.ID != r.ID || again.Hash != r.Hash || len(again.Amended) != 1 || again.Amended[0].ID != last {
		t.Errorf("the same request again: %+v %v", again, err)
	}
	_, err = y.s.PlanAmend(t.Context(), y.person(), in)
	wantKind(t, err, kedge.Invalid, "so nothing changed")
}

func TestPlanApproveRefuses(t *testing.T) {
	y := newYard(t, true)
	in := planning.PlanApproveRequest{Path: tools(t, "go")}
	_, err := y.s.PlanApprove(t.Context(), y.person(), in)
	wantKind(t, err, kedge.NotFound, "there is no plan")
	y.draft()
	y.replace(".kedge/plan.md", "answer: required", "answer:")
	_, err = y.s.PlanApprove(t.Context(), y.person(), in)
	wantKind(t, err, kedge.Blocked, ".kedge/plan.md:9: question 1 of the plan has no answer yet")
	y.replace(".kedge/plan.md", "Nobody relies on fuzzy matches of one letter.", "")
	_, err = y.s.PlanApprove(t.Context(), y.person(), in)
	wantKind(t, err, kedge.Invalid, `field "Assumptions" is empty`)
	if r, err := y.s.Features(t.Context(), y.person(), features.ListRequest{}); err != nil || len(r.Features) != 0 {
		t.Errorf("a refused plan left features: %+v %v", r, err)
	}
	y.draft()
	y.git("checkout", "-q", "--detach")
	_, err = y.s.PlanApprove(t.Context(), y.person(), in)
	wantKind(t, err, kedge.Blocked, "HEAD is detached")
}

func TestRow33ApprovedPlanShowsProgress(t *testing.T) {
	y := newYard(t, false)
	y.draft()
	r, err := y.s.PlanApprove(t.Context(), y.person(), planning.PlanApproveRequest{Path: tools(t, "go")})
	if err != nil || r.Commit != nil {
		t.Fatalf("%+v %v", r, err)
	}
	frozen := y.read(".kedge/plan.md")
	for _, id := range []string{"p1.1", "p1.2", "p2.1", "p2.2"} {
		y.review(id)
		if _, err := y.s.FeatureAccept(t.Context(), y.person(), features.FeatureStatusRequest{ID: kedge.FeatureID(id), Reason: "seen"}); err != nil {
			t.Fatal(err)
		}
		if id == "p1.1" && y.read(".kedge/plan.md") != strings.Replace(frozen, "- [ ] p1.1", "- [x] p1.1", 1) {
			t.Errorf("one item done:\n%s", y.read(".kedge/plan.md"))
		}
	}
	show, err := y.s.PlanShow(t.Context(), y.person(), planning.PlanShowRequest{})
	if err != nil || show.Plan.Status != kedge.PlanDone || strings.Contains(strings.Join(show.Checklist, "\n"), "[ ]") {
		t.Errorf("all done: %+v %v", show, err)
	}
	if !strings.Contains(y.read(".kedge/plan.md"), "status: done\n") {
		t.Errorf("file:\n%s", y.read(".kedge/plan.md"))
	}
	if _, err := y.s.FeatureReopen(t.Context(), y.person(), features.FeatureStatusRequest{ID: "p1.1"}); err != nil {
		t.Fatal(err)
	}
	if text := y.read(".kedge/plan.md"); !strings.Contains(text, "status: approved\n") || !strings.Contains(text, "- [ ] p1.1") {
		t.Errorf("reopened:\n%s", text)
	}
	y.wantEdits()
}

func TestRow87ApprovedPlanEditedByHandIsRestored(t *testing.T) {
	y := newYard(t, false)
	y.draft()
	if _, err := y.s.PlanApprove(t.Context(), y.person(), planning.PlanApproveRequest{Path: tools(t, "go")}); err != nil {
		t.Fatal(err)
	}
	frozen := y.read(".kedge/plan.md")
	y.replace(".kedge/plan.md", "- [ ] p1.1", "- [x] p1.1")
	y.add("a")
	y.wantEdits(".kedge/plan.md: the approved plan was changed by hand; to change it: kedge plan amend --reason WHY: restored")
	if y.read(".kedge/plan.md") != frozen {
		t.Error("the plan was not restored")
	}
	// Somebody's next draft is theirs.
	b, err := os.ReadFile("../core/plan/testdata/plan.md")
	if err != nil {
		t.Fatal(err)
	}
	next := strings.Replace(string(b), "title: Strict matching by default", "title: The next thing", 1)
	y.put(".kedge/plan.md", next)
	y.add("b")
	if y.read(".kedge/plan.md") != next {
		t.Error("a new draft was overwritten")
	}
	r, err := y.s.PlanApprove(t.Context(), y.person(), planning.PlanApproveRequest{Path: tools(t, "go")})
	if err != nil || r.Features[0] != "the-next-thing-p1.1" {
		t.Errorf("second plan: %+v %v", r, err)
	}
}

// A crash after the journal and before the file leaves the draft: it is not
// approved a second time.
func TestDraftLeftByACrashIsTheApprovedPlan(t *testing.T) {
	y := newYard(t, false)
	y.draft()
	draft := y.read(".kedge/plan.md")
	in := planning.PlanApproveRequest{Path: tools(t, "go")}
	if _, err := y.s.PlanApprove(t.Context(), y.person(), in); err != nil {
		t.Fatal(err)
	}
	frozen := y.read(".kedge/plan.md")
	y.put(".kedge/plan.md", draft)
	_, err := y.s.PlanApprove(t.Context(), y.person(), in)
	wantKind(t, err, kedge.Conflict, "already approved")
	y.wantEdits()
	if y.read(".kedge/plan.md") != frozen {
		t.Error("the frozen plan has not taken its place")
	}
}
