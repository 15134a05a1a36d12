package run_test

import (
	"testing"

	"kedge"
	"kedge/internal/core/config"
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
	d := begin(t, config.Rules{}, feature("a"), feature("b", "a"))
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
	d := begin(t, config.Rules{}, feature("a"), feature("b", "a"), feature("c", "b"))
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

// TestAnAmendedDependencyLeavesTheWork: a definition that differs in what it depends on
// alone asks for the same work. What is worked on, or done, stays so.
func TestAnAmendedDependencyLeavesTheWork(t *testing.T) {
	amended := func(d *drive, hash string, alike bool) {
		spec := feature("b", "a")
		spec.Hash = hash
		d.do(run.Input{Kind: run.Amended, Feature: "b", Hash: hash, Specs: []run.Spec{spec}, Alike: alike, Reason: "one more", Actor: kedge.Human("ann")})
	}
	for _, at := range []run.CommandKind{run.StartSession, run.Commit, run.Ledger} {
		d := begin(t, config.Rules{}, feature("b"), feature("a"))
		d.until(at)
		job := d.s.Jobs[0].ID
		amended(d, "h-more", true)
		if f := d.s.Features[0]; f.Hash != "h-more" || len(f.Needs) != 1 || d.s.Jobs[0].ID != job || d.s.Jobs[0].End == pending {
			t.Errorf("at %s: %+v, %+v", at, f, d.s.Jobs[0])
		}
		d.until("")
		d.want(run.StatusDone, done, done)
		if n := d.s.Features[0].Sessions; n != 1 {
			t.Errorf("at %s: %d sessions", at, n)
		}
	}
	d := begin(t, config.Rules{}, feature("b"), feature("a"))
	d.until(run.StartSession)
	amended(d, "h-other", false)
	amended(d, "h-more", true) // which does not make the first one unsaid
	d.answer(run.Checkpoint, run.OK)
	d.answer(run.StartSession, run.Closed)
	d.until(run.StartSession)
	if c := d.outstanding(run.StartSession); c.Job == 1 || c.Feature == "b" && c.Hash != "h-more" {
		t.Errorf("goes on with %+v", c)
	}
}
