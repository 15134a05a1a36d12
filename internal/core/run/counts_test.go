package run_test

import (
	"strings"
	"testing"

	"kedge"
	"kedge/internal/core/config"
	"kedge/internal/core/run"
)

// TestReopenedWhileItIsSetAside: what a person says of a feature while its job gives it up
// counts, at every step of that, and is what the ledger has last.
func TestReopenedWhileItIsSetAside(t *testing.T) {
	for _, at := range []run.CommandKind{run.Checkpoint, run.Revert, run.Ledger} {
		for _, end := range []run.InputKind{run.Barred, run.Skipped} {
			d := begin(t, config.Rules{}, feature("a"))
			d.until(run.StartSession)
			d.person(end, "a")
			d.until(at)
			d.person(run.Reopened, "a")
			d.until("")
			if d.want(run.StatusDone, done); d.count(run.Commit) != 1 {
				t.Errorf("%s, then reopened at %s: %d commits", end, at, d.count(run.Commit))
			}
			ended := ""
			for _, c := range d.all {
				if c.Kind == run.Ledger || c.Kind == run.Mark {
					ended += " " + string(c.Status)
				}
			}
			if gone := map[run.InputKind]string{run.Barred: "blocked", run.Skipped: "skipped"}[end]; strings.LastIndex(ended, "pending") < strings.LastIndex(ended, gone) {
				t.Errorf("%s, then reopened at %s: the ledger is told%s", end, at, ended)
			}
		}
	}
}

// TestOtherWordsWhileItIsSetAside: the last word counts, whichever it is.
func TestOtherWordsWhileItIsSetAside(t *testing.T) {
	for _, at := range []run.CommandKind{run.Revert, run.Ledger} {
		d := begin(t, config.Rules{}, feature("a"))
		d.until(run.StartSession)
		d.person(run.Barred, "a")
		d.until(at)
		d.person(run.Reopened, "a")
		d.person(run.Skipped, "a")
		d.until("")
		d.want(run.StatusDone, kedge.Skipped)

		d = begin(t, config.Rules{}, feature("a"))
		d.until(run.StartSession)
		d.person(run.Barred, "a")
		d.until(at)
		d.person(run.Amended, "a")
		d.until("")
		d.want(run.StatusDone, done)
	}
}

// TestReopenedWhileItWaitsForAReview: the work that waits is set aside, and made again
// when the run continues.
func TestReopenedWhileItWaitsForAReview(t *testing.T) {
	d := begin(t, config.Rules{}, feature("a"))
	d.until(run.Inspect)
	d.answer(run.Inspect, run.Outside, because("elsewhere"))
	d.want(run.StatusWaiting, kedge.NeedsReview)
	d.person(run.Reopened, "a")
	d.until("")
	if d.want(run.StatusStopped, pending); d.count(run.Revert) != 1 {
		t.Errorf("%d times set aside", d.count(run.Revert))
	}
	d.person(run.Continued, "")
	d.until("")
	d.want(run.StatusDone, done)
}

// TestNoFixOfWhatIsGreen: a red baseline is looked at again before a session is paid for
// it, and a feature that is red again too. Each is green by then: nobody works on it.
func TestNoFixOfWhatIsGreen(t *testing.T) {
	d := begin(t, config.Rules{}, feature("a"))
	d.until(run.Gate)
	d.answer(run.Gate, run.Red)
	d.until(run.Gate)
	if c := d.outstanding(run.Gate); c.Purpose != run.FixFirst || c.Tree == "" {
		t.Fatalf("next is %+v", c)
	}
	d.answer(run.Gate, run.Green)
	if l := d.outstanding(run.Ledger); l.Feature != "" || !l.Flaky || l.Commit != "" || l.Status != kedge.Completed {
		t.Errorf("the ledger says %+v", l)
	}
	d.until("")
	if d.want(run.StatusDone, done); d.count(run.StartSession, run.FixFirst) != 0 {
		t.Error("a session mends what is green")
	}

	d = begin(t, config.Rules{}, completed("a"), feature("b"))
	d.until(run.Gate)
	d.answer(run.Gate, run.Regressed, broke("a"))
	d.until(run.Prove)
	if c := d.outstanding(run.Prove); c.Feature != "a" || !c.Flaky {
		t.Errorf("what was seen before counts: %+v", c)
	}
	d.answer(run.Prove, run.Green)
	d.until(run.Commit)
	if c := d.outstanding(run.Commit); c.Feature != "b" || d.count(run.StartSession) != 1 {
		t.Errorf("%s, after %d sessions", c.Feature, d.count(run.StartSession))
	}
}

// TestTheTipMovedBeforeTheFix: a fix that could not start goes on from where the user is by
// then, and looks there first.
func TestTheTipMovedBeforeTheFix(t *testing.T) {
	d := begin(t, config.Rules{}, feature("a"))
	d.until(run.Gate)
	d.answer(run.Gate, run.Red)
	d.stillRed()
	d.outstanding(run.Brief)
	d.person(run.PauseAsked, "")
	d.answer(run.Brief, run.OK)
	d.do(run.Input{Kind: run.Continued, Actor: kedge.Human("ann"), Commit: "c-mended", Head: "c-mended"})
	if c := d.outstanding(run.Prepare); c.Base != "c-mended" || c.Purpose != run.FixFirst {
		t.Fatalf("goes on with %+v", c)
	}
	d.until("")
	if d.want(run.StatusDone, done); d.count(run.StartSession, run.FixFirst) != 0 {
		t.Error("a session mends what is green")
	}
}

// TestTheTipMovedBeforeTheRepair: the failure of a merge is looked for again on the merge
// with the tip of then, before the one repair is spent on it.
func TestTheTipMovedBeforeTheRepair(t *testing.T) {
	for _, still := range []run.Outcome{run.Green, run.Red} {
		d := begin(t, config.Rules{Parallel: 2}, feature("a"), feature("b"))
		for range 2 {
			d.answer(run.Prepare, run.OK)
		}
		d.until(run.Commit)
		d.answer(run.Commit, run.OK)
		d.until(run.Integrate)
		second := d.outstanding(run.Integrate)
		d.person(run.PauseAsked, "")
		d.answer(run.Integrate, run.Red)
		d.do(run.Input{Kind: run.Continued, Actor: kedge.Human("ann"), Commit: "c9", Head: "c-users"})
		d.until(run.Gate)
		c := d.outstanding(run.Gate)
		if c.Job != second.Job || c.Base != "c9" || c.Tree != "" {
			t.Fatalf("looks at %+v", c)
		}
		d.answer(run.Gate, still)
		d.until("")
		repairs := map[run.Outcome]int{run.Green: 0, run.Red: 1}[still]
		if d.want(run.StatusDone, done, done); d.count(run.StartSession, run.Repair) != repairs {
			t.Errorf("%s: %d repairs", still, d.count(run.StartSession, run.Repair))
		}
	}
}

// nothingLeft says that the merge changes nothing, for others have made the same.
func nothingLeft(ev *run.Input) { ev.Moot, ev.Text = true, `done by 1a2b3c4 (feature "a")` }

// TestNothingLeftAfterTheMerge: such work is not committed, and its feature is done by it in
// no case: it waits for a person, who is told who has made it and can accept that.
func TestNothingLeftAfterTheMerge(t *testing.T) {
	for _, outcome := range []run.Outcome{run.Green, run.Empty} {
		d := begin(t, config.Rules{}, feature("a"), feature("b", "a"))
		d.until(run.Integrate)
		d.answer(run.Integrate, outcome, nothingLeft)
		d.until("")
		d.want(run.StatusStopped, kedge.NeedsReview, pending)
		l := d.all[len(d.all)-1]
		for _, c := range d.all {
			if c.Kind == run.Ledger {
				l = c
			}
		}
		if d.count(run.Commit) != 0 || !strings.Contains(l.Reason, `nothing is left of its work after the merge: done by 1a2b3c4 (feature "a")`) || l.Evidence == "" || l.Commit != "" {
			t.Errorf("%s: the ledger says %+v", outcome, l)
		}
		if d.s.Features[0].Aside || d.s.Features[0].Work != "" {
			t.Errorf("%s: %+v", outcome, d.s.Features[0])
		}
		d.person(run.Accepted, "a")
		d.person(run.Continued, "")
		d.until(run.Prove)
		d.answer(run.Prove, run.Green)
		d.until("")
		d.want(run.StatusDone, done, done)
	}
}

// TestNothingLeftOfARegressionsRepair: what was done before is done again by whoever did it.
func TestNothingLeftOfARegressionsRepair(t *testing.T) {
	d := begin(t, config.Rules{}, completed("a"), feature("b"))
	d.until(run.Gate)
	d.answer(run.Gate, run.Regressed, broke("a"))
	d.until(run.Integrate)
	d.answer(run.Integrate, run.Green, nothingLeft)
	l := func() run.Command { d.until(run.Ledger); return d.outstanding(run.Ledger) }()
	if l.Feature != "a" || l.Status != kedge.Completed || l.Commit != "c0" || d.count(run.Commit) != 0 {
		t.Errorf("the ledger says %+v", l)
	}
	d.until("")
	d.want(run.StatusDone, done, done)
}

// TestNothingLeftAndRed: work that is red stays red, whoever made it.
func TestNothingLeftAndRed(t *testing.T) {
	d := begin(t, config.Rules{}, feature("a"))
	d.until(run.Integrate)
	d.answer(run.Integrate, run.Red, nothingLeft)
	d.until(run.StartSession)
	if c := d.outstanding(run.StartSession); c.Purpose != run.Repair {
		t.Errorf("a session for %s", c.Purpose)
	}
}

// TestNothingLeftOfAFix: whoever mended the baseline, nobody has to.
func TestNothingLeftOfAFix(t *testing.T) {
	d := begin(t, config.Rules{}, feature("a"))
	d.until(run.Gate)
	d.answer(run.Gate, run.Red)
	d.stillRed()
	d.until(run.Integrate)
	d.answer(run.Integrate, run.Green, nothingLeft)
	d.until("")
	if d.want(run.StatusDone, done); d.count(run.Commit) != 1 || d.s.Red.Tree != "" {
		t.Errorf("%d commits, red: %+v", d.count(run.Commit), d.s.Red)
	}
}

// TestDeniedIsProvedAnew: after a no, nothing that was seen before it counts, and checks
// that are green without the new work prove nothing about it.
func TestDeniedIsProvedAnew(t *testing.T) {
	deny := func() *drive {
		d := begin(t, config.Rules{}, feature("a"))
		d.until(run.Inspect)
		d.answer(run.Inspect, run.Outside, because("elsewhere"))
		d.person(run.Denied, "a")
		d.until("")
		d.want(run.StatusStopped, blocked)
		d.person(run.Reopened, "a")
		d.person(run.Continued, "")
		d.until(run.Gate)
		if c := d.outstanding(run.Gate); c.Tree == "" || !c.Flaky {
			t.Fatalf("the baseline of before is taken: %+v", c)
		}
		d.until(run.Prove)
		if !d.outstanding(run.Prove).Flaky {
			t.Error("the proof of before is taken")
		}
		return d
	}
	d := deny()
	d.until("")
	if d.want(run.StatusDone, done); d.s.Features[0].Denied {
		t.Error("done, and still denied")
	}
	d = deny()
	d.answer(run.Prove, run.Green)
	d.until("")
	d.want(run.StatusStopped, kedge.NeedsReview)
	if f := d.s.Features[0]; f.Work == "" || !f.Waits() || d.s.Landed == d.s.Tip && d.s.LandRefusal == "" {
		t.Errorf("%+v landed", f)
	}
	d.person(run.Accepted, "a")
	d.until("")
	d.want(run.StatusDone, done)

	d = deny()
	d.person(run.Amended, "a") // another definition: nobody said no to it
	d.until(run.Prove)
	if d.outstanding(run.Prove).Flaky {
		t.Error("amended, and still denied")
	}
}
