package journal_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"kedge"
	"kedge/internal/core/config"
	"kedge/internal/core/delta"
	"kedge/internal/core/run"
	"kedge/internal/journal"
	"kedge/internal/testkit/sim"
)

// stepping keeps the steps of one run in a store.
type stepping struct {
	*testing.T
	s     *journal.Store
	id    kedge.RunID
	steps int64
}

func (p *stepping) step(before run.State, ev run.Input) (run.State, []run.Command) {
	p.Helper()
	after, commands := run.Step(before, ev)
	p.steps++
	appendAll(p.T, p.s, "", event(p.T, kedge.RunStepped, delta.Stepped{
		Run: p.id, N: p.steps, Version: run.Version, Event: ev, Delta: delta.Diff(before, after),
	}))
	return after, commands
}

func (p *stepping) stored() journal.RunDoc {
	p.Helper()
	d, ok, err := p.s.Run(p.Context(), p.id)
	if err != nil || !ok {
		p.Fatalf("run %q: found %v, %v", p.id, ok, err)
	}
	return d
}

func stateText(t *testing.T, s run.State) string {
	t.Helper()
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestRunIsTheFoldOfItsSteps: simulated runs, through the journal.
func TestRunIsTheFoldOfItsSteps(t *testing.T) {
	s := open(t, t.TempDir(), journal.Options{})
	for seed := range uint64(3) {
		p := &stepping{T: t, s: s, id: kedge.RunID(fmt.Sprintf("run-%d", seed))}
		r := sim.Play(seed, p.step)
		if r.Violation != "" {
			t.Fatal(r.Violation)
		}
		d := p.stored()
		if got, want := stateText(t, d.State), stateText(t, r.State); got != want {
			t.Errorf("seed %d: the journal has\n%s\nwant\n%s", seed, got, want)
		}
		if d.Steps != p.steps || d.BegunAt.IsZero() {
			t.Errorf("seed %d: %d steps since %s", seed, d.Steps, d.BegunAt)
		}
	}
	sound(t, s)
	before := dump(t, s)
	if err := s.Rebuild(t.Context()); err != nil {
		t.Fatal(err)
	}
	if dump(t, s) != before {
		t.Error("a rebuild gives other runs")
	}
	runs, err := s.Runs(t.Context())
	if err != nil || len(runs) != 3 || runs[0].State.Status == "" || runs[2].Steps == 0 {
		t.Errorf("runs: %+v, %v", runs, err)
	}
}

// TestRunOfManyFeatures: they lie in parts, and a step writes one.
func TestRunOfManyFeatures(t *testing.T) {
	p := &stepping{T: t, s: open(t, t.TempDir(), journal.Options{}), id: "run-1"}
	specs := make([]run.Spec, 300)
	for i := range specs {
		specs[i] = run.Spec{ID: kedge.FeatureID(fmt.Sprintf("f%03d", i)), Hash: "0123456789abcdef"}
	}
	state, _ := p.step(run.State{}, run.Input{Kind: run.Begun, Run: "run-1", Specs: specs[:250], Commit: "c0", At: t0})
	state, _ = p.step(state, run.Input{Kind: run.Planned, Specs: specs, At: t0})
	for i := 299; i > 0; i -= 70 {
		state, _ = p.step(state, run.Input{Kind: run.Skipped, Feature: specs[i].ID, Actor: kedge.Human("ann"), At: t0})
	}
	if got, want := stateText(t, p.stored().State), stateText(t, state); got != want {
		t.Errorf("the journal has\n%s\nwant\n%s", got, want)
	}
	if n := len(all[json.RawMessage](t, p.s, journal.KindRunPart)); n != 5 {
		t.Errorf("%d parts", n)
	}
	if _, ok, err := p.s.Run(t.Context(), "run"); ok || err != nil { // the beginning of an id is none
		t.Errorf("a run that is not: %v, %v", ok, err)
	}
	sound(t, p.s)
}

// TestF26AStepOfAnEarlierOwnerIsRefused: two engines think that they have the
// run; the one that was taken over from cannot write.
func TestF26AStepOfAnEarlierOwnerIsRefused(t *testing.T) {
	p := &stepping{T: t, s: open(t, t.TempDir(), journal.Options{}), id: "run-1"}
	early, _ := p.step(run.State{}, run.Input{Kind: run.Begun, Run: "run-1", Specs: []run.Spec{{ID: "a", Hash: "h"}}, Commit: "c0", At: t0})
	late, _ := p.step(early, run.Input{Kind: run.TakenOver, At: t0})
	ev := run.Input{Kind: run.PauseAsked, Actor: kedge.Human("ann"), At: t0}
	after, _ := run.Step(early, ev)
	for _, n := range []int64{1, 2, 4} {
		_, _, err := p.s.Append(t.Context(), "", event(t, kedge.RunStepped, delta.Stepped{Run: "run-1", N: n, Event: ev, Delta: delta.Diff(early, after)}))
		if !kedge.Conflict.Is(err) {
			t.Errorf("step %d: %v", n, err)
		}
	}
	if got, want := stateText(t, p.stored().State), stateText(t, late); got != want {
		t.Errorf("the journal has\n%s\nwant\n%s", got, want)
	}
}

// TestT15ARunKeepsNoSecret: what an agent asks is redacted like everything else,
// and what the run goes by comes through as it was.
func TestT15ARunKeepsNoSecret(t *testing.T) {
	dir := t.TempDir()
	p := &stepping{T: t, s: open(t, dir, journal.Options{}), id: "run-01j0000000000000000000000a"}
	secret := "gh" + "p_" + strings.Repeat("a1B2", 9)
	sha := strings.Repeat("0123456789abcdef", 3)[:40]
	spec := run.Spec{ID: "api-token", Hash: strings.Repeat("fe", 32), Phase: "secret"}
	state, _ := p.step(run.State{}, run.Input{
		Kind: run.Begun, Run: p.id, Specs: []run.Spec{spec}, Commit: sha, At: t0,
		Rules: &config.Rules{Tokens: 123456789, FeatureTokens: 987654321, Agent: "claude:opus"},
	})
	for _, ev := range []run.Input{
		{Kind: run.Prepared, Outcome: run.OK, Commit: sha, Tree: sha, Environment: strings.Repeat("ab", 32)},
		{Kind: run.Gated, Outcome: run.Green, Tree: sha},
		{Kind: run.Proved, Outcome: run.Fails},
		{Kind: run.Briefed, Outcome: run.OK},
		{Kind: run.Exited, Outcome: run.Asked, Text: "is " + secret + " the key?", Session: kedge.SessionID(kedge.NewID("ses", t0))},
		{Kind: run.Checkpointed, Outcome: run.OK},
	} {
		for _, c := range state.Outbox {
			if c.Kind.Answer() == ev.Kind {
				ev.Epoch = c.Epoch
			}
		}
		ev.At = t0.Add(time.Second)
		state, _ = p.step(state, ev)
	}
	if len(state.Jobs) != 1 || state.Jobs[0].Phase != run.Asking || !strings.Contains(state.Reason, secret) {
		t.Fatalf("nothing was asked: %+v", state)
	}
	got := stateText(t, p.stored().State)
	if strings.Contains(got, secret) || strings.Contains(dump(t, p.s), secret) {
		t.Error("the secret is in the journal")
	}
	if want := strings.ReplaceAll(stateText(t, state), secret, "[redacted:github]"); got != want {
		t.Errorf("the journal has\n%s\nwant\n%s", got, want)
	}
}
