package sim_test

import (
	"slices"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/core/run"
	"kedge/internal/testkit/sim"
)

// TestWordsOfPeople: the simulation finds out a core that does not do what people said
// of features: that lands accepted work with a ledger which does not say so, does not
// tell a session why its feature was reopened, completes a feature without its work,
// or forgets in the next run what its work broke.
func TestWordsOfPeople(t *testing.T) {
	for what, m := range map[string]struct {
		from      uint64 // a seed shortly before one that shows it: most do not
		violation string
		step      sim.Stepper
	}{
		"accepted work lands at once": {0, "invariant 1: accepted work lands before the ledger says so", func(s run.State, ev run.Input) (run.State, []run.Command) {
			after, commands := run.Step(s, ev)
			if ev.Kind != run.Accepted {
				return after, commands
			}
			accepts := func(c run.Command) bool { return c.Kind == run.Ledger && c.Purpose == run.TakeOn }
			if !slices.ContainsFunc(commands, accepts) {
				return after, commands
			}
			after.Outbox = slices.DeleteFunc(slices.Clone(after.Outbox), accepts)
			after.Jobs = slices.DeleteFunc(slices.Clone(after.Jobs), func(j run.Job) bool { return j.Kind == run.Accept })
			return after, slices.DeleteFunc(commands, accepts)
		}},
		"a word is lost while the job comes to its end": {0, "invariant 19: a person said", func(s run.State, ev run.Input) (run.State, []run.Command) {
			if j := s.JobOf(ev.Feature); j != nil && ev.Kind == run.Reopened && (j.Phase == run.Reverting || j.Phase == run.Ledgering) {
				return s, nil
			}
			return run.Step(s, ev)
		}},
		"the ledger is not told": {0, "invariant 19: ", func(s run.State, ev run.Input) (run.State, []run.Command) {
			after, commands := run.Step(s, ev)
			lost := func(c run.Command) bool { return c.Kind == run.Mark && c.Status == kedge.Pending && c.Epoch > s.Epoch }
			after.Outbox = slices.DeleteFunc(slices.Clone(after.Outbox), lost)
			return after, slices.DeleteFunc(commands, lost)
		}},
		"a feature that was not begun stays in progress": {0, "invariant 19: ", func(s run.State, ev run.Input) (run.State, []run.Command) {
			after, commands := run.Step(s, ev)
			for i := range commands {
				if commands[i].Kind == run.Ledger && strings.HasPrefix(commands[i].Reason, "not begun") {
					commands[i].Status = kedge.InProgress
					after.Outbox = slices.Clone(after.Outbox)
					for k := range after.Outbox {
						if after.Outbox[k].Epoch == commands[i].Epoch {
							after.Outbox[k].Status = kedge.InProgress
						}
					}
				}
			}
			return after, commands
		}},
		"a reason is not heard": {0, "invariant 7: done, and no session was told why it was reopened", func(s run.State, ev run.Input) (run.State, []run.Command) {
			if ev.Kind == run.Reopened {
				ev.Reason = ""
			}
			return run.Step(s, ev)
		}},
		"a reason is not told": {5400, "invariant 7: the session of a feature that was reopened is not told why", func(s run.State, ev run.Input) (run.State, []run.Command) {
			if ev.Kind == run.Begun {
				ev.Specs = slices.Clone(ev.Specs)
				for i := range ev.Specs {
					ev.Specs[i].Wanted = ""
				}
			}
			return run.Step(s, ev)
		}},
		"what was set aside is accepted": {6150, "invariant 1: done without its work, which was set aside", func(s run.State, ev run.Input) (run.State, []run.Command) {
			if ev.Kind == run.Accepted {
				s.Features = slices.Clone(s.Features)
				for i := range s.Features {
					s.Features[i].Aside = false
				}
			}
			return run.Step(s, ev)
		}},
		"the next run does not know what is broken": {0, "invariant 12: work lands unasked that breaks", func(s run.State, ev run.Input) (run.State, []run.Command) {
			if ev.Kind == run.Begun || ev.Kind == run.Planned {
				ev.Specs = slices.Clone(ev.Specs)
				for i := range ev.Specs {
					if ev.Specs[i].Broken = 0; ev.Specs[i].Status == kedge.Regressed {
						ev.Specs[i].Status = kedge.Pending
					}
				}
			}
			return run.Step(s, ev)
		}},
	} {
		t.Run(what, func(t *testing.T) {
			for seed := m.from; seed < m.from+60_000; seed++ {
				if r := sim.Play(seed, m.step); strings.HasPrefix(r.Violation, m.violation) {
					t.Logf("seed %d: %s", seed, r.Violation)
					return
				}
			}
			t.Error("nobody notices")
		})
	}
}
