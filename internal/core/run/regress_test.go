package run_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/core/config"
	"kedge/internal/core/run"
)

const why = `check "check" (test -f a.txt) is red; since 1a2b3c by Ada`

// broke says which completed features are red, and why.
func broke(ids ...kedge.FeatureID) func(*run.Input) {
	return func(ev *run.Input) { ev.Features, ev.Reason = ids, why }
}

func completed(id string, needs ...kedge.FeatureID) run.Spec {
	s := feature(id, needs...)
	s.Status = done
	return s
}

// TestRow102Regression: what was done and is red on the base is repaired before the
// feature that met it goes on, and its session is told why.
func TestRow102Regression(t *testing.T) {
	for _, meets := range []run.CommandKind{run.Gate, run.Integrate} {
		d := begin(t, config.Rules{}, completed("a"), feature("b"), feature("c"))
		d.until(meets)
		d.answer(meets, run.Regressed, broke("a", "nobody"))
		d.want(run.StatusRunning, working, working, pending)
		if c := d.outstanding(run.Prepare); c.Feature != "a" {
			t.Fatalf("%s: next is %s", meets, c.Feature)
		}
		mark := d.all[slices.IndexFunc(d.all, func(c run.Command) bool { return c.Status == kedge.Regressed })]
		if mark.Feature != "a" || !strings.Contains(mark.Reason, why) {
			t.Errorf("%s: the ledger is told %+v", meets, mark)
		}
		d.until(run.Brief)
		if c := d.outstanding(run.Brief); c.Feature != "a" || c.Failure != why {
			t.Errorf("%s: the session of %s is told %q", meets, c.Feature, c.Failure)
		}
		d.until(run.Integrate)
		if c := d.outstanding(run.Integrate); c.Feature != "a" || !slices.Equal(c.Features, []kedge.FeatureID{"a"}) {
			t.Errorf("%s: integrates %+v", meets, c)
		}
		d.until("")
		d.want(run.StatusDone, done, done, done)
		if len(d.s.Causes) != 0 {
			t.Errorf("%s: %v is left", meets, d.s.Causes)
		}
	}
}

// TestRow96NothingNewBeforeTheRepair: while a feature that was done is red, only it and
// what it needs is worked on; given up, the run stops and says so, until a person
// continues it.
func TestRow96NothingNewBeforeTheRepair(t *testing.T) {
	d := begin(t, config.Rules{Parallel: 3}, completed("base"), completed("a", "base"), feature("b"))
	d.until(run.Gate)
	d.answer(run.Gate, run.Regressed, broke("a"))
	d.until(run.Prove)
	if c := d.outstanding(run.Prove); c.Feature != "a" || d.count(run.StartSession) != 0 {
		t.Fatalf("%s is worked on", c.Feature)
	}
	d.answer(run.Prove, run.Broken, because("exit 127"))
	d.until("")
	d.want(run.StatusStopped, done, blocked, pending)
	if d.s.Halt != run.RedBaseline || !strings.Contains(d.s.Reason, `"a" was done and is red again`) || d.count(run.StartSession) != 0 {
		t.Errorf("%q after %d sessions", d.s.Reason, d.count(run.StartSession))
	}
	d.person(run.Continued, "")
	d.until(run.Prove)
	d.answer(run.Prove, run.Green) // somebody mended it
	d.until("")
	d.want(run.StatusDone, done, done, done)
	if n := d.count(run.StartSession); n != 1 {
		t.Errorf("%d sessions", n)
	}
}

// TestRow14BrokenFeatureIsTheOneRepair: work that breaks a completed feature gets its
// one repair, told what it broke; then the attempt has failed, and the other feature
// stays done.
func TestRow14BrokenFeatureIsTheOneRepair(t *testing.T) {
	d := begin(t, config.Rules{}, completed("a"), feature("b"))
	breaks := func(ev *run.Input) { ev.Features, ev.Failure = []kedge.FeatureID{"a"}, "it breaks \"a\": "+why }
	d.until(run.Integrate)
	d.answer(run.Integrate, run.Red, breaks)
	d.until(run.StartSession)
	if c := d.outstanding(run.StartSession); c.Purpose != run.Repair {
		t.Errorf("a session for %s", c.Purpose)
	}
	if c := d.all[slices.IndexFunc(d.all, func(c run.Command) bool { return c.Kind == run.Brief && c.Purpose == run.Repair })]; !strings.Contains(c.Failure, why) {
		t.Errorf("the repair is told %q", c.Failure)
	}
	d.until(run.Integrate)
	d.answer(run.Integrate, run.Red, breaks)
	d.until("")
	d.want(run.StatusStopped, done, blocked)
	if d.count(run.Commit) != 0 || len(d.s.Broken()) != 0 {
		t.Errorf("%d commits, %v are broken", d.count(run.Commit), d.s.Broken())
	}
}

// TestARedFeatureThatTheRunDoesNotKnow: no session of the run can mend it.
func TestARedFeatureThatTheRunDoesNotKnow(t *testing.T) {
	d := begin(t, config.Rules{}, feature("b"))
	d.until(run.Gate)
	d.answer(run.Gate, run.Regressed, broke("nobody"))
	d.until("")
	d.want(run.StatusStopped, working)
	if d.s.Halt != run.RedBaseline || d.count(run.StartSession) != 0 || !strings.Contains(d.s.Reason, why) {
		t.Errorf("%s: %q", d.s.Halt, d.s.Reason)
	}
}

// TestRow96LandsOnARegressionOnlyWhenAsked: neither by itself nor at a person's plain
// wish does what breaks features land.
func TestRow96LandsOnARegressionOnlyWhenAsked(t *testing.T) {
	d := resume(t, completed("a"))
	d.says(run.Prepare, run.Input{Commit: "c1", Tree: "t1"})
	d.says(run.Gate, run.Input{Outcome: run.Regressed, Features: []kedge.FeatureID{"a"}, Reason: why})
	for d.until(run.Prove); ; d.until(run.Prove) {
		d.answer(run.Prove, run.Broken, because("exit 127"))
		d.until("")
		break
	}
	d.want(run.StatusStopped, blocked)
	d.person(run.LandAsked, "")
	d.until("")
	if d.count(run.Land) != 0 || !strings.Contains(d.s.LandRefusal, "red again") {
		t.Fatalf("%d landings, %q", d.count(run.Land), d.s.LandRefusal)
	}
	d.do(run.Input{Kind: run.LandAsked, Scope: run.Breaking, Actor: kedge.Agent("ses-1")})
	d.until("")
	if d.count(run.Land) != 0 {
		t.Error("an agent's wish lands it")
	}
	d.do(run.Input{Kind: run.LandAsked, Scope: run.Breaking, Actor: kedge.Human("ann")})
	d.until(run.Land)
	if c := d.outstanding(run.Land); c.Scope != run.Breaking {
		t.Errorf("lands %+v", c)
	}
	d.until("")
	if !d.s.AllLanded() || d.s.LandScope != "" {
		t.Errorf("landed %s of %s, %q is left", d.s.Landed, d.s.Tip, d.s.LandScope)
	}
}

// TestATipThatBreaksIsLandedOnlyWhenAsked: what is found red when a tip is looked at
// before it lands.
func TestATipThatBreaksIsLandedOnlyWhenAsked(t *testing.T) {
	for _, scope := range []string{"", run.Breaking} {
		d := resume(t, completed("a"))
		d.says(run.Prepare, run.Input{Commit: "c1", Tree: "t1"})
		d.person(run.StopAsked, "")
		d.until("")
		d.do(run.Input{Kind: run.LandAsked, Scope: scope, Actor: kedge.Human("ann")})
		d.until(run.Gate)
		d.answer(run.Gate, run.Regressed, broke("a"))
		d.until("")
		if lands := d.count(run.Land) > 0; lands != (scope == run.Breaking) {
			t.Errorf("%q: lands %v (%s)", scope, lands, d.s.LandRefusal)
		}
		if d.count(run.StartSession) != 0 {
			t.Errorf("%q: a session starts by itself", scope)
		}
	}
}

// TestOldRecheckGoesOn: a state that an earlier Kedge stored while it rechecked goes on
// behind that, answered or stuck.
func TestOldRecheckGoesOn(t *testing.T) {
	for _, stuck := range []bool{false, true} {
		d := begin(t, config.Rules{}, completed("a"), feature("b"))
		d.until(run.Note)
		note, checkpoint := d.outstanding(run.Note), d.outstanding(run.Checkpoint)
		old := note
		old.Kind, old.Scope, old.Base = run.Recheck, "sample", d.s.Tip
		d.s.Outbox = slices.DeleteFunc(d.s.Outbox, func(c run.Command) bool { return c.Epoch == note.Epoch || c.Epoch == checkpoint.Epoch })
		d.s.Outbox = append(d.s.Outbox, old)
		d.s.Jobs[0].Phase = run.Rechecking
		stored, err := json.Marshal(d.s)
		if err != nil {
			t.Fatal(err)
		}
		d.s = run.State{}
		if err := json.Unmarshal(stored, &d.s); err != nil {
			t.Fatal(err)
		}
		if d.do(run.Input{Kind: run.TakenOver}); stuck {
			d.answer(run.Recheck, run.Failed, because("a disk is full"))
			d.person(run.Continued, "")
		}
		d.until("")
		d.want(run.StatusDone, done, done)
	}
}

// TestStuckCommitIsCheckedAgain: what was checked on a tip that has moved since is not
// committed: it does not have what others committed meanwhile.
func TestStuckCommitIsCheckedAgain(t *testing.T) {
	d := begin(t, config.Rules{Parallel: 2}, feature("a"), feature("b"))
	d.until(run.Commit)
	first := d.outstanding(run.Commit)
	d.answer(run.Commit, run.Failed, because("a disk is full"))
	for len(d.s.Outbox) > 0 { // the other one comes to its end meanwhile
		d.do(d.happy(d.s.Outbox[0]))
	}
	if d.s.Tip == first.Base {
		t.Fatal("the other one committed nothing")
	}
	d.person(run.Continued, "")
	if c := d.outstanding(run.Integrate); c.Feature != first.Feature || c.Base != d.s.Tip {
		t.Errorf("it goes on with %+v", c)
	}
	d.until("")
	d.want(run.StatusDone, done, done)
}
