package run_test

import (
	"reflect"
	"strings"
	"testing"

	"kedge"

	"kedge/internal/core/config"
	"kedge/internal/core/run"
)

func TestF30Flaky(t *testing.T) {
	for _, second := range []run.Outcome{run.Green, run.Red} {
		d := begin(t, config.Rules{}, feature("a"))
		d.until(run.Inspect)
		d.until(run.Integrate)
		same := func(ev *run.Input) { ev.Tree = d.s.Jobs[0].Tree }
		out := d.answer(run.Integrate, run.Red, same)
		if len(out) != 1 || out[0].Kind != run.Integrate {
			t.Fatalf("the same tree, green and red, and then %v", out)
		}
		d.answer(run.Integrate, second, same)
		if second == run.Red {
			if b := d.outstanding(run.Brief); b.Purpose != run.Repair {
				t.Errorf("red twice, and then %+v", b)
			}
			continue
		}
		d.until(run.Ledger)
		if l := d.outstanding(run.Ledger); !l.Flaky || l.Status != done {
			t.Errorf("the ledger says %+v", l)
		}
	}
}

// TestRedOfACheckThatTheSlotDoesNotRun: the slot runs only the feature's checks. If another one is
// red in the clean worktree, that contradicts nothing: it is not run again to see whether it is
// flaky. Two verdicts of the clean worktree can contradict each other.
func TestRedOfACheckThatTheSlotDoesNotRun(t *testing.T) {
	d := begin(t, config.Rules{}, feature("a"))
	d.until(run.Integrate)
	tree := d.s.Jobs[0].Tree
	unseen := func(ev *run.Input) { ev.Tree, ev.Unseen = tree, true }
	if out := d.answer(run.Integrate, run.Red, unseen); len(out) != 1 || out[0].Kind != run.Brief || out[0].Purpose != run.Repair {
		t.Fatalf("after a red suite comes %v", out)
	}
	d.until(run.Gate)
	d.answer(run.Gate, run.Green, func(ev *run.Input) { ev.Tree = tree }) // the repair changed nothing
	d.until(run.Integrate)
	if out := d.answer(run.Integrate, run.Green, func(ev *run.Input) { ev.Tree = tree }); len(out) != 1 || out[0].Kind != run.Integrate {
		t.Errorf("red and green on the same tree, and then %v", out)
	}
}

func TestVerdictsAreReused(t *testing.T) {
	d := begin(t, config.Rules{}, feature("a"), feature("b"))
	d.until(run.Ledger)
	merged := d.s.Jobs[0].Merged
	d.answer(run.Ledger, run.OK)
	out := d.answer(run.Prepare, run.OK, func(ev *run.Input) { ev.Tree = merged })
	if len(out) != 1 || out[0].Kind != run.Prove {
		t.Errorf("the tree was green just now, and: %v", out)
	}
	d = begin(t, config.Rules{}, feature("a"), feature("b"))
	d.until(run.Ledger)
	merged = d.s.Jobs[0].Merged
	d.answer(run.Ledger, run.OK)
	out = d.answer(run.Prepare, run.OK, func(ev *run.Input) { ev.Tree, ev.Environment = merged, "another" })
	if len(out) != 1 || out[0].Kind != run.Gate {
		t.Errorf("another environment, and: %v", out)
	}
}

func TestF18ProviderLimit(t *testing.T) {
	d := begin(t, config.Rules{}, feature("a"), feature("b"))
	d.until(run.StartSession)
	d.answer(run.StartSession, run.HitLimit, func(ev *run.Input) { ev.Until = d.at.Add(3600e9) })
	d.until(run.Timer)
	d.do(d.happy(d.outstanding(run.Notify)))
	d.want(run.StatusQuota, working, pending)
	if c := d.outstanding(run.Timer); c.Wait <= 0 || c.Wait > 3600e9 || len(d.s.Outbox) != 1 {
		t.Errorf("waits with %+v", d.s.Outbox)
	}
	d.answer(run.Timer, run.OK)
	d.until("")
	d.want(run.StatusDone, done, done)
	if n := d.s.Features[0].Attempts; n != 0 {
		t.Errorf("%d attempts counted", n)
	}

	d = begin(t, config.Rules{Fallback: "codex"}, feature("a"))
	d.until(run.StartSession)
	d.answer(run.StartSession, run.HitLimit)
	d.until(run.StartSession)
	if c := d.outstanding(run.StartSession); c.Route != "codex" {
		t.Errorf("goes on with %q", c.Route)
	}
}

func TestF9TheClockJumps(t *testing.T) {
	d := begin(t, config.Rules{DayUSD: 5}, feature("a"))
	d.until(run.StartSession)
	d.session(run.Used, run.OK, used(1, 4), func(ev *run.Input) { ev.At = noon.AddDate(0, 0, -3) })
	if d.s.Day.USD != 4 || d.s.Day.Date != "2026-05-04" {
		t.Errorf("the day is %+v", d.s.Day)
	}
	d.session(run.Used, run.OK, used(1, 4.5), func(ev *run.Input) { ev.At = noon.AddDate(0, 0, 1) })
	if d.s.Day.USD != 0.5 || d.s.Day.Date != "2026-05-05" {
		t.Errorf("the next day is %+v", d.s.Day)
	}
	d.answer(run.StartSession, run.HitLimit, func(ev *run.Input) { ev.Until = noon.AddDate(0, 0, -1) })
	d.until(run.Timer)
	if c := d.outstanding(run.Timer); c.Wait <= 0 {
		t.Errorf("waits %v", c.Wait)
	}
	d.answer(run.Timer, run.OK, func(ev *run.Input) { ev.At = noon.AddDate(-1, 0, 0) }) // a timer is believed
	d.until("")
	d.want(run.StatusDone, done)
}

func TestF16Drift(t *testing.T) {
	d := begin(t, config.Rules{}, feature("a"))
	out := d.answer(run.Prepare, run.OK, func(ev *run.Input) { ev.Commit = "elsewhere" })
	if len(out) != 0 {
		t.Errorf("a wrong base, and then %v", out)
	}
	d.want(run.StatusPaused, working)
	d.person(run.Continued, "")
	d.until(run.Gate)
	d.answer(run.Gate, run.Drifted, because("the branch is gone"))
	d.until("")
	d.want(run.StatusPaused, working)
	if !strings.Contains(d.s.Reason, "the branch is gone") || d.count(run.Revert) > 0 {
		t.Errorf("it says %q, %d reverts", d.s.Reason, d.count(run.Revert))
	}
	d.person(run.Continued, "")
	d.until("")
	d.want(run.StatusDone, done)
}

func TestF26AnEarlierOwnerIsRefused(t *testing.T) {
	d := begin(t, config.Rules{}, feature("a"))
	d.until(run.StartSession)
	old := d.outstanding(run.StartSession)
	out := d.do(run.Input{Kind: run.TakenOver})
	if len(out) != 1 || out[0].Adopts != old.Epoch || out[0].Epoch == old.Epoch {
		t.Fatalf("takes over with %+v", out)
	}
	out = d.do(run.Input{Kind: run.TakenOver})
	if len(out) != 1 || out[0].Origin() != old.Epoch || out[0].Adopts == old.Epoch {
		t.Fatalf("takes over once more with %+v", out)
	}
	before := d.s
	for _, ev := range []run.Input{
		{Kind: run.Exited, Epoch: old.Epoch, Outcome: run.Finished},
		{Kind: run.TurnEnded, Epoch: old.Epoch, Outcome: run.OK},
		{Kind: run.Used, Epoch: old.Epoch, Usage: &kedge.Spend{Tokens: 5}},
		{Kind: run.Gated, Epoch: out[0].Epoch, Outcome: run.Green},
		{Kind: "unheard_of", Epoch: out[0].Epoch},
	} {
		if after, commands := run.Step(d.s, ev); len(commands) > 0 || !reflect.DeepEqual(after, before) {
			t.Errorf("%s: changed something", ev.Kind)
		}
	}
	d.until("")
	d.want(run.StatusDone, done)
}

func TestF31TheAgentIsAbsent(t *testing.T) {
	d := begin(t, config.Rules{}, feature("a"))
	d.until(run.StartSession)
	d.answer(run.StartSession, run.NoLogin, because("not logged in"))
	d.until("")
	d.want(run.StatusStopped, pending)
	if d.s.Halt != run.NoAgent || d.s.Features[0].Attempts != 0 || d.s.Features[0].Sessions != 0 {
		t.Errorf("%s %q, %d attempts", d.s.Halt, d.s.Reason, d.s.Features[0].Attempts)
	}
	d.person(run.Continued, "")
	d.until("")
	d.want(run.StatusDone, done)
}
