package sim_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/core/config"
	"kedge/internal/core/run"
	"kedge/internal/testkit/sim"
)

// mutations break the core, each in one way for one invariant.
var mutations = []struct {
	invariant int
	what      string
	step      sim.Stepper
}{
	{1, "a verdict with skipped checks completes", func(s run.State, ev run.Input) (run.State, []run.Command) {
		if ev.Kind == run.Integrated && ev.Outcome == run.Partial {
			ev.Outcome = run.Green
		}
		return run.Step(s, ev)
	}},
	{2, "a late answer is taken for the one that is waited for", func(s run.State, ev run.Input) (run.State, []run.Command) {
		for _, c := range s.Outbox {
			if c.Kind.Answer() == ev.Kind && c.Epoch > ev.Epoch && ev.Epoch > 0 {
				ev.Epoch = c.Epoch
			}
		}
		return run.Step(s, ev)
	}},
	{3, "a red gate gets one repair after the other", func(s run.State, ev run.Input) (run.State, []run.Command) {
		s.Jobs = slices.Clone(s.Jobs)
		for i := range s.Jobs {
			if s.Jobs[i].Phase == run.Gating {
				s.Jobs[i].Repairs = 0
			}
		}
		return run.Step(s, ev)
	}},
	{4, "a red baseline is taken for a green one", func(s run.State, ev run.Input) (run.State, []run.Command) {
		if c, ok := s.Outstanding(ev.Epoch); ok && c.Kind == run.Gate && c.Tree != "" && ev.Outcome == run.Red {
			ev.Outcome = run.Green
		}
		return run.Step(s, ev)
	}},
	{5, "a session that asks for its next turn gets it, whatever it cost", func(s run.State, ev run.Input) (run.State, []run.Command) {
		rules := s.Rules
		if ev.Kind == run.TurnEnded || ev.Kind == run.Used {
			s.Rules.Tokens, s.Rules.USD = 0, 0
		}
		after, commands := run.Step(s, ev)
		if after.Run != "" && ev.Kind != run.Continued && ev.Kind != run.Begun {
			after.Rules = rules
		}
		return after, commands
	}},
	{6, "a session that is finished goes on with the next feature", func(s run.State, ev run.Input) (run.State, []run.Command) {
		after, commands := run.Step(s, ev)
		if ev.Kind == run.Checkpointed && len(after.Jobs) == 1 && len(after.Features) > 1 && len(commands) > 0 {
			after.Jobs[0].Feature = (after.Jobs[0].Feature + 1) % len(after.Features)
		}
		return after, commands
	}},
	{7, "an agent's amend counts", func(s run.State, ev run.Input) (run.State, []run.Command) {
		if ev.Kind == run.Amended && ev.Reason == "" {
			ev.Reason = "none"
		}
		if ev.Kind == run.Amended {
			ev.Actor = kedge.Human("somebody")
		}
		return run.Step(s, ev)
	}},
	{8, "a revert keeps nothing", func(s run.State, ev run.Input) (run.State, []run.Command) {
		after, commands := run.Step(s, ev)
		for _, list := range [][]run.Command{commands, after.Outbox} {
			for i := range list {
				if list[i].Kind == run.Revert {
					list[i].Salvage = ""
				}
			}
		}
		return after, commands
	}},
	{9, "a blocked feature is waited for", func(s run.State, ev run.Input) (run.State, []run.Command) {
		after, commands := run.Step(s, ev)
		if after.Status == run.StatusStopped && after.Halt == "" {
			after.Status, after.Reason = run.StatusRunning, ""
		}
		return after, commands
	}},
	{10, "what is outstanding gets another date", func(s run.State, ev run.Input) (run.State, []run.Command) {
		after, commands := run.Step(s, ev)
		if ev.Kind == run.TakenOver || len(after.Outbox) == 0 {
			return after, commands
		}
		after.Outbox = slices.Clone(after.Outbox)
		for i := range after.Outbox {
			if after.Outbox[i].Kind == run.Commit {
				after.Outbox[i].At = ev.At
			}
		}
		return after, commands
	}},
	{11, "every feature is taken for known to be red when work is merged", func(s run.State, ev run.Input) (run.State, []run.Command) {
		after, commands := run.Step(s, ev)
		for _, list := range [][]run.Command{commands, after.Outbox} {
			for i := range list {
				for _, f := range after.Features {
					if list[i].Kind == run.Integrate && list[i].Epoch > s.Epoch {
						list[i].Features = append(slices.Clone(list[i].Features), f.ID)
					}
				}
			}
		}
		return after, commands
	}},
	{12, "whoever lands is taken to want it whatever it breaks", func(s run.State, ev run.Input) (run.State, []run.Command) {
		if s.Run != "" {
			s.LandScope = run.Breaking
		}
		if ev.Kind == run.LandAsked {
			ev.Scope = run.Breaking
		}
		return run.Step(s, ev)
	}},
	{13, "a feature that is red again waits for its turn", func(s run.State, ev run.Input) (run.State, []run.Command) {
		s.Features = slices.Clone(s.Features)
		for i := range s.Features {
			if f := &s.Features[i]; f.Status == kedge.Regressed || f.Red {
				f.Red = false
				if f.Status == kedge.Regressed {
					f.Status = kedge.Pending
				}
			}
		}
		return run.Step(s, ev)
	}},
	{14, "the phase that a run ends with is forgotten", func(s run.State, ev run.Input) (run.State, []run.Command) {
		until := s.Rules.Until
		s.Rules.Until = config.Until{}
		after, commands := run.Step(s, ev)
		if ev.Kind != run.Continued && ev.Kind != run.Begun {
			after.Rules.Until = until
		}
		return after, commands
	}},
	{15, "work is committed whatever is left of it", func(s run.State, ev run.Input) (run.State, []run.Command) {
		ev.Moot = false
		return run.Step(s, ev)
	}},
	{16, "a baseline that is green again is mended all the same", func(s run.State, ev run.Input) (run.State, []run.Command) {
		if c, ok := s.Outstanding(ev.Epoch); ok && c.Kind == run.Gate && c.Purpose == run.FixFirst && c.Tree != "" && ev.Outcome == run.Green {
			ev.Outcome = run.Red
		}
		return run.Step(s, ev)
	}},
	{17, "what the tests of work leave open is not looked at", func(s run.State, ev run.Input) (run.State, []run.Command) {
		ev.Altered, ev.Shown = "", run.Red
		return run.Step(s, ev)
	}},
	{18, "the worktree of a job that waits for you counts as given up", func(s run.State, ev run.Input) (run.State, []run.Command) {
		s.Jobs = slices.Clone(s.Jobs)
		for i := range s.Jobs {
			s.Jobs[i].Away = s.Jobs[i].Away || s.Jobs[i].Phase == run.Reviewing
		}
		return run.Step(s, ev)
	}},
	{19, "what a person says of a feature that a job has is not heard", func(s run.State, ev run.Input) (run.State, []run.Command) {
		if s.JobOf(ev.Feature) != nil && (ev.Kind == run.Reopened || ev.Kind == run.Skipped || ev.Kind == run.Barred) {
			return s, nil
		}
		return run.Step(s, ev)
	}},
}

// TestMutations: each invariant finds the core out that breaks it, and finds it
// by itself.
func TestMutations(t *testing.T) {
	if len(mutations) != len(sim.Invariants) {
		t.Fatalf("%d mutations, %d invariants", len(mutations), len(sim.Invariants))
	}
	for i, m := range mutations {
		inv := sim.Invariants[i]
		if inv.N != i+1 || m.invariant != inv.N {
			t.Fatalf("mutation %d is for invariant %d, which is number %d", i, m.invariant, inv.N)
		}
		t.Run(fmt.Sprintf("invariant %d %s", inv.N, inv.Name), func(t *testing.T) {
			want := "invariant " + itoa(m.invariant) + ":"
			for seed := range uint64(3_000) {
				if r := sim.Play(seed, m.step); strings.HasPrefix(r.Violation, want) {
					t.Logf("seed %d: %s", seed, r.Violation)
					if again := sim.Replay(seed, m.step); again.Violation != r.Violation || len(again.History) == 0 {
						t.Errorf("played again: %q", again.Violation)
					}
					return
				}
			}
			t.Errorf("nobody notices: %s", m.what)
		})
	}
}

// TestTwoBaselinesAreNoticed: the simulation sees it when a job does not know that another
// one waits for the verdict on its base.
func TestTwoBaselinesAreNoticed(t *testing.T) {
	const elsewhere = "elsewhere"
	step := func(s run.State, ev run.Input) (run.State, []run.Command) {
		if ev.Kind == run.Prepared && ev.Environment != "" {
			ev.Environment = elsewhere
		}
		after, commands := run.Step(s, ev)
		for i := range after.Jobs {
			if after.Jobs[i].Environment == elsewhere {
				after.Jobs[i].Environment = "e"
			}
		}
		return after, commands
	}
	for seed := range uint64(20_000) {
		if r := sim.Play(seed, step); r.Violation == "invariant 2: two baselines of one tree at once" {
			return
		}
	}
	t.Error("nobody notices")
}
