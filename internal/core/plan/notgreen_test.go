package plan_test

import (
	"slices"
	"testing"

	"kedge"
	"kedge/internal/core/plan"
)

// TestRow109APlanThatEndsWithARedCommand: the commands of the whole plan and of completed
// features are named unless they were green; those of skipped features are not asked for.
func TestRow109APlanThatEndsWithARedCommand(t *testing.T) {
	p := kedge.Plan{
		Phases:     []kedge.Phase{{ID: "p1"}, {ID: "p2"}},
		Validation: []string{"make a", "make b", "make c"},
		Invariants: []kedge.Statement{{Text: "x", Check: "make p1", Phases: []string{"1"}}, {Text: "y", Check: "make p2", Phases: []string{"2"}}},
	}
	features := []kedge.Feature{
		{Definition: kedge.Definition{ID: "p1.1", Phase: "p1"}, FeatureState: kedge.FeatureState{Status: kedge.Completed}},
		{Definition: kedge.Definition{ID: "p2.1", Phase: "p2"}, FeatureState: kedge.FeatureState{Status: kedge.Skipped}},
	}
	got := plan.NotGreenOf(p, features, map[string]bool{"make a": true, "make b": false, "make p1": false})
	want := []plan.NotGreen{
		{Name: "plan-validation-2", Command: "make b", Red: true},
		{Name: "plan-validation-3", Command: "make c"},
		{Name: "plan-invariant-1", Command: "make p1", Red: true},
	}
	if !slices.Equal(got, want) {
		t.Errorf("not green: %+v, want %+v", got, want)
	}
}
