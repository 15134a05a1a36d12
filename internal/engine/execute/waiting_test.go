package execute_test

import (
	"strings"
	"testing"

	"kedge"
	"kedge/internal/core/run"
	"kedge/internal/engine/gate"
)

// waits makes a command of the plan one that another feature could still make green.
func (y *yard) waits(line string) {
	y.book.plans = []kedge.Check{{Name: "plan-validation-1", Run: line}}
	y.book.later = map[string]string{"plan-validation-1": "due with the last"}
}

func (y *yard) proved(job int, id kedge.FeatureID, base string) run.Input {
	y.t.Helper()
	return y.want(run.NoChecks, y.command(run.Prove, job, run.Command{Feature: id, Base: base}))
}

// TestRow109WhatASlotSaysExcusesNothing: a file that git ignores makes a command of the
// plan red in the slot before the work. The gate of the merged work finds it green on the
// tip, in the clean worktree, and refuses the work that makes it red.
func TestRow109WhatASlotSaysExcusesNothing(t *testing.T) {
	y := newYard(t, map[string]string{".gitignore": "*.ign\n"})
	y.waits("test ! -e trap.ign && test ! -e broken.txt")
	y.feature("one")
	base := y.head()
	y.prepared(1, "one", base)
	y.put(y.slot(1), "trap.ign", "left by an earlier agent\n")
	if ev := y.proved(1, "one", base); !strings.Contains(ev.Text, "plan-validation-1") {
		t.Fatalf("before the work: %+v", ev)
	}
	y.put(y.slot(1), "broken.txt", "x\n")
	tree := y.gated(run.Green, 1, "one", base).Tree
	y.epoch += 20
	ev := y.brokenOff(y.command(run.Integrate, 1, run.Command{Feature: "one", Base: base, Tree: tree, Scope: "full"}))
	if ev.Outcome != run.Red || !strings.Contains(ev.Failure, "plan-validation-1") {
		t.Errorf("integrated: %+v", ev)
	}
	for _, e := range y.book.evidence {
		if e.For == kedge.StageIntegrate && e.Verdict.Green() {
			t.Errorf("a green verdict on it is recorded: %+v", e.Verdict)
		}
	}
	if got := y.git("-C", y.clean(), "status", "--porcelain"); got != "" {
		t.Errorf("the clean worktree is left with %s", got)
	}
}

// TestRow109RedOnTheTipToo: such a command waits; on the tip that its tree becomes it does
// not run again.
func TestRow109RedOnTheTipToo(t *testing.T) {
	y := newYard(t, nil)
	count := t.TempDir() + "/count"
	y.waits("pwd >> " + count + "; test -e last.txt")
	y.feature("one", own("test -e one.txt"))
	y.feature("two", own("test -e two.txt"))
	tip := y.worked("one", y.head(), map[string]string{"one.txt": "1\n"})
	inClean := func() int { return strings.Count(y.read("", count), y.clean()+"\n") }
	if n := inClean(); n != 2 { // the merged work, and the tip that it was merged onto
		t.Errorf("it ran %d times in the clean worktree", n)
	}
	last := y.book.evidence[len(y.book.evidence)-1].Verdict
	if len(gate.Deferred(y.book.plans, last)) != 1 || !last.Green() {
		t.Errorf("the verdict: %+v", last)
	}
	y.worked("two", tip, map[string]string{"two.txt": "2\n"})
	if n := inClean(); n != 3 {
		t.Errorf("it ran %d times in the clean worktree", n)
	}
}

// TestRow109AJobGoesByItsOwnBase: a job that was prepared where a command was red is not
// blamed for that after another made it green and completed the plan's other features; one
// that was prepared where it was green is.
func TestRow109AJobGoesByItsOwnBase(t *testing.T) {
	y := newYard(t, nil)
	y.waits("test -e one.txt")
	y.feature("one", own("test -e one.txt"))
	y.feature("two")
	base := y.head()
	y.prepared(2, "two", base)
	y.proved(2, "two", base)
	y.put(y.slot(1), "two.txt", "two\n")
	tip := y.worked("one", base, map[string]string{"one.txt": "1\n"})
	y.book.later = nil // it is the last one now
	tree := y.gated(run.Green, 2, "two", base).Tree
	in := y.integrated(run.Green, 2, "two", tip, tree)
	if len(gate.Deferred(y.book.plans, y.book.evidence[len(y.book.evidence)-1].Verdict)) != 0 {
		t.Error("it was not due in the merged work")
	}
	tip = y.want(run.OK, y.command(run.Commit, 2, run.Command{Feature: "two", Base: tip, Tree: in.Tree, Evidence: in.Evidence})).Commit

	y.waits("test -e one.txt")
	y.feature("three")
	y.prepared(3, "three", tip)
	y.proved(3, "three", tip)
	j, err := y.cfg.Slots.Job(runID, 3)
	y.must(err)
	y.git("-C", y.slot(j.Slot), "rm", "-q", "-f", "one.txt")
	tree = y.gated(run.Green, 3, "three", tip).Tree
	y.integrated(run.Red, 3, "three", tip, tree)
}
