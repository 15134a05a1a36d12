package run_test

import (
	"strings"
	"testing"

	"kedge/internal/core/config"
	"kedge/internal/core/run"
)

// resume begins a run on a commit that the user's branch does not have.
func resume(t *testing.T, specs ...run.Spec) *drive {
	t.Helper()
	d := &drive{T: t, at: noon}
	d.do(run.Input{Kind: run.Begun, Run: "run-1", Rules: &config.Rules{}, Specs: specs, Commit: "c1", Head: "c0"})
	return d
}

func (d *drive) says(kind run.CommandKind, ev run.Input) []run.Command {
	d.Helper()
	c := d.outstanding(kind)
	ev.Kind, ev.Epoch = kind.Answer(), c.Epoch
	if ev.Outcome == "" {
		ev.Outcome = run.OK
	}
	return d.do(ev)
}

func isOf(commands []run.Command, kind run.CommandKind) bool {
	for _, c := range commands {
		if c.Kind == kind {
			return true
		}
	}
	return false
}

func TestUnseenTipIsCheckedBeforeItLands(t *testing.T) {
	skipped := run.Spec{ID: "a", Hash: "h-a", Status: "skipped"}
	for _, x := range []struct {
		outcome run.Outcome
		lands   bool
		why     string
	}{
		{run.Green, true, ""},
		{run.Empty, true, ""},
		{run.Red, false, "not landed: with your branch merged in, its checks are red: it broke"},
		{run.Partial, false, "only some of its checks ran"},
		{run.CannotRun, false, "its checks cannot run"},
	} {
		d := resume(t, skipped)
		d.says(run.Prepare, run.Input{Commit: "c1", Tree: "t1"})
		d.says(run.Gate, run.Input{Outcome: x.outcome, Tree: "t1", Failure: "it broke"})
		if lands := isOf(d.says(run.Revert, run.Input{}), run.Land); lands != x.lands {
			t.Errorf("%s: lands %v", x.outcome, lands)
		}
		if isOf(d.all, run.StartSession) || !strings.Contains(d.s.Reason, x.why) {
			t.Errorf("%s: %s (%s)", x.outcome, d.s.Status, d.s.Reason)
		}
	}
}

func TestStopKeepsAnUnseenTipFromLanding(t *testing.T) {
	d := resume(t, run.Spec{ID: "a", Hash: "h-a", Status: "skipped"})
	d.says(run.Prepare, run.Input{Commit: "c1", Tree: "t1"})
	d.person(run.StopAsked, "")
	d.says(run.Revert, run.Input{})
	if isOf(d.all, run.Land) || !d.s.Ended() {
		t.Fatalf("%s (%s), ended %v", d.s.Status, d.s.Reason, d.s.Ended())
	}
	if !isOf(d.person(run.LandAsked, ""), run.Prepare) {
		t.Error("a person may still ask for it")
	}
}

func TestRunOnTheUsersOwnCommitHasNothingToLand(t *testing.T) {
	d := &drive{T: t, at: noon}
	d.do(run.Input{Kind: run.Begun, Run: "run-1", Rules: &config.Rules{}, Specs: []run.Spec{{ID: "a", Status: "skipped"}}, Commit: "c0", Head: "c0"})
	if d.s.Status != run.StatusDone || isOf(d.all, run.Land) || isOf(d.all, run.Prepare) {
		t.Errorf("%s, %v", d.s.Status, d.all)
	}
}

func TestDayGoesOnInTheNextRun(t *testing.T) {
	for date, want := range map[string]float64{"2026-05-04": 3, "2026-05-03": 0} {
		s, _ := run.Step(run.State{}, run.Input{Kind: run.Begun, At: noon, Run: "run-2", Commit: "c0", Day: run.Day{Date: date, USD: 3}})
		if s.Day.Date != "2026-05-04" || s.Day.USD != want {
			t.Errorf("begun with %s: %+v", date, s.Day)
		}
	}
}
