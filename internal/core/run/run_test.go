package run_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"kedge"
	"kedge/internal/core/config"
	"kedge/internal/core/run"
)

const (
	pending, working, done = kedge.Pending, kedge.InProgress, kedge.Completed
	blocked, review        = kedge.BlockedWork, kedge.NeedsReview
)

// TestRow37And94TheWayOfAFeature: verify comes before build, inspection before
// the commit, and everything in this order.
func TestRow37And94TheWayOfAFeature(t *testing.T) {
	d := begin(t, config.Rules{}, feature("a"))
	d.until("")
	d.want(run.StatusDone, done)
	want := []run.CommandKind{
		run.Prepare, run.Gate, run.Prove, run.Brief, run.StartSession, run.Checkpoint, run.Gate, run.Inspect, run.Integrate,
		run.Commit, run.Note, run.Checkpoint, run.Ledger,
	}
	if got := d.kinds(1); !slices.Equal(got, want) {
		t.Errorf("the way was %v", got)
	}
}

// TestRow13And88And89Completed: only a full green verdict in the clean worktree
// completes, and it is named in the ledger.
func TestRow13And88And89Completed(t *testing.T) {
	d := begin(t, config.Rules{}, feature("a"))
	d.until(run.Integrate)
	d.answer(run.Integrate, run.Green)
	c := d.outstanding(run.Commit)
	if c.Tree != "mt2" || c.Evidence != "evd-t2" || c.Base != "c0" {
		t.Errorf("commits %+v", c)
	}
	d.until(run.Ledger)
	if l := d.outstanding(run.Ledger); l.Status != done || l.Tree != "mt2" || l.Evidence != "evd-t2" || l.Commit == "" {
		t.Errorf("the ledger says %+v", l)
	}
	if d.status("a") == done {
		t.Error("completed before the ledger says so")
	}
	for _, o := range []run.Outcome{run.Partial, run.Empty} {
		d := begin(t, config.Rules{}, feature("a"))
		d.until(run.Integrate)
		d.answer(run.Integrate, o)
		d.until("")
		d.want(run.StatusStopped, review)
		if d.count(run.Commit) > 0 {
			t.Errorf("%s: a commit was made", o)
		}
	}
	d = begin(t, config.Rules{}, feature("a"))
	d.until(run.Commit)
	d.answer(run.Commit, run.OK, func(ev *run.Input) { ev.Tree = "another" })
	d.want(run.StatusPaused, working)
}

func TestRow5And14And15OneRepairThenBlocked(t *testing.T) {
	d := begin(t, config.Rules{}, feature("a"), feature("b"))
	d.until(run.StartSession)
	d.answer(run.StartSession, run.Finished)
	d.until(run.Gate)
	d.answer(run.Gate, run.Red, because("TestX: first failure"))
	if b := d.outstanding(run.Brief); b.Purpose != run.Repair || b.Failure != "TestX: first failure" {
		t.Errorf("the repair is told %+v", b)
	}
	d.until(run.StartSession)
	d.answer(run.StartSession, run.Finished)
	d.until(run.Gate)
	d.answer(run.Gate, run.Red, because("TestX: still red"))
	if r := d.outstanding(run.Revert); r.Salvage == "" || r.Base != "c0" {
		t.Errorf("reverts %+v", r)
	}
	d.until(run.Ledger)
	if l := d.outstanding(run.Ledger); l.Status != blocked || l.Reason != "TestX: still red" {
		t.Errorf("the ledger says %+v", l)
	}
	if n := d.count(run.Gate); n != 3 { // the baseline, the work, the repair
		t.Errorf("%d gates", n)
	}
	d.until("")
	d.want(run.StatusStopped, blocked, done) // independent work goes on
	if !strings.Contains(d.s.Reason, "1 blocked") {
		t.Errorf("it says %q", d.s.Reason)
	}
}

func TestASecondAttemptStartsFresh(t *testing.T) {
	d := begin(t, config.Rules{Attempts: 2}, feature("a"))
	for range 4 { // two gates in each attempt
		d.until(run.StartSession)
		d.answer(run.StartSession, run.Finished)
		d.until(run.Gate)
		d.answer(run.Gate, run.Red)
	}
	d.until("")
	d.want(run.StatusStopped, blocked)
	if n := d.count(run.StartSession, run.Implement); n != 2 || d.count(run.StartSession, run.Repair) != 2 {
		t.Errorf("%d first sessions, %d repairs", n, d.count(run.StartSession, run.Repair))
	}
}

func TestRow25And79And85AFreshSessionForEachFeature(t *testing.T) {
	d := begin(t, config.Rules{Parallel: 2}, feature("a"), feature("b", "a"), feature("c", "a"), feature("d", "b", "c"))
	d.until("")
	d.want(run.StatusDone, done, done, done, done)
	var seen []kedge.FeatureID
	for _, c := range d.all {
		if c.Kind == run.StartSession {
			seen = append(seen, c.Feature)
		}
	}
	if !slices.Equal(seen, []kedge.FeatureID{"a", "b", "c", "d"}) {
		t.Errorf("sessions for %v", seen)
	}
}

// What is told to a feature that waits for its turn is told to that feature.
func TestToldBeforeItsTurn(t *testing.T) {
	d := begin(t, config.Rules{}, feature("a"), feature("b", "a"))
	d.until(run.StartSession)
	if out := d.person(run.Said, "b"); len(out) != 1 || out[0].Kind != run.Tell || out[0].Feature != "b" || out[0].Job != 0 {
		t.Errorf("told %+v", out)
	}
}

func TestRow27PauseContinueStopTell(t *testing.T) {
	d := begin(t, config.Rules{}, feature("a"))
	d.until(run.StartSession)
	if out := d.person(run.PauseAsked, ""); len(out) != 1 || out[0].Kind != run.Tell || out[0].Scope != run.Held {
		t.Errorf("paused with %v", out)
	}
	d.want(run.StatusPaused)
	if !d.s.Resting() {
		t.Error("paused, and its session keeps the run from resting")
	}
	if out := d.session(run.TurnEnded, run.OK); len(out) > 0 {
		t.Errorf("paused, and the next turn asks for %v", out)
	}
	if d.s.Reason != "paused by ann" {
		t.Errorf("it says %q", d.s.Reason)
	}
	if out := d.person(run.Continued, ""); len(out) != 2 || out[0].Kind != run.Tell || out[0].Scope != run.Going || out[1].Kind != run.NextTurn {
		t.Errorf("continued with %v", out)
	}
	if out := d.person(run.Said, "a"); len(out) != 1 || out[0].Kind != run.Tell || out[0].Text != "a word" {
		t.Errorf("told %v", out)
	}
	d.person(run.StopAsked, "")
	d.answer(run.Checkpoint, run.OK)
	d.outstanding(run.EndSession)
	d.answer(run.StartSession, run.Closed)
	d.until("")
	d.want(run.StatusStopped, working)
	if !d.s.Ended() {
		t.Error("stopped, and not over")
	}
}

// TestRow104ContinuesWhereItWas: with the same feature, the same job and the
// same attempt.
func TestRow104ContinuesWhereItWas(t *testing.T) {
	d := begin(t, config.Rules{}, feature("a"), feature("b"))
	d.until(run.Ledger)
	d.answer(run.Ledger, run.OK)
	d.until(run.StartSession)
	d.person(run.StopAsked, "")
	d.until("")
	d.want(run.StatusStopped, done, working)
	job := d.s.Jobs[0]
	d.person(run.Continued, "")
	if b := d.outstanding(run.Gate); b.Job != job.ID || b.Attempt != job.Attempt { // the agent had finished meanwhile
		t.Errorf("goes on with %+v", b)
	}
	d.until("")
	d.want(run.StatusDone, done, done)
}

func TestRow28OutOfPlanIsHeld(t *testing.T) {
	for i, found := range []run.Outcome{run.Outside, run.Outside, run.Unapproved, run.Unapproved} {
		approve := i%2 == 0
		d := begin(t, config.Rules{}, feature("a"), feature("b"))
		d.until(run.Inspect)
		d.answer(run.Inspect, found, because("go.mod"))
		d.until("") // the others go on
		d.want(run.StatusWaiting, review, done)
		if !strings.Contains(d.s.Reason, "go.mod") {
			t.Errorf("it says %q", d.s.Reason)
		}
		if approve {
			d.person(run.Approved, "a")
			d.until("")
			d.want(run.StatusDone, done, done)
			continue
		}
		d.person(run.Denied, "a")
		d.until("")
		d.want(run.StatusStopped, blocked, done)
	}
}

func TestWeakenedTestsAreTheRepair(t *testing.T) {
	d := begin(t, config.Rules{}, feature("a"))
	d.until(run.Inspect)
	d.answer(run.Inspect, run.Forbidden, because("a_test.go"))
	if b := d.outstanding(run.Brief); b.Purpose != run.Repair || !strings.Contains(b.Failure, "a_test.go") {
		t.Errorf("the repair is told %+v", b)
	}
	d.until(run.Inspect)
	d.answer(run.Inspect, run.Forbidden, because("a_test.go"))
	d.until("")
	d.want(run.StatusStopped, blocked)
}

func TestRow38And77And78And82CheckpointThenHandover(t *testing.T) {
	d := begin(t, config.Rules{}, feature("a"))
	d.until(run.StartSession)
	d.session(run.Signalled, run.WantCheckpoint)
	if out := d.session(run.TurnEnded, run.OK); len(out) > 0 {
		t.Errorf("a turn before the checkpoint: %v", out)
	}
	if out := d.answer(run.Checkpoint, run.OK); len(out) != 1 || out[0].Kind != run.NextTurn {
		t.Errorf("after the checkpoint: %v", out)
	}
	first := d.outstanding(run.StartSession)
	if out := d.session(run.Signalled, run.WantHandover); len(out) != 1 || out[0].Kind != run.Checkpoint {
		t.Errorf("a handover begins with %v", out)
	}
	if out := d.answer(run.Checkpoint, run.OK); len(out) != 1 || out[0].Kind != run.EndSession {
		t.Errorf("and goes on with %v", out)
	}
	d.answer(run.StartSession, run.Closed)
	d.answer(run.Brief, run.OK)
	second := d.outstanding(run.StartSession)
	if second.Job != first.Job || second.Attempt != first.Attempt || second.Epoch == first.Epoch || second.Purpose != run.Implement {
		t.Errorf("the next session is %+v", second)
	}
	d.until("")
	d.want(run.StatusDone, done)
}

func TestHandoversAreBounded(t *testing.T) {
	d := begin(t, config.Rules{Sessions: 3}, feature("a"))
	for range 3 {
		d.until(run.StartSession)
		d.answer(run.StartSession, run.Killed)
	}
	d.until("")
	d.want(run.StatusStopped, blocked)
	if n := d.count(run.StartSession); n != 3 {
		t.Errorf("%d sessions", n)
	}
}

func TestRow70And75Budgets(t *testing.T) {
	for name, c := range map[string]struct {
		rules  config.Rules
		budget kedge.Budget
		status run.Status
		want   kedge.Status
	}{
		"tokens of the run":  {config.Rules{Tokens: 1000}, kedge.Budget{}, run.StatusOverBudget, working},
		"money of the run":   {config.Rules{USD: 2}, kedge.Budget{}, run.StatusOverBudget, working},
		"money of the day":   {config.Rules{DayUSD: 2}, kedge.Budget{}, run.StatusOverBudget, working},
		"a phase":            {config.Rules{Phases: []config.PhaseLimit{{ID: "p1", Tokens: 1000}}}, kedge.Budget{}, run.StatusOverBudget, working},
		"a feature":          {config.Rules{}, kedge.Budget{USD: 2}, run.StatusStopped, blocked},
		"any feature":        {config.Rules{FeatureTokens: 1000}, kedge.Budget{}, run.StatusStopped, blocked},
		"as many as allowed": {config.Rules{MaxSessions: 1}, kedge.Budget{}, run.StatusStopped, working},
	} {
		t.Run(name, func(t *testing.T) {
			spec := feature("a")
			spec.Phase, spec.Budget = "p1", c.budget
			d := begin(t, c.rules, spec)
			d.until(run.StartSession)
			d.session(run.Used, run.OK, used(999, 1.9))
			d.session(run.Used, run.OK, used(999, 1.9)) // told twice, counted once
			if d.s.Spent != (kedge.Spend{Tokens: 999, USD: 1.9}) {
				t.Errorf("spent %+v", d.s.Spent)
			}
			if out := d.session(run.TurnEnded, run.OK, used(1000, 2)); name != "as many as allowed" && out[0].Kind != run.Checkpoint {
				t.Errorf("the budget is spent, and: %v", out)
			}
			turns := d.count(run.NextTurn)
			for d.s.Live(1) { // whatever the agent does, it gets no other turn
				if d.s.Jobs[0].Phase == run.Saving {
					d.answer(run.Checkpoint, run.OK)
				}
				d.answer(run.StartSession, run.Killed)
			}
			d.until("")
			d.want(c.status, c.want)
			if d.count(run.NextTurn) != turns || d.count(run.StartSession) != 1 || d.s.Reason == "" {
				t.Errorf("%d turns, %d sessions, %q", d.count(run.NextTurn), d.count(run.StartSession), d.s.Reason)
			}
		})
	}
}

func TestRow75ASpentBudgetIsResumable(t *testing.T) {
	d := begin(t, config.Rules{Tokens: 1000}, feature("a"))
	d.until(run.StartSession)
	d.session(run.Used, run.OK, used(2000, 0))
	d.answer(run.Checkpoint, run.OK)
	d.answer(run.StartSession, run.Closed)
	d.until("")
	d.want(run.StatusOverBudget, working)
	d.person(run.Continued, "")
	d.until("")
	d.want(run.StatusOverBudget, working)
	d.do(run.Input{Kind: run.Continued, Rules: &config.Rules{Tokens: 5000}, Actor: kedge.Human("ann")})
	d.until("")
	d.want(run.StatusDone, done)
}

func TestRow95And96FixFirst(t *testing.T) {
	d := begin(t, config.Rules{Parallel: 2}, feature("a"), feature("b"))
	d.answer(run.Prepare, run.OK)
	d.answer(run.Prepare, run.OK)
	d.answer(run.Gate, run.Red, because("TestOld: red"))
	d.stillRed(because("TestOld: red"))
	d.until(run.StartSession)
	if c := d.outstanding(run.StartSession); c.Purpose != run.FixFirst || c.Feature != "" {
		t.Fatalf("the first session is for %+v", c)
	}
	for _, c := range d.all {
		if c.Kind == run.Brief && c.Failure != "TestOld: red" {
			t.Errorf("the fix is told %q", c.Failure)
		}
	}
	d.until("")
	d.want(run.StatusDone, done, done)

	d = begin(t, config.Rules{}, feature("a"))
	for range 4 { // the baseline, again before the fix, the fix, its repair
		d.until(run.Gate)
		d.answer(run.Gate, run.Red)
	}
	d.until("")
	d.want(run.StatusStopped, pending)
	if d.count(run.StartSession, run.Implement) > 0 || d.s.Halt != run.RedBaseline {
		t.Errorf("%s: %s", d.s.Halt, d.s.Reason)
	}
}

func TestEnvironmentPaysNoAgent(t *testing.T) {
	for _, kind := range []run.CommandKind{run.Prepare, run.Gate, run.Prove} {
		d := begin(t, config.Rules{}, feature("a"))
		d.until(kind)
		d.answer(kind, run.CannotRun, because("npm: not found"))
		d.until("")
		d.want(run.StatusStopped, blocked)
		if d.count(run.StartSession) > 0 {
			t.Errorf("%s: an agent was started", kind)
		}
		if kind != run.Prove {
			d.person(run.Continued, "") // tries again by itself
			d.until("")
			d.want(run.StatusDone, done)
		}
	}
}

func TestProve(t *testing.T) {
	for _, c := range []struct {
		outcome  run.Outcome
		claim    bool
		want     kedge.Status
		sessions int
		commits  int
	}{
		{run.Fails, false, done, 1, 1},
		{run.Broken, false, blocked, 0, 0},
		{run.Green, false, review, 0, 0},
		{run.Green, true, done, 0, 0},
		{run.NoChecks, false, review, 1, 1},
		{run.NoChecks, true, review, 0, 0},
	} {
		spec := feature("a")
		spec.Claim = c.claim
		d := begin(t, config.Rules{}, spec)
		d.until(run.Prove)
		d.answer(run.Prove, c.outcome)
		d.until("")
		if d.status("a") != c.want || d.count(run.StartSession) != c.sessions || d.count(run.Commit) != c.commits {
			t.Errorf("%s, claim %v: %s, %d sessions, %d commits", c.outcome, c.claim, d.status("a"), d.count(run.StartSession), d.count(run.Commit))
		}
		if c.want == review && c.commits == 0 { // work that is there already: see TestAcceptedWhenTheRunIsOver
			d.person(run.Accepted, "a")
			d.until(run.Prove)
			d.answer(run.Prove, c.outcome)
			d.until("")
			d.want(run.StatusDone, done)
		}
	}
}

func TestRow98ACrashGetsOneFreshSession(t *testing.T) {
	d := begin(t, config.Rules{}, feature("a"))
	d.until(run.StartSession)
	d.answer(run.StartSession, run.Crashed)
	d.until(run.StartSession)
	if c := d.outstanding(run.StartSession); c.Purpose != run.Implement || c.Attempt != 1 {
		t.Errorf("the next session is %+v", c)
	}
	d.session(run.Signalled, run.Stalled)
	d.answer(run.Checkpoint, run.OK)
	d.answer(run.StartSession, run.Closed)
	d.until("")
	d.want(run.StatusStopped, blocked)
	if d.s.Features[0].Attempts != 0 || d.count(run.Revert) != 1 {
		t.Errorf("%d attempts counted, %d reverts", d.s.Features[0].Attempts, d.count(run.Revert))
	}
}

func TestARedMergeIsTheRepairOnTheNewBase(t *testing.T) {
	for _, o := range []run.Outcome{run.Red, run.Conflicting} {
		d := begin(t, config.Rules{Parallel: 2}, feature("a"), feature("b"))
		for d.s.Jobs[0].Phase != run.Integrating || d.s.Jobs[1].Phase != run.Ready {
			c := d.s.Outbox[0]
			if c.Kind == run.Integrate {
				c = d.s.Outbox[1]
			}
			d.do(d.happy(c))
		}
		d.answer(run.Integrate, run.Green)
		for d.outstandingOr(run.Integrate) == nil {
			d.do(d.happy(d.s.Outbox[0]))
		}
		d.answer(run.Integrate, o, func(ev *run.Input) { ev.Tree = "other" })
		p := d.outstanding(run.Prepare)
		if p.Feature != "b" || p.Carry == "" || p.Base != d.s.Tip || p.Base == "c0" {
			t.Errorf("%s: the work moves with %+v", o, p)
		}
		d.answer(run.Prepare, run.OK)
		if b := d.outstanding(run.Brief); b.Purpose != run.Repair {
			t.Errorf("%s: the next session is for %s", o, b.Purpose)
		}
		d.until("")
		d.want(run.StatusDone, done, done)
		if d.s.Features[1].Attempts != 0 {
			t.Errorf("%s: an attempt was counted", o)
		}
	}
}

func (d *drive) outstandingOr(kind run.CommandKind) *run.Command {
	for i := range d.s.Outbox {
		if d.s.Outbox[i].Kind == kind {
			return &d.s.Outbox[i]
		}
	}
	return nil
}

// TestRow27PauseStopsTheClock: the time of a session does not run out while you hold it.
func TestRow27PauseStopsTheClock(t *testing.T) {
	d := begin(t, config.Rules{SessionWall: time.Hour}, feature("a"))
	d.until(run.StartSession)
	d.person(run.PauseAsked, "")
	if out := d.answer(run.Timer, run.OK); len(out) > 0 {
		t.Errorf("its time is over while it is held: %v", out)
	}
	d.person(run.Continued, "")
	d.outstanding(run.Timer)
	if out := d.answer(run.Timer, run.OK); len(out) != 1 || out[0].Kind != run.Checkpoint {
		t.Errorf("its time is over: %v", out)
	}
}
