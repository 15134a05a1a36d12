package run_test

import (
	"strings"
	"testing"

	"kedge"
	"kedge/internal/core/config"
	"kedge/internal/core/run"
)

func TestRow105NothingToDo(t *testing.T) {
	a, b := feature("a"), feature("b")
	a.Status, b.Status = done, kedge.Skipped
	d := begin(t, config.Rules{}, a, b)
	d.until("")
	d.want(run.StatusDone, done, kedge.Skipped)
	if d.count(run.StartSession) != 0 || d.count(run.Land) != 0 || d.s.Reason == "" {
		t.Errorf("%q after %v", d.s.Reason, d.all)
	}
}

func TestRow9And32Planning(t *testing.T) {
	d := &drive{T: t, at: noon}
	d.do(run.Input{Kind: run.Begun, Run: "run-1", Goal: "a shop", Commit: "c0"})
	d.want(run.StatusPlanning)
	d.until(run.Inspect)
	d.answer(run.Inspect, run.Outside, because("main.go"))
	if c := d.outstanding(run.Revert); c.Salvage == "" {
		t.Errorf("undone with %+v", c)
	}
	d.until("")
	d.want(run.StatusWaiting)
	d.person(run.Answered, "")
	d.until(run.Inspect)
	d.answer(run.Inspect, run.Empty)
	d.until("")
	d.want(run.StatusWaiting)
	if n := d.count(run.StartSession, run.MakePlan); n != 2 || d.count(run.StartSession) != 2 {
		t.Errorf("%d planning sessions", n)
	}
	d.do(run.Input{Kind: run.Planned, Specs: []run.Spec{feature("a")}, Actor: kedge.Human("ann")})
	d.until("")
	d.want(run.StatusDone, done)
}

func TestAnAnswerIsWaitedFor(t *testing.T) {
	for _, ends := range []bool{true, false} {
		d := begin(t, config.Rules{}, feature("a"))
		d.until(run.StartSession)
		if ends {
			d.answer(run.StartSession, run.Asked, func(ev *run.Input) { ev.Text = "which one?" })
			d.answer(run.Checkpoint, run.OK)
		} else {
			d.session(run.Signalled, run.Asked)
		}
		d.do(d.happy(d.outstanding(run.Notify)))
		d.want(run.StatusWaiting, working)
		if d.s.Reason != `"a" asks: which one?` {
			t.Errorf("it says %q", d.s.Reason)
		}
		d.person(run.Answered, "a")
		d.until("")
		d.want(run.StatusDone, done)
	}
}

// A question is asked once, whoever reads the session again; the next one, and
// the first one of another session, are others.
func TestAQuestionIsAskedOnce(t *testing.T) {
	d := begin(t, config.Rules{}, feature("a"))
	d.until(run.StartSession)
	ask := func(place int64) run.Phase {
		d.session(run.Signalled, run.Asked, func(ev *run.Input) { ev.Place = place })
		return d.s.Jobs[0].Phase
	}
	if p := ask(7); p != run.Asking {
		t.Fatalf("asked, it is %s", p)
	}
	d.person(run.Answered, "a")
	if p := ask(7); p == run.Asking {
		t.Error("what was answered is asked again")
	}
	if p := ask(9); p != run.Asking {
		t.Errorf("asked something else, it is %s", p)
	}
	d.person(run.Answered, "a")
	d.answer(run.StartSession, run.Crashed)
	d.until(run.StartSession)
	if p := ask(7); p != run.Asking {
		t.Errorf("asked by another session, it is %s", p)
	}
}

func TestOnlyAPersonAmends(t *testing.T) {
	d := begin(t, config.Rules{}, feature("a"))
	d.until(run.StartSession)
	for _, ev := range []run.Input{
		{Kind: run.Amended, Feature: "a", Hash: "x", Reason: "easier", Actor: kedge.Agent("ses-1")},
		{Kind: run.Amended, Feature: "a", Hash: "x", Actor: kedge.Human("ann")},
	} {
		if out := d.do(ev); len(out) > 0 || d.s.Features[0].Hash != "h-a" {
			t.Errorf("%s amended: %v", ev.Actor, out)
		}
	}
	d.person(run.Amended, "a")
	if d.s.Features[0].Hash != "h-new" {
		t.Fatal("not amended")
	}
	d.answer(run.Checkpoint, run.OK)
	d.answer(run.StartSession, run.Closed)
	d.until(run.StartSession)
	if c := d.outstanding(run.StartSession); c.Hash != "h-new" || c.Job == 1 {
		t.Errorf("goes on with %+v", c)
	}
	d.until(run.Commit)
	d.do(run.Input{Kind: run.Amended, Feature: "a", Hash: "h-newer", Reason: "again", Actor: kedge.Human("ann")})
	d.until(run.Ledger)
	if l := d.outstanding(run.Ledger); l.Status != pending {
		t.Errorf("the definition changed under the commit, and the ledger says %s", l.Status)
	}
}

func TestOneIntegrationAtATime(t *testing.T) {
	d := begin(t, config.Rules{Parallel: 3}, feature("a"), feature("b"), feature("c"))
	for range 500 {
		if len(d.s.Outbox) == 0 {
			break
		}
		trunk := 0
		for _, j := range d.s.Jobs {
			if j.Phase.OnTrunk() {
				trunk++
			}
		}
		if trunk > 1 {
			t.Fatalf("%d jobs integrate", trunk)
		}
		d.do(d.happy(d.s.Outbox[len(d.s.Outbox)-1]))
	}
	d.want(run.StatusDone, done, done, done)
}

func TestLand(t *testing.T) {
	for land, want := range map[string]int{"end": 1, "each": 2, "never": 0} {
		d := begin(t, config.Rules{Land: land}, feature("a"), feature("b"))
		d.until("")
		if n := d.count(run.Land); n != want {
			t.Errorf("land = %q: landed %d times", land, n)
		}
	}
	d := begin(t, config.Rules{}, feature("a"))
	d.until(run.Land)
	d.answer(run.Land, run.Refused, because("the checkout has changes"))
	d.until("")
	d.want(run.StatusDone, done)
	if !strings.Contains(d.s.Reason, "the checkout has changes") {
		t.Errorf("it says %q", d.s.Reason)
	}
	if d.person(run.LandAsked, ""); d.outstanding(run.Land).Commit != d.s.Tip {
		t.Error("a person cannot land")
	}
}
