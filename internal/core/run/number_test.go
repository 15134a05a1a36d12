package run_test

import (
	"testing"

	"kedge"
	"kedge/internal/core/run"
)

// number is that of the session which starts next.
func (d *drive) number() int {
	d.Helper()
	d.until(run.StartSession)
	return d.outstanding(run.StartSession).Number
}

// TestSessionsAreNumberedOn: neither an answer, nor a repair, nor another job of the
// feature starts the numbers of its sessions anew.
func TestSessionsAreNumberedOn(t *testing.T) {
	d := begin(t, run.Rules{}, feature("a"), feature("b", "a"))
	if n := d.number(); n != 1 {
		t.Fatalf("the first is number %d", n)
	}
	d.answer(run.StartSession, run.Asked, func(ev *run.Input) { ev.Text = "which one?" })
	d.answer(run.Checkpoint, run.OK)
	d.person(run.Answered, "a")
	if n := d.number(); n != 2 {
		t.Errorf("after an answer: number %d", n)
	}
	d.answer(run.StartSession, run.NoLogin) // none was started
	d.answer(run.Checkpoint, run.OK)
	d.person(run.Continued, "")
	if n := d.number(); n != 2 {
		t.Errorf("instead of one that could not be started: number %d", n)
	}
	d.person(run.Barred, "a")
	d.answer(run.Checkpoint, run.OK)
	d.answer(run.StartSession, run.Closed)
	d.until("")
	d.person(run.Reopened, "a")
	d.person(run.Continued, "")
	if n := d.number(); n != 3 {
		t.Errorf("reopened: number %d", n)
	}
	d.answer(run.StartSession, run.Finished)
	if n := d.number(); n != 1 {
		t.Errorf("the first of another feature is number %d", n)
	}
}

func TestPlanningSessionsAreNumberedOn(t *testing.T) {
	d := planned(t)
	for want := 1; want <= 3; want++ {
		if n := d.number(); n != want {
			t.Errorf("planning session %d is number %d", want, n)
		}
		d.until("")
		d.person(run.Answered, "")
	}
}

// TestAnAmendedDependencyHolds: a run that lives takes what a feature needs from the
// amended definition.
func TestAnAmendedDependencyHolds(t *testing.T) {
	d := begin(t, run.Rules{}, feature("a"), feature("b", "a"), feature("c", "b"))
	d.until(run.StartSession)
	d.person(run.PauseAsked, "")
	d.person(run.Skipped, "a")
	free := feature("b")
	free.Hash = "h-free"
	d.do(run.Input{
		Kind: run.Amended, Feature: "b", Hash: free.Hash, Specs: []run.Spec{free}, Reason: "without it", Actor: kedge.Human("ann"),
	})
	d.person(run.Continued, "")
	d.until("")
	d.want(run.StatusDone, kedge.Skipped, done, done)
}
