package run_test

import (
	"strings"
	"testing"

	"kedge/internal/core/config"
	"kedge/internal/core/run"
)

// integrating plays a run of one feature until its work is merged.
func integrating(t *testing.T, proved run.Outcome) *drive {
	t.Helper()
	d := begin(t, config.Rules{}, feature("a"))
	d.until(run.Prove)
	d.answer(run.Prove, proved)
	d.until(run.Integrate)
	return d
}

// merged answers the integration with green, and what the tests of the work leave open.
func (d *drive) merged(altered string, shown run.Outcome, untested string) {
	d.Helper()
	d.answer(run.Integrate, run.Green, func(ev *run.Input) { ev.Altered, ev.Shown, ev.Untested = altered, shown, untested })
}

func TestWorkThatChangesTestsWaits(t *testing.T) {
	d := integrating(t, run.Fails)
	sessions := d.count(run.StartSession)
	d.merged("it changes existing tests: a is gone", run.Red, "")
	d.want(run.StatusWaiting, review)
	if j := d.s.JobOf("a"); j.Phase != run.Reviewing || j.Doubt != run.DoubtAsked || !strings.Contains(d.s.Reason, "a is gone") {
		t.Fatalf("%+v, %q", j, d.s.Reason)
	}
	if d.count(run.StartSession) != sessions {
		t.Error("a session was spent on what only you can decide")
	}
	d.person(run.Approved, "a")
	if c := d.outstanding(run.Integrate); c.Doubt != run.DoubtLifted {
		t.Fatalf("%+v", c)
	}
	d.merged("it changes existing tests: a is gone", run.Red, "")
	d.until("")
	d.want(run.StatusDone, done)
}

func TestReopenedAfterItWasApproved(t *testing.T) {
	d := integrating(t, run.Fails)
	d.merged("it changes existing tests: a is gone", run.Red, "")
	d.person(run.Approved, "a")
	d.outstanding(run.Integrate)
	d.person(run.Reopened, "a")
	d.outstanding(run.Revert)
	if d.count(run.Commit) != 0 {
		t.Error("it is committed, and your last word was to do it again")
	}
	d.until("")
	d.want(run.StatusDone, done)
	if n := d.count(run.StartSession); n != 2 {
		t.Errorf("%d sessions", n)
	}
}

// TestWhatTestsShow: for each proof before the work, what its tests have to show after it.
func TestWhatTestsShow(t *testing.T) {
	for name, c := range map[string]struct {
		proved, shown run.Outcome
		repair        bool
	}{
		"red before, tested":              {run.Fails, run.Red, false},
		"red before, no tests":            {run.Fails, run.Empty, false},
		"red before, tests alone":         {run.Fails, run.Green, true},
		"red before, tests were wanted":   {run.Fails, run.Clean, false},
		"green before, tested":            {run.Tests, run.Red, false},
		"green before, no tests":          {run.Tests, run.Empty, true},
		"green before, tests of nothing":  {run.Tests, run.Green, true},
		"green before, tests were wanted": {run.Tests, run.Clean, false},
	} {
		t.Run(name, func(t *testing.T) {
			d := integrating(t, c.proved)
			d.merged("", c.shown, "its tests show nothing")
			if repair := d.s.JobOf("a").Repairs > 0; repair != c.repair {
				t.Fatalf("repair: %v", repair)
			}
			if !c.repair {
				d.until("")
				d.want(run.StatusDone, done)
				return
			}
			if b := d.outstanding(run.Brief); !strings.Contains(b.Failure, "its tests show nothing") || !strings.Contains(b.Failure, "Add tests that fail without your change") {
				t.Errorf("it is told %q", b.Failure)
			}
			d.until(run.Integrate)
			d.merged("", c.shown, "its tests show nothing")
			d.want(run.StatusWaiting, review) // one repair, no more
		})
	}
}

func TestReopenedWorkNeedNoTest(t *testing.T) {
	d := begin(t, config.Rules{}, feature("a"))
	d.until("")
	d.person(run.Reopened, "a")
	d.person(run.Continued, "")
	d.until(run.Prove)
	d.answer(run.Prove, run.Tests)
	d.until(run.Integrate)
	d.merged("", run.Empty, "there are none")
	d.until("")
	d.want(run.StatusDone, done)
}
