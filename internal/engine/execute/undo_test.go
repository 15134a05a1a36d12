package execute_test

import (
	"strings"
	"testing"

	"kedge/internal/core/run"
)

// takingBack are the commands of a job that takes work back.
func (y *yard) takingBack(kind run.CommandKind, tip, work string, with run.Command) run.Command {
	with.Feature, with.Base, with.Commit, with.Purpose, with.Scope, with.Reason = "one", tip, work, run.TakeBack, "full", "refused by ann: no"
	return y.command(kind, 9, with)
}

// TestTakenBackAsItCame: the work goes, its test with it, what came later stays; done
// with interruptions, and twice, it is one commit. What the verdict says it says of
// no feature.
func TestTakenBackAsItCame(t *testing.T) {
	y := newYard(t, nil)
	y.feature("one")
	y.feature("two")
	work := y.worked("one", y.head(), map[string]string{"a.txt": "of one\n", "one_test.go": "package a\n\nfunc TestOne(t *testing.T) { t.Fatal() }\n"})
	y.must(y.cfg.Slots.Release(t.Context(), runID, 1))
	tip := y.worked("two", work, map[string]string{"two.txt": "two\n"})
	judged := len(y.book.evidence)
	in := y.brokenOff(y.takingBack(run.Integrate, tip, work[:16], run.Command{}))
	if in.Outcome != run.Green || in.Evidence == "" {
		t.Fatalf("integrated: %+v", in)
	}
	for _, e := range y.book.evidence[judged:] {
		if e.Feature != "" {
			t.Errorf("it proves something about %q", e.Feature)
		}
	}
	y.epoch += 20
	c := y.takingBack(run.Commit, tip, work[:16], run.Command{Tree: in.Tree, Evidence: in.Evidence})
	ev := y.brokenOff(c)
	y.epoch += 20
	if again := y.do(adopted(c)); again.Commit != ev.Commit || ev.Outcome != run.OK {
		t.Errorf("done twice it is %s and %s", ev.Commit, again.Commit)
	}
	if files := y.git("-C", y.root, "ls-tree", "--name-only", ev.Commit); strings.Contains(files, "one_test.go") || !strings.Contains(files, "two.txt") {
		t.Errorf("it holds\n%s", files)
	}
	if got := y.git("-C", y.root, "show", ev.Commit+":a.txt"); got != "a" {
		t.Errorf("a.txt is %q", got)
	}
	message := y.git("-C", y.root, "log", "-1", "--format=%B", ev.Commit)
	for _, want := range []string{"Take back The one\n", "refused by ann: no\n", "Kedge-Reverts: " + work[:16], "Kedge-Validated: "} {
		if !strings.Contains(message, want) {
			t.Errorf("no %q in\n%s", want, message)
		}
	}
	if strings.Contains(message, "Kedge-Feature") {
		t.Error("it is no work on the feature")
	}
}

// TestNotTakenBack: later work on the same lines keeps it; the clean worktree is as
// before.
func TestNotTakenBack(t *testing.T) {
	y := newYard(t, nil)
	y.feature("one")
	y.feature("two")
	work := y.worked("one", y.head(), map[string]string{"a.txt": "of one\n"})
	y.must(y.cfg.Slots.Release(t.Context(), runID, 1))
	tip := y.worked("two", work, map[string]string{"a.txt": "of two\n"})
	ev := y.twice(y.takingBack(run.Integrate, tip, work, run.Command{}))
	if ev.Outcome != run.Conflicting || ev.Failure != "a.txt" {
		t.Fatalf("integrated: %+v", ev)
	}
	if got := y.git("-C", y.clean(), "status", "--porcelain"); got != "" {
		t.Errorf("the clean worktree is left with %s", got)
	}
}
