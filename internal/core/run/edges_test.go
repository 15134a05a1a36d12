package run_test

import (
	"strings"
	"testing"
	"time"

	"kedge"
	"kedge/internal/core/config"
	"kedge/internal/core/run"
)

func TestSpecOfAFeature(t *testing.T) {
	f := kedge.Feature{
		Definition:   kedge.Definition{ID: "b", Phase: "p2", Dependencies: []kedge.FeatureID{"a"}, Budget: kedge.Budget{USD: 2}},
		FeatureState: kedge.FeatureState{Status: kedge.Regressed},
	}
	s := run.SpecOf(f, "hash")
	if s.ID != "b" || s.Hash != "hash" || s.Phase != "p2" || s.Needs[0] != "a" || s.Status != kedge.Regressed || s.Budget.USD != 2 {
		t.Errorf("%+v", s)
	}
}

func TestDamagedFeatures(t *testing.T) {
	for _, text := range []string{"", "a", "a h", "a h x", "A h p", "a h p n", "a h p n1,x", "a h p z1", "a h p t1.5", "a h p  c"} {
		var f run.Feature
		if err := f.UnmarshalText([]byte(text)); !kedge.Invalid.Is(err) || kedge.HintOf(err) == "" {
			t.Errorf("%q: %v, %+v", text, err, f)
		}
	}
}

// TestASessionHasItsTimeAndItsTokens: both lead to a handover, not to an attempt.
func TestASessionHasItsTimeAndItsTokens(t *testing.T) {
	for _, spend := range []func(d *drive){
		func(d *drive) { d.answer(run.Timer, run.OK) },
		func(d *drive) { d.session(run.Used, run.OK, used(500, 0)) },
	} {
		d := begin(t, config.Rules{SessionWall: time.Hour, SessionTokens: 500}, feature("a"))
		d.until(run.StartSession)
		spend(d)
		d.answer(run.Checkpoint, run.OK)
		d.outstanding(run.EndSession)
		d.answer(run.StartSession, run.Closed)
		d.answer(run.Brief, run.OK)
		if c := d.outstanding(run.StartSession); c.Attempt != 1 || c.Purpose != run.Implement {
			t.Errorf("goes on with %+v", c)
		}
		d.answer(run.StartSession, run.Finished)
		d.until("")
		d.want(run.StatusDone, done)
		if d.s.Unmetered == 0 {
			t.Error("a session said nothing of its cost, and that is not shown")
		}
	}
}

// TestAFlakyBaseline: red, then green although nobody mended it; red once more
// and no other session is paid for it.
func TestAFlakyBaseline(t *testing.T) {
	d := begin(t, config.Rules{}, feature("a"))
	d.until(run.Gate)
	d.answer(run.Gate, run.Red)
	d.stillRed()
	d.until(run.Inspect)
	d.answer(run.Inspect, run.Empty)
	if l := d.outstanding(run.Ledger); !l.Flaky || l.Commit != "" {
		t.Errorf("the ledger says %+v", l)
	}
	d.answer(run.Ledger, run.OK, func(ev *run.Input) { ev.Commit = "" })
	d.until(run.Gate)
	d.answer(run.Gate, run.Red)
	d.until("")
	d.want(run.StatusStopped, pending)
	if d.count(run.StartSession) != 1 || !strings.Contains(d.s.Reason, "flaky") {
		t.Errorf("%d sessions, %q", d.count(run.StartSession), d.s.Reason)
	}
	d.person(run.Continued, "")
	d.until("")
	d.want(run.StatusDone, done)
}

// TestTwoVerdictsOnOneBaseline: a job for which nothing counts that was seen before looks
// at the same base once more, after the other, and sees something else.
func TestTwoVerdictsOnOneBaseline(t *testing.T) {
	denied := feature("a")
	denied.Denied = true
	d := begin(t, config.Rules{Parallel: 2}, denied, feature("b"))
	d.answer(run.Prepare, run.OK)
	d.answer(run.Prepare, run.OK)
	d.answer(run.Gate, run.Green)
	d.answer(run.Gate, run.Red)
	if c := d.outstanding(run.Gate); c.Scope != "full" {
		t.Errorf("green, then red, and then %+v", c)
	}
	d.answer(run.Gate, run.Red)
	d.stillRed()
	d.until(run.StartSession)
	if c := d.outstanding(run.StartSession); c.Purpose != run.FixFirst {
		t.Errorf("a session for %s", c.Purpose)
	}
	d.until("")
	d.want(run.StatusDone, done, done)
}

// TestOneBaselineForTwo: two jobs that start at one tip wait for one verdict, whatever it
// is; a third feature does not start before.
func TestOneBaselineForTwo(t *testing.T) {
	for _, o := range []run.Outcome{run.Green, run.Empty, run.Red} {
		d := begin(t, config.Rules{Parallel: 2}, feature("a"), feature("b"), feature("c"))
		d.answer(run.Prepare, run.OK)
		d.answer(run.Prepare, run.OK)
		if n := d.count(run.Gate); n != 1 || len(d.s.Jobs) != 2 {
			t.Fatalf("%d baselines at once, %d jobs", n, len(d.s.Jobs))
		}
		d.answer(run.Gate, o)
		if o != run.Red {
			if n := d.count(run.Prove); n != 2 || d.count(run.Gate) != 1 {
				t.Errorf("%s: %d jobs go on, after %d baselines", o, n, d.count(run.Gate))
			}
			continue
		}
		if n := d.count(run.Gate); n != 1 || d.count(run.Prepare, run.FixFirst) != 1 {
			t.Errorf("red: %d baselines, and %+v", n, d.s.Jobs)
		}
		d.stillRed()
		d.until("")
		d.want(run.StatusDone, done, done, done)
	}
}

// TestABaselineWithoutAVerdict: the job that waited for it looks itself.
func TestABaselineWithoutAVerdict(t *testing.T) {
	for _, o := range []run.Outcome{run.Failed, run.CannotRun, run.Partial} {
		d := begin(t, config.Rules{Parallel: 2}, feature("a"), feature("b"))
		d.answer(run.Prepare, run.OK)
		d.answer(run.Prepare, run.OK)
		d.answer(run.Gate, o)
		if c := d.outstanding(run.Gate); c.Feature != "a" || c.Scope != "full" {
			t.Errorf("%s: then %+v", o, c)
		}
	}
	d := begin(t, config.Rules{Parallel: 2}, feature("a"), feature("b"))
	d.answer(run.Prepare, run.OK)
	d.answer(run.Prepare, run.OK)
	d.answer(run.Gate, run.Void) // it is run again, by the one who ran it
	if c := d.outstanding(run.Gate); c.Feature != "b" || d.count(run.Gate) != 2 {
		t.Errorf("void: then %+v", c)
	}
	d.person(run.Skipped, "b")
	if c := d.outstanding(run.Gate); c.Feature != "a" {
		t.Errorf("skipped: then %+v", c)
	}
}

// TestLandingWaitsForTheBaseline: what is to land is the very base of a job. A person who
// waits for it needs no slot.
func TestLandingWaitsForTheBaseline(t *testing.T) {
	d := &drive{T: t, at: noon}
	d.do(run.Input{Kind: run.Begun, Run: "run-1", Rules: &config.Rules{Parallel: 1}, Specs: []run.Spec{feature("a")}, Commit: "c0", Head: "b0"})
	d.until(run.Gate)
	d.person(run.LandAsked, "")
	d.answer(run.Prepare, run.OK)
	if n := d.count(run.Gate); n != 1 || !d.s.Verifying() {
		t.Fatalf("%d baselines at once; does it look at what is to land: %t", n, d.s.Verifying())
	}
	d.answer(run.Gate, run.Green)
	d.answer(run.Revert, run.OK)
	if c := d.outstanding(run.Land); c.Commit != "c0" || d.count(run.Gate) != 1 {
		t.Errorf("%+v lands after %d baselines", c, d.count(run.Gate))
	}
}

// TestFaults: whatever cannot be carried out waits for a person, and goes on
// from there.
func TestFaults(t *testing.T) {
	for _, kind := range []run.CommandKind{
		run.Prepare, run.Gate, run.Prove, run.Brief, run.Checkpoint, run.Inspect, run.Integrate, run.Commit,
		run.Note, run.Ledger,
	} {
		a := feature("a")
		a.Status = done
		d := begin(t, config.Rules{}, a, feature("b"))
		d.until(kind)
		d.answer(kind, run.Failed, because("a disk is full"))
		d.until("")
		d.want(run.StatusStopped, done, working)
		if !strings.Contains(d.s.Reason, "a disk is full") {
			t.Errorf("%s: it says %q", kind, d.s.Reason)
		}
		d.person(run.Continued, "")
		d.until("")
		d.want(run.StatusDone, done, done)
		if n := d.count(run.StartSession); n != 1 {
			t.Errorf("%s: %d sessions", kind, n)
		}
	}
}

func TestAnAnswerThatMakesNoSenseIsAFault(t *testing.T) {
	d := begin(t, config.Rules{}, feature("a"))
	d.answer(run.Prepare, run.Finished)
	d.until("")
	d.want(run.StatusStopped, working)
	if d.s.Halt != run.Fault || !strings.Contains(d.s.Reason, `"finished"`) {
		t.Errorf("%s: %q", d.s.Halt, d.s.Reason)
	}
}

// TestASessionThatCannotBeSaved lives on until it can: it may end meanwhile.
func TestASessionThatCannotBeSaved(t *testing.T) {
	for _, kind := range []run.CommandKind{run.Checkpoint, run.EndSession} {
		d := begin(t, config.Rules{}, feature("a"))
		d.until(run.StartSession)
		d.session(run.Signalled, run.WantHandover)
		if kind == run.EndSession {
			d.answer(run.Checkpoint, run.OK)
		}
		d.answer(kind, run.Failed, because("a disk is full"))
		d.want(run.StatusWaiting, working)
		if d.s.Ended() {
			t.Errorf("%s: over, and a session lives", kind)
		}
		d.answer(run.StartSession, run.Killed)
		d.person(run.Continued, "")
		d.outstanding(run.Checkpoint) // before anything else
		d.until("")
		d.want(run.StatusDone, done)
	}
}

func TestACheckpointOnTheWayThatFails(t *testing.T) {
	for _, after := range []func(d *drive){
		func(d *drive) { d.person(run.Continued, "") },
		func(d *drive) { d.answer(run.StartSession, run.Finished) },
	} {
		d := begin(t, config.Rules{}, feature("a"))
		d.until(run.StartSession)
		d.session(run.Signalled, run.WantCheckpoint)
		d.session(run.TurnEnded, run.OK)
		d.answer(run.Checkpoint, run.Failed, because("a disk is full"))
		d.want(run.StatusWaiting)
		after(d)
		d.until("")
		d.want(run.StatusDone, done)
	}
}

func TestWhatPeopleDoToFeatures(t *testing.T) {
	d := begin(t, config.Rules{}, feature("a"), feature("b"), feature("c", "nobody"))
	d.until(run.StartSession)
	d.person(run.Skipped, "b")
	d.person(run.Barred, "a")
	d.answer(run.Checkpoint, run.OK)
	d.answer(run.StartSession, run.Closed)
	d.until("")
	d.want(run.StatusStopped, blocked, kedge.Skipped, pending)
	if d.s.Reason != "no feature can continue: 1 blocked, 1 waiting for another feature" {
		t.Errorf("it says %q", d.s.Reason)
	}
	d.person(run.Reopened, "a")
	d.person(run.Continued, "")
	d.until("")
	d.want(run.StatusStopped, done, kedge.Skipped, pending)
	d.person(run.Amended, "a") // what is done is not what is asked for now, though its checks are green
	d.person(run.Continued, "")
	d.until(run.Prove)
	d.answer(run.Prove, run.Green)
	d.until("")
	d.want(run.StatusStopped, review, kedge.Skipped, pending)
	d.person(run.Accepted, "a")
	d.until(run.Prove)
	d.answer(run.Prove, run.Green)
	d.until("")
	d.want(run.StatusStopped, done, kedge.Skipped, pending)
	if n := d.count(run.StartSession); n != 2 {
		t.Errorf("%d sessions", n)
	}
	d.person(run.Skipped, "c")
	d.person(run.Reopened, "nobody")
	d.person(run.Continued, "")
	d.until("")
	d.want(run.StatusDone, done, kedge.Skipped, kedge.Skipped)
}

// TestAWordAboutFeaturesIsNoWordToGoOn: a run at rest takes it down, begins nothing and
// lands nothing until a person says so; one that works takes it up.
func TestAWordAboutFeaturesIsNoWordToGoOn(t *testing.T) {
	asks := func(t *testing.T) *drive { // for an answer about a; b is blocked
		d := begin(t, config.Rules{}, feature("a"), feature("b"))
		d.until(run.StartSession)
		d.answer(run.StartSession, run.Asked)
		d.until(run.StartSession)
		d.person(run.Barred, "b")
		d.answer(run.Checkpoint, run.OK)
		d.answer(run.StartSession, run.Closed)
		d.until("")
		d.want(run.StatusWaiting, kedge.InProgress, blocked)
		return d
	}
	t.Run("reopened", func(t *testing.T) {
		d := asks(t)
		n := d.count(run.StartSession)
		d.person(run.Reopened, "b")
		d.until("")
		d.want(run.StatusStopped, kedge.InProgress, pending)
		if d.s.Halt != run.Returned || d.count(run.StartSession) != n || !strings.Contains(d.s.Reason, `"b" was reopened by ann; "a" asks`) {
			t.Errorf("halted by %q with %d sessions: %s", d.s.Halt, d.count(run.StartSession), d.s.Reason)
		}
		d.person(run.Continued, "")
		d.until(run.StartSession)
	})
	t.Run("the last one is skipped", func(t *testing.T) {
		d := asks(t)
		d.person(run.Skipped, "b") // a still asks: nothing moves
		if d.s.Halt != "" {
			t.Errorf("halted by %q", d.s.Halt)
		}
		d.person(run.Skipped, "a")
		d.until("")
		if d.s.Halt != run.Returned || d.s.Status != run.StatusStopped || d.count(run.Land) > 0 {
			t.Errorf("%s, halted by %q, lands %d times", d.s.Status, d.s.Halt, d.count(run.Land))
		}
		d.person(run.Continued, "")
		d.until("")
		d.want(run.StatusDone, kedge.Skipped, kedge.Skipped)
	})
	t.Run("without a login", func(t *testing.T) {
		d := begin(t, config.Rules{}, feature("a"))
		d.until(run.StartSession)
		d.answer(run.StartSession, run.NoLogin)
		d.until("")
		d.person(run.Skipped, "a")
		d.until("")
		if d.s.Halt != run.Returned || d.s.Status != run.StatusStopped {
			t.Errorf("%s, halted by %q", d.s.Status, d.s.Halt)
		}
	})
	t.Run("while it works", func(t *testing.T) {
		d := begin(t, config.Rules{Parallel: 1}, feature("a"), feature("b"))
		d.until(run.StartSession)
		d.person(run.Skipped, "b")
		d.person(run.Reopened, "b")
		d.until("")
		d.want(run.StatusDone, done, done)
	})
}

// TestWhatRepeatsIsBounded: conflicts, limits and regressions end in blocked.
func TestWhatRepeatsIsBounded(t *testing.T) {
	d := begin(t, config.Rules{Conflicts: 3}, feature("a"))
	for range 4 { // the repair, a fresh attempt, its repair, and no more
		d.until(run.Integrate)
		d.answer(run.Integrate, run.Conflicting, because("both changed x"))
	}
	d.until("")
	d.want(run.StatusStopped, blocked)
	if d.s.Features[0].Attempts != 0 || d.count(run.StartSession, run.Implement) != 2 {
		t.Errorf("%d attempts counted", d.s.Features[0].Attempts)
	}

	d = begin(t, config.Rules{Waits: 2}, feature("a"))
	for range 3 {
		d.until(run.StartSession)
		d.answer(run.StartSession, run.HitLimit)
	}
	d.until("")
	d.want(run.StatusStopped, blocked)

	d = begin(t, config.Rules{Regressions: 1}, feature("a"), feature("b"))
	for range 2 {
		for d.until(run.Integrate); d.outstanding(run.Integrate).Feature != "b"; d.until(run.Integrate) {
			d.answer(run.Integrate, run.Green)
		}
		d.answer(run.Integrate, run.Regressed, broke("a"))
	}
	d.until("")
	d.want(run.StatusStopped, blocked, working) // nothing new before that is repaired
}

// TestFullBudgetAtTheStart: nothing is even prepared.
func TestFullBudgetAtTheStart(t *testing.T) {
	d := begin(t, config.Rules{Tokens: 100, Parallel: 2}, feature("a"), feature("b", "a"))
	d.until(run.StartSession)
	d.session(run.Used, run.OK, used(100, 0), func(ev *run.Input) { ev.Session = "ses-7" })
	if d.s.Jobs[0].Session != "ses-7" {
		t.Errorf("the session is %q", d.s.Jobs[0].Session)
	}
	d.answer(run.Checkpoint, run.OK)
	d.answer(run.StartSession, run.Finished) // it was ready just then: that costs nothing more
	d.until("")
	d.want(run.StatusOverBudget, done, pending)
	d.person(run.Continued, "")
	d.until("")
	d.want(run.StatusOverBudget, done, pending)
	if d.count(run.Prepare) != 1 {
		t.Errorf("%d worktrees prepared", d.count(run.Prepare))
	}
}

// TestNothingToDoAndNothingToCheck: whether there was anything to do is a person's
// to say where no check can, also after the one repair; with checks it is a failure.
func TestNothingToDoAndNothingToCheck(t *testing.T) {
	for _, x := range []struct {
		proof run.Outcome
		want  kedge.Status
	}{
		{run.NoChecks, kedge.NeedsReview},
		{run.Fails, kedge.BlockedWork},
	} {
		d := begin(t, config.Rules{}, feature("a"), feature("b"))
		d.until(run.Prove)
		d.answer(run.Prove, x.proof)
		for range 2 {
			d.until(run.Inspect)
			d.answer(run.Inspect, run.Empty)
		}
		if n := d.count(run.StartSession, run.Repair); n != 1 {
			t.Errorf("%s: %d repairs, want 1", x.proof, n)
		}
		d.until("")
		d.want(run.StatusStopped, x.want, done)
	}
}

// TestAcceptedThoughNothingWasChanged: a person's acceptance completes it, shown
// green in the clean worktree, without another session.
func TestAcceptedThoughNothingWasChanged(t *testing.T) {
	d := begin(t, config.Rules{}, feature("a"), feature("b"))
	d.until(run.Prove)
	d.answer(run.Prove, run.NoChecks)
	for range 2 {
		d.until(run.Inspect)
		d.answer(run.Inspect, run.Empty)
	}
	d.until("")
	sessions := d.count(run.StartSession)
	d.person(run.Accepted, "a")
	d.until(run.Prove)
	d.answer(run.Prove, run.NoChecks)
	d.until("")
	if got := d.s.Features[0].Status; got != done || d.count(run.StartSession) != sessions {
		t.Errorf("a is %s after %d more sessions: %s", got, d.count(run.StartSession)-sessions, d.s.Reason)
	}
}
