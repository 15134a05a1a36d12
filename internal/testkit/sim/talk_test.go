package sim_test

import (
	"slices"
	"strings"
	"testing"

	"kedge/internal/core/run"
	"kedge/internal/testkit/sim"
)

// TestRow46WrongConversationsAreNoticed: the simulator finds a core out that goes on
// with what it may not go on with.
func TestRow46WrongConversationsAreNoticed(t *testing.T) {
	talks := func(change func(j *run.Job)) sim.Stepper {
		return func(s run.State, ev run.Input) (run.State, []run.Command) {
			after, commands := run.Step(s, ev)
			after.Jobs = slices.Clone(after.Jobs)
			for i := range after.Jobs {
				change(&after.Jobs[i])
			}
			return after, commands
		}
	}
	for name, x := range map[string]struct {
		step sim.Stepper
		want string
	}{
		"no room": {talks(func(j *run.Job) {
			if j.Talk.Window > 0 {
				j.Talk.Context = 1
			}
		}), "invariant 5: a conversation goes on that has no room, or whose room is unknown"},
		"not interrupted": {talks(func(j *run.Job) {
			if j.Talk.ID != "" && j.Talk.Cut == "" {
				j.Talk.Cut = "nothing did"
			}
		}), "invariant 6: a session goes on with a conversation that is not its own"},
		"in vain, again": {talks(func(j *run.Job) { j.Fresh = "" }), "invariant 3: a conversation is tried again in vain"},
		"alive elsewhere": {func(s run.State, ev run.Input) (run.State, []run.Command) {
			if c, ok := s.Outstanding(ev.Epoch); ok && ev.Kind == run.Briefed {
				ev.Conversation = c.Resume
			}
			return run.Step(s, ev)
		}, "invariant 2: a conversation goes on that is alive elsewhere"},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(60_000) {
				if r := sim.Play(seed, x.step); strings.HasPrefix(r.Violation, x.want) {
					return
				}
			}
			t.Errorf("nobody notices: %s", x.want)
		})
	}
}
