package sim_test

import (
	"slices"
	"strings"
	"testing"

	"kedge/internal/core/run"
	"kedge/internal/testkit/sim"
)

// changed is a core that forgets something about every feature when it hears of an
// event, before it or after it.
func changed(kind run.InputKind, after bool, forget func(f *run.Feature)) sim.Stepper {
	all := func(s run.State) run.State {
		s.Features = slices.Clone(s.Features)
		for i := range s.Features {
			forget(&s.Features[i])
		}
		return s
	}
	return func(s run.State, ev run.Input) (run.State, []run.Command) {
		if ev.Kind == kind && !after {
			s = all(s)
		}
		s, out := run.Step(s, ev)
		if ev.Kind == kind && after {
			s = all(s)
		}
		return s, out
	}
}

// TestForgottenWordsAreNoticed: the simulation sees it when the core forgets what
// landed, what is broken, or whose word counts for which definition.
func TestForgottenWordsAreNoticed(t *testing.T) {
	for what, m := range map[string]struct {
		violation string
		step      sim.Stepper
	}{
		"what landed": {"invariant 8: work is taken back that is on the user's branch", changed(run.Landed, true, func(f *run.Feature) {
			if f.Let == run.LetLanded {
				f.Let = run.LetUnseen
			}
		})},
		"what is broken": {"invariant 13: work on", changed(run.Reopened, false, func(f *run.Feature) { f.Red = false })},
		"what was accepted": {"invariant 1: done without a check", changed(run.Amended, true, func(f *run.Feature) {
			if f.Status == "pending" {
				f.Claim = run.ClaimAccepted
			}
		})},
		"what was reopened": {"invariant 1: work lands that nobody accepted", changed(run.Reopened, true, func(f *run.Feature) { f.Work = "" })},
	} {
		t.Run(what, func(t *testing.T) {
			for seed := range uint64(60_000) {
				if r := sim.Play(seed, m.step); strings.HasPrefix(r.Violation, m.violation) {
					t.Logf("seed %d: %s", seed, r.Violation)
					return
				}
			}
			t.Error("nobody notices")
		})
	}
}
