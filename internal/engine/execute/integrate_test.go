package execute_test

import (
	"os"
	osexec "os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/core/run"
)

func TestRow13And99TheWorkCommitIsWhatWasJudged(t *testing.T) {
	y := newYard(t, nil)
	y.feature("one", own("grep -q done a.txt"))
	base := y.head()
	y.prepared(1, "one", base)
	y.sessionOf(1, "ses-00000000000000000000000009")
	y.put(y.slot(1), "a.txt", "done\n")
	y.put(y.slot(1), ".kedge/features.json", `{"features": "all done"}`)
	tree := y.gated(run.Green, 1, "one", base).Tree
	in := y.brokenOff(y.command(run.Integrate, 1, run.Command{Feature: "one", Base: base, Tree: tree, Scope: "full"}))
	if in.Outcome != run.Green || in.Evidence == "" || in.Tree != tree {
		t.Fatalf("integrated: %+v", in)
	}
	y.epoch += 20
	c := y.command(run.Commit, 1, run.Command{Feature: "one", Base: base, Tree: in.Tree, Evidence: in.Evidence})
	ev := y.brokenOff(c)
	y.epoch += 20
	if ev.Outcome != run.OK || ev.Tree != in.Tree {
		t.Fatalf("committed: %+v", ev)
	}
	y.book.features[0].Name = "renamed meanwhile" // amended: still the same commit
	if again := y.do(adopted(c)); again.Commit != ev.Commit {
		t.Errorf("done twice it is %s and %s", ev.Commit, again.Commit)
	}
	y.isJudged(ev.Commit, in.Evidence, base)
	if got := y.git("-C", y.clean(), "status", "--porcelain"); got != "" {
		t.Errorf("the clean worktree is not clean: %s", got)
	}
	if y.head() != base || y.read(y.root, "a.txt") != "a\n" {
		t.Error("the user's checkout is touched")
	}
}

// isJudged holds a work commit against its evidence.
func (y *yard) isJudged(commit string, id kedge.EvidenceID, parent string) {
	y.t.Helper()
	i := slices.IndexFunc(y.book.evidence, func(e kedge.Evidence) bool { return e.ID == id })
	if i < 0 {
		y.t.Fatalf("no evidence %s", id)
	}
	tree := y.git("-C", y.root, "rev-parse", commit+"^{tree}")
	if v := y.book.evidence[i].Verdict; v.Tree != tree || v.Partial || !v.Green() {
		y.t.Errorf("the commit has tree %s, the verdict is %+v", tree, v)
	}
	message := y.git("-C", y.root, "log", "-1", "--format=%an <%ae> %aI %P%n%B", commit)
	for _, want := range []string{
		"Ann <ann@example.com> 2026-03-01T12:00:00+00:00 " + parent, "The one\n", "Kedge-Feature: one", "Kedge-Session: ses-", "Kedge-Validated: " + tree,
	} {
		if !strings.Contains(message, want) {
			y.t.Errorf("no %q in\n%s", want, message)
		}
	}
	if files := y.git("-C", y.root, "diff", "--name-only", parent, commit); files != "a.txt" {
		y.t.Errorf("it changes %q", files)
	}
	if at := y.git("-C", y.root, "rev-parse", "kedge/"+string(runID)); at != commit {
		y.t.Errorf("the branch is at %s", at)
	}
}

func TestWorkOnAnOlderBaseIsMerged(t *testing.T) {
	y := newYard(t, nil)
	y.feature("one")
	y.feature("two", own("grep -q one one.txt && grep -q two two.txt")) // needs both
	base := y.head()
	y.prepared(2, "two", base)
	y.put(y.slot(1), "two.txt", "two\n")
	tip := y.worked("one", base, map[string]string{"one.txt": "one\n"})
	y.put(y.slot(1), "one.txt", "one\n") // so that its own gate is green
	tree := y.gated(run.Green, 2, "two", base).Tree
	in := y.integrated(run.Green, 2, "two", tip, tree)
	ev := y.want(run.OK, y.command(run.Commit, 2, run.Command{Feature: "two", Base: tip, Tree: in.Tree, Evidence: in.Evidence}))
	if files := y.git("-C", y.root, "ls-tree", "--name-only", ev.Commit); !strings.Contains(files, "one.txt\ntwo.txt") {
		t.Errorf("the commit holds\n%s", files)
	}
}

func TestConflictIsTheRepairOnTheNewBase(t *testing.T) {
	y := newYard(t, nil)
	y.feature("one")
	y.feature("two")
	base := y.head()
	y.prepared(2, "two", base)
	y.put(y.slot(1), "a.txt", "of two\n")
	y.put(y.slot(1), "two.txt", "two\n")
	tip := y.worked("one", base, map[string]string{"a.txt": "of one\n"})
	tree := y.gated(run.Green, 2, "two", base).Tree
	c := y.command(run.Integrate, 2, run.Command{Feature: "two", Base: tip, Tree: tree, Scope: "full"})
	ev := y.twice(c)
	if ev.Outcome != run.Conflicting || ev.Failure != "a.txt" {
		t.Fatalf("integrated: %+v", ev)
	}
	if got := y.git("-C", y.clean(), "status", "--porcelain"); got != "" {
		t.Errorf("the clean worktree is left with %s", got)
	}
	again := y.brokenOff(y.command(run.Prepare, 2, run.Command{Feature: "two", Base: tip, Carry: tree}))
	if again.Outcome != run.OK || again.Commit != tip {
		t.Fatalf("prepared: %+v", again)
	}
	got := y.read(y.slot(1), "a.txt")
	if !strings.Contains(got, "<<<<<<<") || !strings.Contains(got, "of one") || !strings.Contains(got, "of two") {
		t.Errorf("the conflict stands there as %q", got)
	}
	if y.read(y.slot(1), "two.txt") != "two\n" {
		t.Error("its own work is gone")
	}
	y.epoch += 20
	y.put(y.slot(1), "a.txt", "of both\n")
	tree = y.gated(run.Green, 2, "two", tip).Tree
	y.integrated(run.Green, 2, "two", tip, tree)
}

func TestARedMergeLeavesNothingBehind(t *testing.T) {
	y := newYard(t, map[string]string{"check.sh": "test \"$(cat *.n | wc -l)\" -lt 2\n", "zero.n": ""})
	y.feature("one")
	y.feature("two")
	base := y.head()
	y.prepared(2, "two", base)
	y.put(y.slot(1), "two.n", "2\n")
	tip := y.worked("one", base, map[string]string{"one.n": "1\n"})
	tree := y.gated(run.Green, 2, "two", base).Tree
	ev := y.integrated(run.Red, 2, "two", tip, tree)
	if !strings.Contains(ev.Failure, `"unit"`) || ev.Evidence == "" {
		t.Errorf("integrated: %+v", ev)
	}
	if got := y.git("-C", y.clean(), "status", "--porcelain"); got != "" || y.read(y.clean(), "two.n") != "" {
		t.Errorf("the red candidate stays: %s", got)
	}
	if at := y.git("-C", y.root, "rev-parse", "kedge/"+string(runID)); at != tip {
		t.Errorf("the branch is at %s", at)
	}
}

// TestPoisonedDependencies: an agent that changes ignored files gets nothing past
// the clean worktree, which has its own.
func TestPoisonedDependencies(t *testing.T) {
	y := newYard(t, map[string]string{
		".kedge/config.toml": "version = 1\n[worktree]\nsetup = \"mkdir -p deps && echo sound > deps/lib\"\n",
		"check.sh":           "cat deps/lib\n",
	})
	y.feature("one", own("grep -q poisoned deps/lib"))
	base := y.head()
	y.prepared(1, "one", base)
	y.put(y.slot(1), "deps/lib", "poisoned\n")
	y.put(y.slot(1), "a.txt", "pretence\n")
	tree := y.gated(run.Green, 1, "one", base).Tree
	ev := y.integrated(run.Red, 1, "one", base, tree)
	if !strings.Contains(ev.Failure, `"own"`) {
		t.Errorf("integrated: %+v", ev)
	}
}

// TestNodeModulesArePoisonedInVain is the same with the real thing.
func TestNodeModulesArePoisonedInVain(t *testing.T) {
	for _, tool := range []string{"node"} {
		if _, err := osexec.LookPath(tool); err != nil {
			t.Skipf("no %s on this machine", tool)
		}
	}
	y := newYard(t, map[string]string{
		".gitignore":         "node_modules/\n",
		".kedge/config.toml": "version = 1\n[worktree]\nsetup = \"mkdir -p node_modules/add && cp vendored.js node_modules/add/index.js\"\ninputs = [\"vendored.js\"]\n",
		".kedge/gate.toml":   "version = 1\n[[check]]\nname = \"unit\"\nrun = \"node test.js\"\n",
		"vendored.js":        "module.exports = (a, b) => a + b\n",
		"test.js":            "if (require('add')(1, 1) !== 2) throw new Error('add is broken')\n",
	})
	y.feature("three", own("node -e \"if (require('add')(1, 1) !== 3) process.exit(1)\""))
	base := y.head()
	y.prepared(1, "three", base)
	y.want(run.Fails, y.command(run.Prove, 1, run.Command{Feature: "three", Base: base}))
	y.put(y.slot(1), "node_modules/add/index.js", "module.exports = (a, b) => new Error().stack.includes('test.js') ? a + b : 3\n")
	y.put(y.slot(1), "index.js", "// all done\n")
	tree := y.gated(run.Green, 1, "three", base).Tree
	y.integrated(run.Red, 1, "three", base, tree)
}

func TestASetupThatTheWorkBreaksIsNotTheEnvironments(t *testing.T) {
	y := newYard(t, map[string]string{
		".kedge/config.toml": "version = 1\n[worktree]\nsetup = \"grep -q fine lock\"\ninputs = [\"lock\"]\n", "lock": "fine\n",
	})
	y.feature("one")
	base := y.head()
	y.prepared(1, "one", base)
	y.put(y.slot(1), "lock", "broken\n")
	tree := y.gated(run.Green, 1, "one", base).Tree
	ev := y.integrated(run.Red, 1, "one", base, tree)
	if !strings.Contains(ev.Failure, "setup") {
		t.Errorf("integrated: %+v", ev)
	}
}

func TestRow100EvidenceOfABrowserIsKept(t *testing.T) {
	y := newYard(t, nil)
	y.feature("shop", kedge.Check{
		Name: "e2e", Kind: kedge.CheckE2E, Run: "mkdir -p shots && echo png > shots/order.png && grep -q done a.txt", Evidence: []string{"shots/**"},
	})
	base := y.head()
	y.prepared(1, "shop", base)
	y.put(y.slot(1), "a.txt", "done\n")
	tree := y.gated(run.Green, 1, "shop", base).Tree
	if strings.Contains(y.git("-C", y.root, "ls-tree", "-r", "--name-only", tree), "shots") {
		t.Error("what a check left is part of the work")
	}
	in := y.integrated(run.Green, 1, "shop", base, tree)
	i := slices.IndexFunc(y.book.evidence, func(e kedge.Evidence) bool { return e.ID == in.Evidence })
	var kept []string
	for _, r := range y.book.evidence[i].Verdict.Checks {
		kept = append(kept, r.Evidence...)
	}
	if len(kept) != 1 || y.read("", kept[0]) != "png\n" {
		t.Errorf("kept %q", kept)
	}
	y.want(run.OK, y.command(run.Commit, 1, run.Command{Feature: "shop", Base: base, Tree: in.Tree, Evidence: in.Evidence}))
}

// TestRow13And100WhatChecksLeaveIsNoWork: a picture that the check of a feature takes
// before the work, and again of red work, is in no commit of the work.
func TestRow13And100WhatChecksLeaveIsNoWork(t *testing.T) {
	y := newYard(t, nil)
	y.feature("shop", kedge.Check{
		Name: "e2e", Kind: kedge.CheckE2E, Run: "mkdir -p shots && echo png > shots/order.png && grep -q done a.txt", Evidence: []string{"shots/**"},
	})
	base := y.head()
	y.prepared(1, "shop", base)
	left := func(when string) {
		t.Helper()
		if got := y.git("-C", y.slot(1), "status", "--porcelain", "--", "shots"); got != "" {
			t.Errorf("%s the slot has %s", when, got)
		}
	}
	y.want(run.Fails, y.command(run.Prove, 1, run.Command{Feature: "shop", Base: base}))
	left("before the work")
	y.put(y.slot(1), "a.txt", "half\n")
	y.gated(run.Red, 1, "shop", base)
	left("after red work")
	y.put(y.slot(1), "a.txt", "done\n")
	tree := y.gated(run.Green, 1, "shop", base).Tree
	if names := y.git("-C", y.root, "ls-tree", "-r", "--name-only", tree); strings.Contains(names, "shots") || !strings.Contains(names, "a.txt") {
		t.Errorf("the work is %s", names)
	}
	in := y.integrated(run.Green, 1, "shop", base, tree)
	done := y.want(run.OK, y.command(run.Commit, 1, run.Command{Feature: "shop", Base: base, Tree: in.Tree, Evidence: in.Evidence}))
	if names := y.git("-C", y.root, "show", "--format=", "--name-only", done.Commit); strings.Contains(names, "shots") {
		t.Errorf("committed %s", names)
	}
}

// TestRow100WorkAmongTheEvidenceStays: what an agent itself put where a check leaves
// its pictures is its work, as it left it.
func TestRow100WorkAmongTheEvidenceStays(t *testing.T) {
	y := newYard(t, nil)
	y.feature("shop", kedge.Check{
		Name: "e2e", Kind: kedge.CheckE2E, Run: "mkdir -p shots && echo png > shots/order.png && grep -q done a.txt", Evidence: []string{"shots/**"},
	})
	base := y.head()
	y.prepared(1, "shop", base)
	y.put(y.slot(1), "shots/order.png", "drawn\n")
	y.put(y.slot(1), "shots/README", "what these are\n")
	y.put(y.slot(1), "a.txt", "done\n")
	y.gated(run.Green, 1, "shop", base)
	if got := y.read(y.slot(1), "shots/order.png") + y.read(y.slot(1), "shots/README"); got != "drawn\nwhat these are\n" {
		t.Errorf("the agent's files are %q", got)
	}
}

func TestF16SomebodyMovedTheBranch(t *testing.T) {
	for name, meddle := range map[string][]string{
		"deleted": {"update-ref", "-d", "refs/heads/kedge/" + string(runID)},
		"moved":   {"update-ref", "refs/heads/kedge/" + string(runID), "refs/heads/elsewhere"},
	} {
		t.Run(name, func(t *testing.T) {
			y := newYard(t, nil)
			y.feature("one")
			y.feature("two")
			base := y.head()
			tip := y.worked("one", base, map[string]string{"one.txt": "1\n"})
			y.prepared(2, "two", tip)
			y.put(y.slot(2), "two.txt", "2\n")
			tree := y.gated(run.Green, 2, "two", tip).Tree
			in := y.integrated(run.Green, 2, "two", tip, tree)
			y.git("-C", y.root, "branch", "elsewhere", y.git("-C", y.root, "commit-tree", "-m", "x", base+"^{tree}"))
			y.git(append([]string{"-C", y.root}, meddle...)...)
			refs := y.git("-C", y.root, "show-ref")
			ev := y.want(run.Drifted, y.command(run.Commit, 2, run.Command{Feature: "two", Base: tip, Tree: in.Tree, Evidence: in.Evidence}))
			if !strings.Contains(ev.Reason, "kedge/"+string(runID)) {
				t.Errorf("it says %q", ev.Reason)
			}
			y.want(run.Drifted, y.command(run.Integrate, 2, run.Command{Feature: "two", Base: tip, Tree: tree}))
			if y.git("-C", y.root, "show-ref") != refs || y.read(y.slot(2), "two.txt") != "2\n" {
				t.Error("something was reset")
			}
		})
	}
}

func TestF16SomebodyRemovedTheWorkTree(t *testing.T) {
	y := newYard(t, nil)
	y.feature("one")
	base := y.head()
	y.prepared(1, "one", base)
	y.must(os.RemoveAll(y.slot(1)))
	ev := y.want(run.Drifted, y.command(run.Gate, 1, run.Command{Feature: "one", Base: base, Scope: "touched"}))
	if !strings.Contains(ev.Reason, filepath.Base(y.slot(1))) {
		t.Errorf("it says %q", ev.Reason)
	}
	y.want(run.Drifted, y.command(run.Inspect, 1, run.Command{Feature: "one", Base: base, Tree: y.git("-C", y.root, "rev-parse", "HEAD^{tree}")}))
}

func TestF30BothVerdictsAreKept(t *testing.T) {
	y := newYard(t, nil)
	dir := t.TempDir()
	y.feature("one", own("if test -e "+dir+"/once; then exit 0; else : > "+dir+"/once; echo boom; exit 1; fi"))
	base := y.head()
	y.prepared(1, "one", base)
	red := y.gated(run.Red, 1, "one", base)
	green := y.gated(run.Green, 1, "one", base)
	if red.Tree != green.Tree || red.Environment != green.Environment || red.Evidence == green.Evidence {
		t.Errorf("the run cannot see that it is flaky: %+v, %+v", red, green)
	}
	if len(y.book.evidence) != 2 || y.book.evidence[0].Verdict.Green() || !y.book.evidence[1].Verdict.Green() {
		t.Errorf("kept %+v", y.book.evidence)
	}
}
