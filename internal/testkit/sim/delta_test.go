package sim_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"kedge/internal/core/delta"
	"kedge/internal/core/run"
	"kedge/internal/testkit/sim"
)

// kept is a step as it comes back from the journal. It fails the test unless it
// leads to the very state that the step led to.
func kept(t *testing.T, before, after run.State, ev run.Input, commands []run.Command) {
	b, err := json.Marshal(delta.Stepped{Run: after.Run, N: 1, Version: run.Version, Event: ev, Delta: delta.Diff(before, after)})
	if err != nil {
		t.Fatal(err)
	}
	var back delta.Stepped
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	got, err := back.Delta.Apply(before)
	if err != nil {
		t.Fatalf("%s: %v", ev.Kind, err)
	}
	if g, w := text(t, got), text(t, after); g != w {
		t.Fatalf("%s: the delta leads to\n%s\nwant\n%s", ev.Kind, g, w)
	}
	if !reflect.DeepEqual(delta.Diff(before, after).Issued, append([]run.Command(nil), commands...)) {
		t.Fatalf("%s: the delta issues %v, the step %v", ev.Kind, back.Commands(), commands)
	}
}

// TestDeltaAlongRuns: whatever happens in a run, the journal can give every step
// of it back.
func TestDeltaAlongRuns(t *testing.T) {
	steps := 0
	for seed := range uint64(60) {
		r := sim.Play(seed, func(s run.State, ev run.Input) (run.State, []run.Command) {
			after, commands := run.Step(s, ev)
			kept(t, s, after, ev, commands)
			steps++
			return after, commands
		})
		if r.Violation != "" {
			t.Fatalf("seed %d: %s", seed, r.Violation)
		}
	}
	if steps < 2000 {
		t.Errorf("only %d steps", steps)
	}
}

// FuzzDelta: the same for events that come in any order.
func FuzzDelta(f *testing.F) {
	f.Add([]byte{22, 0, 1, 128, 0, 1, 128, 1, 1, 128, 7, 1, 128, 0, 1, 128, 17, 0, 128, 0, 0})
	f.Add([]byte{22, 0, 3, 23, 0, 0, 24, 0, 0, 26, 0, 0, 128, 0, 2, 128, 2, 2, 25, 0, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		var s run.State
		events(data[:min(len(data), 300)], func() run.State { return s }, func(ev run.Input) {
			after, commands := run.Step(s, ev)
			kept(t, s, after, ev, commands)
			s = after
		})
	})
}
