package sim_test

import (
	"slices"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/core/run"
	"kedge/internal/testkit/sim"
)

// TestSecondRun: the simulation finds out a second run that forgets which work of the
// first nobody accepted, and a run that was over and goes on by itself.
func TestSecondRun(t *testing.T) {
	for what, m := range map[string]struct {
		violation string
		step      sim.Stepper
	}{
		"the second run does not know what waits": {"invariant 1: work lands that nobody accepted", func(s run.State, ev run.Input) (run.State, []run.Command) {
			if ev.Kind == run.Begun || ev.Kind == run.Planned {
				ev.Specs = slices.Clone(ev.Specs)
				for i := range ev.Specs {
					ev.Specs[i].Work = ""
				}
			}
			return run.Step(s, ev)
		}},
		"skipped work is taken for accepted": {"invariant 1: work lands that nobody accepted", func(s run.State, ev run.Input) (run.State, []run.Command) {
			if ev.Kind == run.Begun {
				ev.Specs = slices.Clone(ev.Specs)
				for i := range ev.Specs {
					if ev.Specs[i].Status != kedge.NeedsReview {
						ev.Specs[i].Work = ""
					}
				}
			}
			return run.Step(s, ev)
		}},
		"what could not be taken back lifts the halt": {"invariant 9: a run that was over goes on by itself", func(s run.State, ev run.Input) (run.State, []run.Command) {
			if c, ok := s.Outstanding(ev.Epoch); ok && c.Kind == run.Ledger && c.Purpose == run.TakeBack && s.Halt == run.Returned {
				s.Halt, s.Why = "", ""
			}
			return run.Step(s, ev)
		}},
	} {
		t.Run(what, func(t *testing.T) {
			for seed := range uint64(20_000) {
				if r := sim.Play(seed, m.step); strings.HasPrefix(r.Violation, m.violation) {
					t.Logf("seed %d: %s", seed, r.Violation)
					return
				}
			}
			t.Error("nobody notices")
		})
	}
}
