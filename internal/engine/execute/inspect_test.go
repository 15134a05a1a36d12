package execute_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kedge/internal/core/run"
)

// inspected gates and inspects the work of job 1, which is feature one's.
func (y *yard) inspected(o run.Outcome, base, tree string) run.Input {
	y.t.Helper()
	return y.want(o, y.command(run.Inspect, 1, run.Command{Feature: "one", Base: base, Tree: tree}))
}

func TestRow29TheDiffIsStoredBeforeTheCommit(t *testing.T) {
	y := newYard(t, map[string]string{"b.txt": "1\n2\n3\n"})
	y.feature("one")
	base := y.head()
	y.prepared(1, "one", base)
	y.put(y.slot(1), "b.txt", "1\n2\nthree\nfour\n")
	y.put(y.slot(1), "new.txt", "new\n")
	y.must(os.Remove(filepath.Join(y.slot(1), "a.txt")))
	tree := y.gated(run.Green, 1, "one", base).Tree
	c := y.command(run.Inspect, 1, run.Command{Feature: "one", Base: base, Tree: tree})
	if ev := y.twice(c); ev.Outcome != run.Clean {
		t.Fatalf("inspected: %+v", ev)
	}
	in := y.inspection()
	want := `[{"path":"a.txt","status":"D","added":0,"removed":1},{"path":"b.txt","status":"M","added":2,"removed":1},{"path":"new.txt","status":"A","added":1,"removed":0}]`
	if text(t, in.Files) != want || in.Feature != "one" || in.Outcome != "clean" || in.Tree != tree {
		t.Errorf("stored %+v", in)
	}
	if len(y.book.facts) != 1 {
		t.Errorf("%d facts of one inspection", len(y.book.facts))
	}
}

func TestNothingChanged(t *testing.T) {
	y := newYard(t, nil)
	y.feature("one")
	base := y.head()
	tree := y.prepared(1, "one", base).Tree
	y.put(y.slot(1), ".kedge/features.json", "{}")
	y.inspected(run.Empty, base, tree)
}

func TestRow28PathsOutsideThePlan(t *testing.T) {
	plan := "---\nversion: 1\nid: pln-00000000000000000000000001\ntitle: t\nstatus: approved\nbase: \n---\n## Questions\n\n## Root cause\nx\n\n## Files expected to change\n- src/**\n- `doc.md`: a line\n\n" +
		"## Assumptions\nx\n\n## Invariants\nx\n\n## Risks\nx\n\n## Validation\nx\n\n## Phase 1: one {#p1}\n- [ ] one it\n"
	for name, of := range map[string]struct {
		paths   []string
		phase   string
		files   []string
		outside string
	}{
		"inside":             {[]string{"src/**"}, "", []string{"src/x/a.go"}, ""},
		"outside":            {[]string{"src/**"}, "", []string{"src/a.go", "other.go", "lib/b.go"}, "lib/b.go, other.go; it may change src/** (.kedge/features.json:4)"},
		"no limit":           {nil, "", []string{"anywhere.go"}, ""},
		"older, by the plan": {nil, "p1", []string{"src/a.go", "doc.md"}, ""}, // it was approved when features got no paths from it
		"older, not by it":   {nil, "p1", []string{"src/a.go", "README"}, "README; it may change src/**, doc.md (.kedge/plan.md:13)"},
		"of another phase":   {nil, "p9", []string{"README"}, ""},
		"by the plan":        {[]string{"src/**", "doc.md"}, "p1", []string{"src/a.go", "doc.md"}, ""},
		"not by the plan":    {[]string{"src/**", "doc.md"}, "p1", []string{"src/a.go", "README"}, "README; it may change src/**, doc.md (.kedge/plan.md:13)"},
		"of no phase of it":  {[]string{"src/**", "doc.md"}, "p9", []string{"README"}, "README; it may change src/**, doc.md (.kedge/features.json:4)"},
	} {
		t.Run(name, func(t *testing.T) {
			y := newYard(t, map[string]string{".kedge/plan.md": plan, ".kedge/features.json": "{\n  {\n      \"id\": \"one\",\n      \"paths\": [\n"})
			f := y.feature("one")
			f.Paths, f.Phase = of.paths, of.phase
			base := y.head()
			y.prepared(1, "one", base)
			for _, file := range of.files {
				y.put(y.slot(1), file, "x\n")
			}
			tree := y.gated(run.Green, 1, "one", base).Tree
			outcome := run.Clean
			if of.outside != "" {
				outcome = run.Outside
			}
			if ev := y.inspected(outcome, base, tree); ev.Reason != of.outside {
				t.Errorf("outside: %q, want %q", ev.Reason, of.outside)
			}
		})
	}
}

// TestRow88TheAgentChangesTheRules: nothing of what it tries counts, and the
// record says what it tried.
func TestRow88TheAgentChangesTheRules(t *testing.T) {
	y := newYard(t, map[string]string{"check.sh": "grep -q done a.txt\n", "a.txt": "done\n", ".kedge/features.json": "{}\n"})
	y.feature("one", own("grep -q really a.txt"))
	base := y.head()
	y.prepared(1, "one", base)
	y.put(y.slot(1), ".kedge/gate.toml", "version = 1\n[[check]]\nname = \"unit\"\nrun = \"true\"\n")
	y.put(y.slot(1), ".kedge/features.json", `{"features":[{"id":"one","status":"completed","checks":[]}]}`)
	y.put(y.slot(1), "AGENT_CONTEXT.md", "all done\n")
	y.put(y.slot(1), "a.txt", "neither\n")
	red := y.gated(run.Red, 1, "one", base)
	if !strings.Contains(red.Failure, `"own"`) {
		t.Errorf("judged by other rules: %+v", red)
	}
	if red := y.integrated(run.Red, 1, "one", base, red.Tree); !strings.Contains(red.Failure, `"unit"`) {
		t.Errorf("merged, it is judged by other rules: %+v", red)
	}
	if got := findings(y.book.evidence[0].Verdict.Findings); !strings.Contains(got, "warning: tried to edit .kedge/gate.toml") {
		t.Errorf("the verdict does not say what it tried:\n%s", got)
	}
	y.put(y.slot(1), "a.txt", "really done\n")
	tree := y.gated(run.Green, 1, "one", base).Tree
	y.inspected(run.Clean, base, tree)
	got := findings(y.inspection().Findings)
	for _, want := range []string{"tried to edit .kedge/gate.toml", "tried to edit .kedge/features.json", "tried to edit AGENT_CONTEXT.md"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	in := y.integrated(run.Green, 1, "one", base, tree)
	commit := y.want(run.OK, y.command(run.Commit, 1, run.Command{Feature: "one", Base: base, Tree: in.Tree})).Commit
	if files := y.git("-C", y.root, "diff", "--name-only", base, commit); files != "a.txt" {
		t.Errorf("the work commit changes %q", files)
	}
}

func TestWeakenedTests(t *testing.T) {
	before := "package a\n\nimport \"testing\"\n\nfunc TestOne(t *testing.T) {\n\tif 1 != 1 {\n\t\tt.Fatal(\"one\")\n\t}\n}\n"
	for name, of := range map[string]struct{ path, text, says string }{
		"a test is skipped": {"a_test.go", strings.Replace(before, "\tif 1", "\tt.Skip(\"later\")\n\tif 1", 1), "a_test.go"},
		"a test is deleted": {"a_test.go", "package a\n", "a_test.go"},
	} {
		t.Run(name, func(t *testing.T) {
			y := newYard(t, map[string]string{"a_test.go": before})
			y.feature("one")
			base := y.head()
			y.prepared(1, "one", base)
			y.put(y.slot(1), of.path, of.text)
			y.put(y.slot(1), "a.txt", "work\n")
			tree := y.gated(run.Green, 1, "one", base).Tree
			y.inspected(run.Clean, base, tree)
			if got := findings(y.inspection().Findings); !strings.Contains(got, of.says) {
				t.Errorf("the inspection says %q", got)
			}
			ev := y.integrated(run.Green, 1, "one", base, tree)
			if !strings.Contains(ev.Altered, of.says) {
				t.Errorf("it is for you to decide because of %q", ev.Altered)
			}
			y.book.features[0].ChangesTests = []string{"a_test.go"}
			if ev := y.integrated(run.Green, 1, "one", base, tree); ev.Altered != "" {
				t.Errorf("it was announced, and waits: %q", ev.Altered)
			}
			y.book.features[0].ChangesTests = nil
			c := y.command(run.Gate, 1, run.Command{Base: base, Scope: "full", Purpose: run.FixFirst})
			if red := y.want(run.Red, c); !strings.Contains(red.Failure, of.says) { // nobody can be asked
				t.Errorf("the gate of a fix says %q", red.Failure)
			}
		})
	}
}

// TestWhatNeedsYourApprovalWaits: protected files, executables, archives and big files make
// no check red, and the work waits until you approve it, unless the feature's paths name
// them. Other binary files are in the evidence.
func TestWhatNeedsYourApprovalWaits(t *testing.T) {
	for name, of := range map[string]struct {
		path, text string
		paths      []string
		says       string // empty: it does not wait
		info       string
	}{
		"CI is changed":             {".github/workflows/ci.yml", "on: never\n", nil, ".github/workflows/ci.yml (a protected file was changed)", ""},
		"CI is deleted":             {".github/workflows/ci.yml", "", nil, ".github/workflows/ci.yml (a protected file was deleted)", ""},
		"CI is added to":            {".github/workflows/more.yml", "on: push\n", nil, ".github/workflows/more.yml (a file was added in a protected folder)", ""},
		"the paths name it":         {".github/workflows/ci.yml", "on: never\n", []string{".github/workflows/ci.yml", "a.txt"}, "", "a protected file was changed"},
		"the paths name its folder": {".github/workflows/ci.yml", "on: never\n", []string{".github/**", "a.txt"}, "", "a protected file was changed"},
		"the paths cover all":       {".github/workflows/ci.yml", "on: never\n", []string{"**"}, ".github/workflows/ci.yml (a protected file was changed)", ""},
		"settings in a folder":      {"web/.qwen/settings.json", "{}\n", nil, "web/.qwen/settings.json (a file was added in a protected folder)", ""},
		"an executable":             {"lib/notes.md", "\x7fELF\x02\x01\x00\x00", nil, "lib/notes.md (an executable was added: ELF, 8 bytes)", ""},
		"an archive":                {"data.bin", "PK\x03\x04\x00\x00", nil, "data.bin (an archive was added: zip, 6 bytes)", ""},
		"an archive that is named":  {"data.zip", "PK\x03\x04\x00\x00", []string{"data.zip", "a.txt"}, "", "an archive was added: zip, 6 bytes"},
		"a big file":                {"big.csv", strings.Repeat("1,2,3,4,5\n", 1_000_001), nil, "big.csv (a file larger than 10 MB was added: 10.1 MB)", ""},
		"an image":                  {"logo.png", "\x89PNG\r\n\x1a\n\x00", nil, "", "a binary file was added: PNG, 9 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			y := newYard(t, map[string]string{".github/workflows/ci.yml": "on: push\n"})
			y.feature("one").Paths = of.paths
			base := y.head()
			y.prepared(1, "one", base)
			if y.put(y.slot(1), of.path, of.text); of.text == "" {
				y.must(os.Remove(filepath.Join(y.slot(1), of.path)))
			}
			y.put(y.slot(1), "a.txt", "work\n")
			tree := y.gated(run.Green, 1, "one", base).Tree
			outcome, level := run.Unapproved, "warning: "+of.path
			if of.says == "" {
				outcome, level = run.Clean, "info: "+of.info
			}
			if ev := y.inspected(outcome, base, tree); of.says != "" && ev.Reason != "it needs your approval: "+of.says {
				t.Errorf("the inspection says %q", ev.Reason)
			}
			found := findings(y.inspection().Findings)
			if of.info != "" && !strings.Contains(found, level) {
				t.Errorf("the record does not say it:\n%s", found)
			}
			y.integrated(run.Green, 1, "one", base, tree) // as you approved it
			if got := findings(y.book.evidence[0].Verdict.Findings); of.info != "" && !strings.Contains(got, level) {
				t.Errorf("the evidence does not say it:\n%s", got)
			}
		})
	}
}

// TestFilesThatSteerAgentsWaitForYou: they make no check red, and the work waits until
// you approve it.
func TestFilesThatSteerAgentsWaitForYou(t *testing.T) {
	y := newYard(t, nil)
	y.feature("one")
	y.cfg.Approvals = allowAll{brings: ".claude/settings.json is new"}
	y.open()
	base := y.head()
	y.prepared(1, "one", base)
	y.put(y.slot(1), ".claude/settings.json", "{}\n")
	y.put(y.slot(1), "a.txt", "work\n")
	tree := y.gated(run.Green, 1, "one", base).Tree
	if ev := y.inspected(run.Unapproved, base, tree); !strings.Contains(ev.Reason, ".claude/settings.json is new") {
		t.Errorf("the inspection says %q", ev.Reason)
	}
}

func TestCommitsOnTheUsersBranchAreSeen(t *testing.T) {
	y := newYard(t, nil)
	y.feature("one", own("grep -q done a.txt"))
	base := y.head()
	y.prepared(1, "one", base)
	y.put(y.slot(1), "a.txt", "done\n")
	y.git("-C", y.slot(1), "commit", "-qam", "mine")
	sha := y.git("-C", y.slot(1), "rev-parse", "HEAD")
	y.git("-C", y.slot(1), "update-ref", "refs/heads/main", sha)
	y.git("-C", y.slot(1), "tag", "v1")
	tree := y.gated(run.Green, 1, "one", base).Tree
	if got := findings(y.book.evidence[0].Verdict.Findings); !strings.Contains(got, "refs/heads/main moved") {
		t.Errorf("the verdict does not say what it tried:\n%s", got)
	}
	y.inspected(run.Clean, base, tree)
	got := findings(y.inspection().Findings)
	for _, want := range []string{"refs/heads/main moved from commit " + base[:12], "refs/tags/v1 was created", "made commits of its own"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if y.git("-C", y.root, "rev-parse", "main") != sha {
		t.Error("something was put back")
	}
}

func TestRow9PlanningChangesNothing(t *testing.T) {
	y := newYard(t, nil)
	base := y.head()
	y.want(run.OK, y.command(run.Prepare, 1, run.Command{Purpose: run.MakePlan, Base: base}))
	inspect := func() run.Command {
		return y.command(run.Inspect, 1, run.Command{Purpose: run.MakePlan, Base: base})
	}
	y.put(y.slot(1), "new.txt", "x\n")
	y.put(y.slot(1), ".kedge/plan.md", "mine\n")
	if ev := y.want(run.Outside, inspect()); ev.Reason != ".kedge/plan.md, new.txt" {
		t.Errorf("it says %q", ev.Reason)
	}
	y.want(run.OK, y.command(run.Revert, 1, run.Command{Purpose: run.MakePlan, Base: base, Reason: "planning"}))
	if y.read(y.slot(1), "new.txt")+y.read(y.slot(1), ".kedge/plan.md") != "" || len(y.book.salvages) != 1 {
		t.Errorf("not undone, or not set aside: %+v", y.book.salvages)
	}
	if j, err := y.cfg.Slots.Job(runID, 1); err != nil || j.Slot != 0 {
		t.Errorf("a plan that is over has slot %d, %v", j.Slot, err)
	}
	y.want(run.OK, y.command(run.Prepare, 1, run.Command{Purpose: run.MakePlan, Base: base}))
	y.want(run.Empty, inspect())
}
