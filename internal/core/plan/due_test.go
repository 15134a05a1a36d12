package plan_test

import (
	"slices"
	"testing"

	"kedge"
	"kedge/internal/core/plan"
)

// TestRow109WhenAPlansCheckIsDue: a check that was red before the work waits for the last
// feature that could make it green; one that is green must stay so, and one that no work
// can change is due at once.
func TestRow109WhenAPlansCheckIsDue(t *testing.T) {
	p := kedge.Plan{
		Phases:     []kedge.Phase{{ID: "p1"}, {ID: "p2"}},
		Validation: []string{"test -f b.txt", "false", "make"},
		Invariants: []kedge.Statement{{Text: "x", Check: "grep -q x a.txt", Phases: []string{"1"}}},
	}
	feature := func(id kedge.FeatureID, phase string, s kedge.Status) kedge.Feature {
		return kedge.Feature{Definition: kedge.Definition{ID: id, Phase: phase}, FeatureState: kedge.FeatureState{Status: s}}
	}
	never, always := func(string) bool { return false }, func(string) bool { return true }
	for name, of := range map[string]struct {
		features []kedge.Feature
		green    func(string) bool
		later    []string
	}{
		"others are open": {
			[]kedge.Feature{feature("p1.1", "p1", kedge.InProgress), feature("p1.2", "p1", kedge.Pending), feature("p2.1", "p2", kedge.Pending)},
			never,
			[]string{"plan-invariant-1", "plan-validation-1", "plan-validation-3"},
		},
		"it was green": {
			[]kedge.Feature{feature("p1.1", "p1", kedge.InProgress), feature("p2.1", "p2", kedge.Pending)}, always, nil,
		},
		"an invariant of this phase alone": {
			[]kedge.Feature{feature("p1.1", "p1", kedge.InProgress), feature("p2.1", "p2", kedge.BlockedWork)},
			never,
			[]string{"plan-validation-1", "plan-validation-3"},
		},
		"the last one": {
			[]kedge.Feature{feature("p1.1", "p1", kedge.InProgress), feature("p1.2", "p1", kedge.Completed), feature("p2.1", "p2", kedge.Skipped)},
			never, nil,
		},
		"the only one": {[]kedge.Feature{feature("p1.1", "p1", kedge.Pending)}, never, nil},
	} {
		d := plan.DemandsOn(p, of.features[0].Definition, of.features, nil).Due(of.green)
		var later []string
		for n := range d.Later {
			later = append(later, n)
		}
		slices.Sort(later)
		if len(d.Checks) != 4 || !slices.Equal(later, of.later) {
			t.Errorf("%s: %d checks, later %v, want %v", name, len(d.Checks), later, of.later)
		}
	}
}

// TestRow109WhatIsDueStaysDue: nothing that must be green at once can wait, whatever was
// seen of it, and each command goes by what was seen of that one.
func TestRow109WhatIsDueStaysDue(t *testing.T) {
	all := plan.Demands{
		Checks: []kedge.Check{{Name: "a", Run: "make a"}, {Name: "b", Run: "make b"}, {Name: "c", Run: "make c"}},
		Later:  map[string]string{"a": "p2.1 is open", "b": "p2.1 is open"},
	}
	d := all.Due(func(line string) bool { return line == "make a" })
	if len(d.Checks) != 3 || len(d.Later) != 1 || d.Later["b"] != "p2.1 is open" {
		t.Errorf("demands %+v", d)
	}
	if len(all.Later) != 2 {
		t.Errorf("what was asked changed: %+v", all)
	}
}
