package run_test

import (
	"strings"
	"testing"

	"kedge"
	"kedge/internal/core/config"
	"kedge/internal/core/run"
)

// unchecked plays a run of two features, of which the first has no checks: its work
// is on the integration branch and waits for a person.
func unchecked(t *testing.T) *drive {
	t.Helper()
	d := begin(t, config.Rules{}, feature("a"), feature("b"))
	d.until(run.Prove)
	d.answer(run.Prove, run.NoChecks)
	d.until("")
	d.want(run.StatusStopped, review, done)
	return d
}

// landAsked is a person's wish to land, whatever of these features nobody accepted.
func (d *drive) landAsked(features ...kedge.FeatureID) bool {
	d.Helper()
	return isOf(d.do(run.Input{Kind: run.LandAsked, Actor: kedge.Human("ann"), Features: features}), run.Land)
}

func TestUnacceptedWorkDoesNotLand(t *testing.T) {
	d := unchecked(t)
	if d.count(run.Land) != 0 || d.s.LandRefusal != `"a" waits for review` || !strings.Contains(d.s.Reason, "not landed") {
		t.Fatalf("%d landings, %q, %q", d.count(run.Land), d.s.LandRefusal, d.s.Reason)
	}
	if d.landAsked() || d.landAsked("b") || d.do(run.Input{Kind: run.LandAsked, Actor: kedge.Agent("ses-1"), Features: []kedge.FeatureID{"a"}}) != nil {
		t.Error("it lands, and nobody let it")
	}
	if !d.landAsked("a") {
		t.Error("a person lets it land, and it does not")
	}
}

func TestAcceptedWhenTheRunIsOver(t *testing.T) {
	d := unchecked(t)
	sessions := d.count(run.StartSession)
	tip := d.s.Tip
	d.person(run.Accepted, "a")
	c := d.outstanding(run.Ledger)
	if c.Status != done || c.Purpose != run.TakeOn || c.Base != tip || c.Commit == "" || c.Reason != "accepted by ann: because" {
		t.Fatalf("%+v", c)
	}
	if d.landAsked() {
		t.Error("it lands before the ledger says that it was accepted")
	}
	d.answer(run.Ledger, run.OK)
	if land := d.outstanding(run.Land); land.Commit != d.s.Tip || land.Commit == tip {
		t.Errorf("it lands %q, and the ledger is at %q", land.Commit, d.s.Tip)
	}
	d.until("")
	d.want(run.StatusDone, done, done)
	if d.count(run.StartSession) != sessions {
		t.Error("it went on by itself")
	}
}

// TestAcceptedWorkDoesNotLandByItself: nor does what waited for it begin.
func TestAcceptedWorkDoesNotLandByItself(t *testing.T) {
	d := begin(t, config.Rules{Land: "each"}, feature("a"), feature("b", "a"))
	d.until(run.Prove)
	d.answer(run.Prove, run.NoChecks)
	d.until("")
	d.want(run.StatusStopped, review, pending)
	sessions, lands := d.count(run.StartSession), d.count(run.Land)
	d.person(run.Accepted, "a")
	d.until("")
	d.want(run.StatusStopped, done, pending)
	if d.count(run.StartSession) != sessions || d.count(run.Land) != lands || d.s.Halt != run.Returned {
		t.Errorf("it goes on by itself: %s", d.s.Reason)
	}
	d.person(run.Continued, "")
	d.until("")
	d.want(run.StatusDone, done, done)
}

// TestAcceptedAfterItLanded: the ledger of the user's branch is the user's.
func TestAcceptedAfterItLanded(t *testing.T) {
	d := unchecked(t)
	d.landAsked("a")
	d.until("")
	ledgers := d.count(run.Ledger)
	d.person(run.Accepted, "a")
	d.until("")
	d.want(run.StatusDone, done, done)
	if d.count(run.Ledger) != ledgers || d.s.Tip != d.s.Landed {
		t.Error("the run's branch goes on without the user's")
	}
}

// TestAcceptedAndNotWritten: what could not be written down is tried again, and lands
// then.
func TestAcceptedAndNotWritten(t *testing.T) {
	d := unchecked(t)
	d.person(run.Accepted, "a")
	d.answer(run.Ledger, run.Failed, because("a disk is full"))
	d.until("")
	if d.s.Halt != run.Fault && d.s.Halt != run.Returned || d.landAsked() {
		t.Fatalf("halted by %q", d.s.Halt)
	}
	d.person(run.Continued, "")
	d.until("")
	d.want(run.StatusDone, done, done)
	if d.count(run.Land) != 1 {
		t.Error("it does not land")
	}
}

// TestWorkThatWasSetAsideIsNotAccepted: the feature would be done without it.
func TestWorkThatWasSetAsideIsNotAccepted(t *testing.T) {
	d := begin(t, config.Rules{}, feature("a"), feature("b"))
	d.until(run.Prove)
	d.answer(run.Prove, run.NoChecks)
	d.until(run.Integrate)
	d.answer(run.Integrate, run.Partial)
	d.until("")
	d.want(run.StatusStopped, review, done)
	if !d.s.Features[0].Aside {
		t.Fatalf("%+v", d.s.Features[0])
	}
	d.person(run.Accepted, "a")
	d.until("")
	d.want(run.StatusStopped, review, done)
	d.person(run.Reopened, "a")
	if d.s.Features[0].Aside {
		t.Error("it is to be made again")
	}
}

// TestReopenedForAReason: the checks are green, a person misses something all the same,
// and a session is told what.
func TestReopenedForAReason(t *testing.T) {
	d := begin(t, config.Rules{}, feature("a"))
	d.until("")
	d.want(run.StatusDone, done)
	sessions := d.count(run.StartSession)
	d.person(run.Reopened, "a")
	tell := d.outstanding(run.Tell)
	if tell.Feature != "a" || tell.Scope != run.Wanted || tell.Text != "because" {
		t.Fatalf("its session is told %+v", tell)
	}
	d.person(run.Continued, "") // it was over
	d.until(run.Prove)
	d.answer(run.Prove, run.Green)
	if c := d.outstanding(run.Brief); c.Scope != run.Wanted {
		t.Fatalf("%+v", c)
	}
	d.until("")
	d.want(run.StatusDone, done)
	if d.count(run.StartSession) != sessions+1 || d.s.Features[0].Wanted {
		t.Errorf("%d sessions, %+v", d.count(run.StartSession)-sessions, d.s.Features[0])
	}
}

// TestReopenedAndNothingChanged: that is for the person to say.
func TestReopenedAndNothingChanged(t *testing.T) {
	spec := feature("a")
	spec.Wanted = "the words are wrong"
	d := begin(t, config.Rules{}, spec)
	if tell := d.outstanding(run.Tell); tell.Text != spec.Wanted {
		t.Fatalf("%+v", tell)
	}
	d.until(run.Prove)
	d.answer(run.Prove, run.Green)
	for range 2 {
		d.until(run.Inspect)
		d.answer(run.Inspect, run.Empty)
	}
	d.until(run.Ledger)
	if c := d.outstanding(run.Ledger); c.Status != review || c.Reason != "nothing was changed, and its checks were green before" {
		t.Errorf("%+v", c)
	}
	d.until("")
	if d.s.Features[0].Aside {
		t.Error("there is no work that was set aside")
	}
}

// TestBrokenInAnEarlierRun: what its work broke does not land by itself in the next.
func TestBrokenInAnEarlierRun(t *testing.T) {
	for _, spec := range []run.Spec{{ID: "a", Status: kedge.BlockedWork, Broken: 1}, {ID: "a", Status: kedge.Regressed}} {
		d := resume(t, spec, feature("b"))
		if spec.Status == kedge.Regressed { // it comes first, and is blocked
			d.until(run.Prove)
			d.answer(run.Prove, run.Broken)
		}
		d.until("")
		d.want(run.StatusStopped, kedge.BlockedWork, pending) // nothing new starts on it
		d.person(run.LandAsked, "")
		d.until("")
		if d.count(run.Land) != 0 || !strings.Contains(d.s.LandRefusal, "red again") {
			t.Errorf("%s: %d landings, %q", spec.Status, d.count(run.Land), d.s.LandRefusal)
		}
	}
}

func TestAcceptedWhileTheRunWorks(t *testing.T) {
	d := begin(t, config.Rules{}, feature("a"), feature("b"))
	d.until(run.Prove)
	d.answer(run.Prove, run.NoChecks)
	d.until(run.Ledger)
	d.answer(run.Ledger, run.OK)
	d.person(run.Accepted, "a")
	if c := d.outstanding(run.Ledger); c.Purpose != run.TakeOn { // though b is under way
		t.Fatalf("%+v", c)
	}
	d.until("")
	d.want(run.StatusDone, done, done)
	if d.count(run.Land) == 0 {
		t.Error("it was accepted, and did not land")
	}
}

func TestRefusedWorkIsTakenBack(t *testing.T) {
	d := unchecked(t)
	work, sessions := d.s.Features[0].Work, d.count(run.StartSession)
	d.person(run.Denied, "a")
	c := d.outstanding(run.Integrate)
	if c.Purpose != run.TakeBack || c.Commit != work || c.Base != d.s.Tip || work == "" {
		t.Fatalf("%+v, and the work is %q", c, work)
	}
	if tell := d.outstanding(run.Tell); tell.Feature != "a" || !strings.Contains(tell.Text, "because") {
		t.Errorf("its next session is told %+v", tell)
	}
	d.until("")
	d.want(run.StatusStopped, pending, done)
	if d.s.Features[0].Work != "" || d.s.Halt != run.Returned || d.count(run.StartSession) != sessions {
		t.Fatalf("%+v, halted by %q, %d sessions more", d.s.Features[0], d.s.Halt, d.count(run.StartSession)-sessions)
	}
	if !d.landAsked() {
		t.Error("the rest does not land")
	}
	d.person(run.Continued, "")
	d.until("")
	d.want(run.StatusDone, done, done)
}

func TestRefusedWorkThatOthersNeedStays(t *testing.T) {
	for o, why := range map[run.Outcome]string{
		run.Conflicting: "later work changed the same places: x.go", run.Red: "without it the checks are red: x.go", run.CannotRun: "could not check what is left",
		run.Partial: "could not check what is left",
	} {
		d := unchecked(t)
		work := d.s.Features[0].Work
		d.person(run.Denied, "a")
		d.answer(run.Integrate, o, because("x.go"))
		d.until(run.Ledger)
		ledger := d.outstanding(run.Ledger)
		d.until("")
		d.want(run.StatusStopped, review, done)
		if f := d.s.Features[0]; f.Work != work || !strings.Contains(ledger.Reason, why) || !strings.Contains(ledger.Reason, "because") || d.s.Halt != "" {
			t.Errorf("%s: %+v, halted by %q: %s", o, f, d.s.Halt, ledger.Reason)
		}
		if d.landAsked() {
			t.Errorf("%s: it lands", o)
		}
	}
}

func TestRefusedTwiceOver(t *testing.T) {
	d := unchecked(t)
	d.person(run.Reopened, "a") // a person has it made again on top of what is there
	d.person(run.Continued, "")
	d.until(run.Prove)
	d.answer(run.Prove, run.NoChecks)
	d.until("")
	d.want(run.StatusStopped, review, done)
	d.person(run.Denied, "a")
	if c := d.outstanding(run.Integrate); strings.Count(c.Commit, ",") != 1 {
		t.Errorf("of two commits it takes back %q", c.Commit)
	}
}

func TestRefusedWithoutWorkIsReopened(t *testing.T) {
	d := begin(t, config.Rules{}, feature("a"), feature("b"))
	d.until(run.Prove)
	d.answer(run.Prove, run.Green)
	d.until("")
	d.want(run.StatusStopped, review, done)
	d.person(run.Denied, "a")
	d.until("")
	d.want(run.StatusStopped, pending, done)
	if d.count(run.Integrate, run.TakeBack) != 0 || d.count(run.Tell) != 1 {
		t.Error("there was nothing to take back, and a reason to tell")
	}
}

func TestLandedInCommitsOfTheirOwn(t *testing.T) {
	d := begin(t, config.Rules{}, feature("a"))
	d.until(run.Land)
	d.answer(run.Land, run.OK, func(ev *run.Input) { ev.Commit = "squashed" })
	if d.s.Tip != "squashed" || d.s.Landed != "squashed" || d.s.LandRefusal != "" || d.s.Verified != "squashed" {
		t.Errorf("it stands at %q, landed %q (%s)", d.s.Tip, d.s.Landed, d.s.LandRefusal)
	}
}

func TestPersonWhoAsksIsNamed(t *testing.T) {
	d := begin(t, config.Rules{}, feature("a"))
	d.until(run.Land)
	if by := d.outstanding(run.Land).Actor; by != "" {
		t.Errorf("nobody asked, and %q did", by)
	}
	d.answer(run.Land, run.Refused, because("changed"))
	d.until("")
	d.landAsked()
	if by := d.outstanding(run.Land).Actor; by != kedge.Human("ann") {
		t.Errorf("asked for by %q", by)
	}
	d.answer(run.Land, run.OK)
	if d.s.LandBy != "" {
		t.Error("it was answered")
	}
}

// TestWorkThatNothingCanCheck: where the project has no check either, the work is
// there for a person to look at, and can be taken back.
func TestWorkThatNothingCanCheck(t *testing.T) {
	d := begin(t, config.Rules{}, feature("a"))
	d.until(run.Prove)
	d.answer(run.Prove, run.NoChecks)
	d.until(run.Integrate)
	nothing := func(ev *run.Input) { ev.Tree, ev.Evidence = "t", "" }
	d.answer(run.Integrate, run.Empty, nothing)
	if c := d.outstanding(run.Commit); c.Evidence != "" || c.Tree != "t" {
		t.Fatalf("%+v", c)
	}
	d.until("")
	d.want(run.StatusStopped, review)
	if d.s.Features[0].Work == "" || d.count(run.Land) != 0 {
		t.Errorf("%+v, %d landings", d.s.Features[0], d.count(run.Land))
	}
	d.person(run.Denied, "a")
	d.answer(run.Integrate, run.Empty, nothing)
	d.until("")
	d.want(run.StatusStopped, pending)
}

// waitingBoth plays a run of two features without checks: both wait for a person.
func waitingBoth(t *testing.T) *drive {
	t.Helper()
	d := begin(t, config.Rules{}, feature("a"), feature("b"))
	for range 2 {
		d.until(run.Prove)
		d.answer(run.Prove, run.NoChecks)
	}
	d.until("")
	d.want(run.StatusStopped, review, review)
	return d
}

// TestRunThatWasOverStartsNothing: one is taken back, the other cannot be.
func TestRunThatWasOverStartsNothing(t *testing.T) {
	d := waitingBoth(t)
	sessions := d.count(run.StartSession)
	d.person(run.Denied, "a")
	d.until("")
	d.person(run.Denied, "b")
	d.answer(run.Integrate, run.Conflicting, because("x.go"))
	d.until("")
	d.want(run.StatusStopped, pending, review)
	if d.s.Halt != run.Returned || d.count(run.StartSession) != sessions {
		t.Errorf("halted by %q, %d sessions more", d.s.Halt, d.count(run.StartSession)-sessions)
	}
}

// TestAcceptedInARunThatIsHalted: it counts, lands, and what goes on later knows it.
func TestAcceptedInARunThatIsHalted(t *testing.T) {
	d := waitingBoth(t)
	d.person(run.Denied, "a")
	d.until("")
	d.person(run.Accepted, "b")
	d.until("")
	if f := d.s.Features[1]; f.Status != done || len(d.s.Unaccepted()) != 0 || d.s.Halt != run.Returned {
		t.Fatalf("%+v, halted by %q", f, d.s.Halt)
	}
	if !d.landAsked() {
		t.Error("it was accepted, and does not land")
	}
	d.until("")
	d.person(run.Continued, "")
	if f := d.s.Features[1]; f.Status != done || f.Waits() {
		t.Errorf("%+v", f)
	}
}

// TestSkippedWorkCanBeRefused, and stays skipped; it can be accepted as well.
func TestSkippedWorkCanBeRefused(t *testing.T) {
	for _, word := range []run.InputKind{run.Skipped, run.Barred} {
		d := waitingBoth(t)
		d.person(word, "a")
		was := d.s.Features[0].Status
		if d.landAsked() {
			t.Errorf("%s: it lands", word)
		}
		d.person(run.Denied, "a")
		d.until("")
		if f := d.s.Features[0]; f.Work != "" || f.Status != was {
			t.Errorf("%s: %+v", word, f)
		}
		d = waitingBoth(t)
		d.person(word, "a")
		d.person(run.Accepted, "a")
		d.until("")
		if f := d.s.Features[0]; f.Status != done || f.Waits() {
			t.Errorf("%s: %+v", word, f)
		}
	}
}

// TestPlanningKnowsWhatItStandsOn: a run that plans passes on which work nobody
// accepted, can take it back, and builds nothing of it.
func TestPlanningKnowsWhatItStandsOn(t *testing.T) {
	carried := run.Spec{ID: "a", Hash: "h-a", Status: pending, Work: "c9"}
	d := &drive{T: t, at: noon}
	d.do(run.Input{Kind: run.Begun, Run: "run-1", Goal: "a goal", Rules: &config.Rules{}, Specs: []run.Spec{carried}, Commit: "c9", Head: "c0"})
	d.until("")
	if !d.s.Planning() || d.count(run.StartSession, run.Implement) != 0 || d.landAsked() {
		t.Fatalf("%s %s, %+v", d.s.Status, d.s.Reason, d.s.Features)
	}
	back := *d
	back.person(run.Denied, "a")
	back.until("")
	if !back.s.Planning() || len(back.s.Unaccepted()) != 0 {
		t.Errorf("refused: %+v", back.s.Features)
	}
	carried.Status = review
	d.do(run.Input{Kind: run.Planned, Specs: []run.Spec{feature("b"), carried}})
	d.until("")
	d.want(run.StatusStopped, review, done)
	if d.count(run.Land) != 0 || d.s.LandRefusal != `"a" waits for review` {
		t.Errorf("%d landings, %q", d.count(run.Land), d.s.LandRefusal)
	}
}

// TestAmendedIsNotWhatWasAccepted: whatever was said or done of a definition says
// nothing of the next one.
func TestAmendedIsNotWhatWasAccepted(t *testing.T) {
	d := unchecked(t)
	d.person(run.Accepted, "a")
	d.until("")
	d.want(run.StatusDone, done, done)
	sessions := d.count(run.StartSession)
	d.person(run.Amended, "a")
	d.person(run.Continued, "")
	d.until(run.Prove)
	d.answer(run.Prove, run.NoChecks)
	d.until("")
	d.want(run.StatusStopped, review, done)
	if d.count(run.StartSession) != sessions+1 || len(d.s.Unaccepted()) != 1 {
		t.Errorf("%d sessions, %+v", d.count(run.StartSession)-sessions, d.s.Features[0])
	}
}

// TestAmendedWhileItIsConfirmed, having been accepted as it was.
func TestAmendedWhileItIsConfirmed(t *testing.T) {
	for _, o := range []run.Outcome{run.NoChecks, run.Green} {
		spec := feature("a")
		spec.Claim = o == run.NoChecks
		d := begin(t, config.Rules{}, spec)
		d.until(run.Prove)
		d.answer(run.Prove, o)
		d.until("")
		d.want(run.StatusStopped, review)
		d.person(run.Accepted, "a")
		d.until(run.Prove)
		d.answer(run.Prove, o)
		d.outstanding(run.Integrate)
		d.person(run.Amended, "a")
		d.until(run.Prove)
		d.answer(run.Prove, o)
		d.until("")
		d.want(run.StatusStopped, review)
	}
}

// TestAmendedBeforeItIsWritten that a person accepted its work: the work waits again.
func TestAmendedBeforeItIsWritten(t *testing.T) {
	d := begin(t, config.Rules{Parallel: 2}, feature("a"), feature("b"))
	for range 2 {
		d.until(run.Prove)
		d.answer(run.Prove, run.NoChecks)
	}
	d.until(run.Ledger)
	first := d.outstanding(run.Ledger).Feature
	d.answer(run.Ledger, run.OK)
	d.until(run.Commit) // of the other: nothing else is written meanwhile
	d.person(run.Accepted, first)
	d.person(run.Amended, first)
	d.answer(run.Commit, run.OK)
	if waiting := d.s.Unaccepted(); len(waiting) != 2 || d.landAsked() {
		t.Errorf("%v wait", waiting)
	}
}

// TestAcceptedWhereNothingCanCheck: a person's word is all there can be.
func TestAcceptedWhereNothingCanCheck(t *testing.T) {
	spec := feature("a")
	spec.Claim = true
	d := begin(t, config.Rules{}, spec)
	for range 2 {
		d.until(run.Prove)
		d.answer(run.Prove, run.NoChecks)
		if d.count(run.Integrate) > 0 {
			break
		}
		d.until("")
		d.want(run.StatusStopped, review)
		d.person(run.Accepted, "a")
	}
	d.answer(run.Integrate, run.Empty, func(ev *run.Input) { ev.Tree, ev.Evidence = "t", "" })
	if c := d.outstanding(run.Ledger); c.Purpose != run.TakeOn || c.Status != done {
		t.Fatalf("%+v", c)
	}
	d.until("")
	d.want(run.StatusDone, done)
}

// TestLandedWorkIsNotTakenBack: what was landed unseen is on the user's branch; made
// again on top of it, only the new work goes.
func TestLandedWorkIsNotTakenBack(t *testing.T) {
	d := unchecked(t)
	first := d.s.Features[0].Work
	d.landAsked("a")
	d.until("")
	if f := d.s.Features[0]; f.Let != run.LetLanded {
		t.Fatalf("%+v", f)
	}
	d.person(run.Reopened, "a")
	d.person(run.Continued, "")
	d.until(run.Prove)
	d.answer(run.Prove, run.NoChecks)
	d.until("")
	d.want(run.StatusStopped, review, done)
	d.person(run.Denied, "a")
	if c := d.outstanding(run.Integrate); c.Commit == "" || strings.Contains(c.Commit, first) {
		t.Errorf("it takes %q back, and %q has landed", c.Commit, first)
	}
}

// TestRefusedWhileItLands: what lands now is not taken back.
func TestRefusedWhileItLands(t *testing.T) {
	d := unchecked(t)
	d.landAsked("a")
	d.person(run.Denied, "a")
	d.until(run.Land)
	if d.count(run.Integrate, run.TakeBack) != 0 {
		t.Fatal("it is taken back while it lands")
	}
	d.answer(run.Land, run.OK)
	d.until("")
	d.want(run.StatusStopped, review, done)
	if d.count(run.Integrate, run.TakeBack) != 0 || d.s.Features[0].Let != run.LetLanded {
		t.Errorf("%+v", d.s.Features[0])
	}

	d = unchecked(t)
	d.landAsked("a")
	d.person(run.Denied, "a")
	d.answer(run.Land, run.Refused, because("changed"))
	d.until("")
	if d.count(run.Integrate, run.TakeBack) != 1 || d.s.Features[0].Work != "" {
		t.Errorf("it did not land, and stays: %+v", d.s.Features[0])
	}
}

// TestRefusedAsItWasFound: who asks knows which work still waits.
func TestRefusedAsItWasFound(t *testing.T) {
	d := unchecked(t)
	d.do(run.Input{Kind: run.Denied, Feature: "a", Actor: kedge.Human("ann"), Reason: "no", Specs: []run.Spec{{ID: "a", Hash: "h-a", Status: review, Work: "w-only"}}})
	if c := d.outstanding(run.Integrate); c.Commit != "w-only" {
		t.Errorf("it takes %q back", c.Commit)
	}
}

// TestAcceptedAndReopenedWaitsAgain, and can be refused, until it has landed.
func TestAcceptedAndReopenedWaitsAgain(t *testing.T) {
	d := unchecked(t)
	work := d.s.Features[0].Work
	d.person(run.Accepted, "a")
	d.until("")
	d.person(run.StopAsked, "")
	d.person(run.Reopened, "a")
	if d.landAsked() {
		t.Error("it lands")
	}
	d.person(run.Denied, "a")
	if c := d.outstanding(run.Integrate); c.Commit != work {
		t.Errorf("it takes %q back, and not %q", c.Commit, work)
	}

	d = unchecked(t)
	d.person(run.Accepted, "a")
	d.until("")
	d.landAsked()
	d.until("")
	if f := d.s.Features[0]; f.Work != "" {
		t.Errorf("it has landed: %+v", f)
	}
}

// TestBrokenUntilItIsDone: that a person has it made again does not mend it.
func TestBrokenUntilItIsDone(t *testing.T) {
	red := run.Spec{ID: "a", Status: kedge.BlockedWork, Broken: 1}
	for _, word := range []run.InputKind{run.Reopened, run.Amended} {
		d := resume(t, red, feature("b"))
		d.person(word, "a")
		if len(d.s.Broken()) != 1 {
			t.Fatalf("%s: it is forgotten", word)
		}
		d.person(run.Continued, "")
		d.until("")
		d.want(run.StatusDone, done, done)
		if len(d.s.Broken()) != 0 || d.count(run.Land) != 1 {
			t.Errorf("%s: %v are broken, %d landings", word, d.s.Broken(), d.count(run.Land))
		}
	}
	d := resume(t, red, feature("b"))
	d.person(run.Skipped, "a")
	d.person(run.Reopened, "a")
	if len(d.s.Broken()) != 0 {
		t.Error("nobody wanted it any more")
	}
}

// TestAcceptedInTheLedger: a run that is over counts what the ledger has completed, and
// nothing begins because of it.
func TestAcceptedInTheLedger(t *testing.T) {
	for _, x := range []struct {
		name   string
		second run.Spec
		status run.Status
		reason string
	}{
		{"another waits", feature("b"), run.StatusStopped, "no feature can continue: 1 waiting for review"},
		{"another needs it", feature("b", "a"), run.StatusStopped, `the work on "a" was accepted by ann: because`},
	} {
		t.Run(x.name, func(t *testing.T) {
			d := begin(t, config.Rules{}, feature("a"), x.second)
			for range 2 - len(x.second.Needs) { // what needs another does not begin
				d.until(run.Prove)
				d.answer(run.Prove, run.Green)
			}
			d.until("")
			commands := d.count(run.Prove) + d.count(run.Ledger)
			d.do(run.Input{Kind: run.Accepted, Scope: run.InLedger, Feature: "a", Actor: kedge.Human("ann"), Reason: "because"})
			d.until("")
			if d.s.Features[0].Status != done || d.s.Status != x.status || d.s.Reason != x.reason {
				t.Errorf("a is %s; the run is %s: %s", d.s.Features[0].Status, d.s.Status, d.s.Reason)
			}
			if got := d.count(run.Prove) + d.count(run.Ledger); got != commands || d.s.LandRefusal != "" {
				t.Errorf("%d commands follow; not landed: %q", got-commands, d.s.LandRefusal)
			}
		})
	}
}
