package reports

import (
	"strings"
	"testing"

	"kedge"
	"kedge/internal/core/config"
	"kedge/internal/core/delta"
	"kedge/internal/core/run"
)

// TestStoryOfASharedBaseline: the feature that waited for the verdict on the base of
// another takes the same five steps as any.
func TestStoryOfASharedBaseline(t *testing.T) {
	var s run.State
	waits, first := newStory("a"), newStory("b")
	step := func(ev run.Input) {
		after, _ := run.Step(s, ev)
		d := delta.Stepped{Run: after.Run, N: 1, Version: run.Version, Event: ev, Delta: delta.Diff(s, after)}
		s = after
		waits.take(d)
		first.take(d)
	}
	answer := func(kind run.CommandKind, id kedge.FeatureID, ev run.Input) {
		for _, c := range s.Outbox {
			if c.Kind == kind && c.Feature == id {
				ev.Kind, ev.Epoch = kind.Answer(), c.Epoch
			}
		}
		step(ev)
	}
	step(run.Input{Kind: run.Begun, Run: "run-1", Commit: "c0", Rules: &config.Rules{Parallel: 2}, Specs: []run.Spec{{ID: "a"}, {ID: "b"}}})
	for _, id := range []kedge.FeatureID{"b", "a"} {
		answer(run.Prepare, id, run.Input{Outcome: run.OK, Commit: "c0", Tree: "t0", Environment: "e"})
	}
	answer(run.Gate, "b", run.Input{Outcome: run.Green, Tree: "t0", Environment: "e", Evidence: "evd-1"})
	answer(run.Prove, "a", run.Input{Outcome: run.Fails})
	for st, want := range map[*story]string{
		waits: "the baseline: green, reused from evd-1 (b: the baseline)\nfix first: nothing is red\n",
		first: "the baseline: green\nfix first: nothing is red",
	} {
		var texts []string
		for _, s := range st.steps {
			texts = append(texts, s.Text)
		}
		if got := strings.Join(texts, "\n"); strings.Count(got, want) != 1 || strings.Count(got, "fix first") != 1 {
			t.Errorf("the story of %s:\n%s", st.feature, got)
		}
	}
}
