package sim_test

import (
	"strconv"
	"testing"
	"time"

	"kedge"
	"kedge/internal/core/config"
	"kedge/internal/core/run"
	"kedge/internal/testkit/sim"
)

func itoa(n int) string { return strconv.Itoa(n) }

var kinds = []run.InputKind{
	run.Prepared, run.Gated, run.Proved, run.Briefed, run.Exited, run.TurnEnded, run.Ended, run.Told, run.Checkpointed,
	run.Inspected, run.Integrated, run.Committed, run.Rechecked, run.Noted, run.Marked, run.Ledgered, run.Reverted, run.Landed,
	run.Fired, run.Notified, run.Used, run.Signalled, run.Begun, run.TakenOver, run.PauseAsked, run.StopAsked, run.Continued,
	run.LandAsked, run.Said, run.Answered, run.Approved, run.Denied, run.Planned, run.Amended, run.Accepted, run.Reopened,
	run.Skipped, run.Barred,
}

var outcomes = []run.Outcome{
	run.OK, run.Green, run.Red, run.Partial, run.Empty, run.Void, run.CannotRun, run.Fails, run.NoChecks, run.Broken,
	run.Conflicting, run.Clean, run.Outside, run.Forbidden, run.Refused, run.Drifted, run.Failed, run.Finished, run.Crashed,
	run.Killed, run.Closed, run.HitLimit, run.Asked, run.NoLogin, run.WantCheckpoint, run.WantHandover, run.Stalled,
}

// events reads three bytes for each event: what, how, and which command or
// feature. The highest bit of the first lets the event answer whatever is
// outstanding, so that sequences get somewhere.
func events(data []byte, s func() run.State, step func(run.Input)) {
	for ; len(data) >= 3; data = data[3:] {
		state := s()
		n := int(data[2])
		ev := run.Input{
			Kind: kinds[int(data[0]&0x7f)%len(kinds)], Outcome: outcomes[int(data[1])%len(outcomes)], Epoch: int64(n),
			At: time.Unix(int64(n)*7200, 0), Actor: kedge.Human("ann"), Feature: kedge.FeatureID("f" + itoa(n%4)), Reason: "why",
			Hash: "h" + itoa(n), Tree: "t" + itoa(n%3), Commit: "c" + itoa(n%3), Evidence: kedge.EvidenceID("evd-" + itoa(n)),
			Environment: "e" + itoa(n%2), Text: "text", Usage: &kedge.Spend{Tokens: int64(n) * 10, USD: float64(n) / 10},
			Features: []kedge.FeatureID{kedge.FeatureID("f" + itoa(n%5))},
		}
		if ev.Kind == run.Begun || ev.Kind == run.Planned {
			ev.Run = "run-fuzz"
			ev.Rules = &config.Rules{Parallel: n % 4, Tokens: int64(n%3) * 1000, MaxSessions: n % 7}
			for i := range n%4 + 1 {
				ev.Specs = append(ev.Specs, run.Spec{ID: kedge.FeatureID("f" + itoa(i)), Hash: "h", Needs: []kedge.FeatureID{"f0"}[:min(i, 1)]})
			}
		}
		if data[0]&0x80 != 0 && len(state.Outbox) > 0 {
			c := state.Outbox[n%len(state.Outbox)]
			ev.Kind, ev.Epoch = c.Kind.Answer(), c.Epoch
			if c.Kind == run.Prepare {
				ev.Commit = c.Base
			}
			if c.Kind == run.Commit {
				ev.Tree = c.Tree
			}
		}
		step(ev)
	}
}

// FuzzStep: whatever happens, in whatever order, the invariants hold.
func FuzzStep(f *testing.F) {
	f.Add([]byte{22, 0, 1, 128, 0, 1, 128, 1, 1, 128, 7, 1, 128, 0, 1, 128, 17, 0, 128, 0, 0})
	f.Add([]byte{22, 0, 3, 23, 0, 0, 24, 0, 0, 26, 0, 0, 128, 0, 2, 128, 2, 2, 25, 0, 0})
	f.Add([]byte{22, 0, 2, 128, 0, 1, 128, 1, 1, 128, 7, 1, 128, 0, 1, 128, 22, 0, 29, 0, 0, 128, 0, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		w := sim.NewWatcher(run.Step)
		data = data[:min(len(data), 900)] // long ones only repeat themselves, slowly
		events(data, w.State, func(ev run.Input) {
			w.Step(ev)
			if v := w.Violation(); v != "" {
				t.Fatalf("%s, at %+v", v, ev)
			}
		})
	})
}

// TestStepLeavesItsInputAlone: the state that goes in is the state that can be
// stored, also afterwards.
func TestStepLeavesItsInputAlone(t *testing.T) {
	w := sim.NewWatcher(run.Step)
	data := []byte{22, 0, 3}
	for i := range 600 {
		data = append(data, byte(i*7)|0x80, byte(i*5), byte(i*3), byte(i*11), byte(i*13), byte(i))
	}
	events(data, w.State, func(ev run.Input) {
		s := w.State()
		before := text(t, s)
		run.Step(s, ev)
		if text(t, s) != before {
			t.Fatalf("%s changed the state that was passed in", ev.Kind)
		}
		w.Step(ev)
	})
	if len(w.State().Features) == 0 {
		t.Fatal("the run never began")
	}
}
