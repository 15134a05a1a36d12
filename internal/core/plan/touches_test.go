package plan_test

import (
	"slices"
	"testing"

	"kedge"
	"kedge/internal/core/plan"
)

// done is a completed feature with one check.
func done(id kedge.FeatureID, set func(*kedge.Feature)) kedge.Feature {
	f := kedge.Feature{Definition: kedge.Definition{ID: id, Checks: []kedge.Check{{Name: "check", Run: "true"}}}}
	f.Status = kedge.Completed
	if set != nil {
		set(&f)
	}
	return f
}

func idsOf(features []kedge.Feature) []kedge.FeatureID {
	out := []kedge.FeatureID{}
	for _, f := range features {
		out = append(out, f.ID)
	}
	return out
}

func needs(list ...kedge.FeatureID) func(*kedge.Feature) {
	return func(f *kedge.Feature) { f.Dependencies = list }
}

// TestRow14WhichFeaturesAChangeTouches: what depends on the changed feature, what it
// depends on, and what shares a path with the change.
func TestRow14WhichFeaturesAChangeTouches(t *testing.T) {
	for name, x := range map[string]struct {
		features []kedge.Feature
		change   plan.Change
		want     []kedge.FeatureID
	}{
		"nothing in common": {[]kedge.Feature{done("a", nil), done("b", nil)}, plan.Change{Feature: "b", Paths: []string{"b.go"}}, nil},
		"what it depends on, near and far": {
			[]kedge.Feature{done("a", nil), done("b", needs("a")), done("c", needs("b")), done("d", nil)},
			plan.Change{Feature: "c"},
			[]kedge.FeatureID{"a", "b"},
		},
		"what depends on it, near and far": {
			[]kedge.Feature{done("a", nil), done("b", needs("a")), done("c", needs("b")), done("d", nil)},
			plan.Change{Feature: "a"},
			[]kedge.FeatureID{"b", "c"},
		},
		"a sibling is neither": {
			[]kedge.Feature{done("root", nil), done("a", needs("root")), done("b", needs("root"))},
			plan.Change{Feature: "a"},
			[]kedge.FeatureID{"root"},
		},
		"a cycle ends": {
			[]kedge.Feature{done("a", needs("b")), done("b", needs("a"))},
			plan.Change{Feature: "a"},
			[]kedge.FeatureID{"b"},
		},
		"an unknown dependency": {[]kedge.Feature{done("a", needs("gone"))}, plan.Change{Feature: "a"}, nil},
		"a file that it changed": {
			[]kedge.Feature{done("a", func(f *kedge.Feature) { f.Files = []string{"src/cart.go"} }), done("b", nil)},
			plan.Change{Feature: "b", Paths: []string{"src/cart.go"}},
			[]kedge.FeatureID{"a"},
		},
		"a path of its definition": {
			[]kedge.Feature{done("a", func(f *kedge.Feature) { f.Paths = []string{"src/**"} })},
			plan.Change{Paths: []string{"src/deep/cart.go"}},
			[]kedge.FeatureID{"a"},
		},
		"a path that its check covers": {
			[]kedge.Feature{done("a", func(f *kedge.Feature) { f.Checks[0].Paths = []string{"*.sql"} })},
			plan.Change{Paths: []string{"schema.sql"}},
			[]kedge.FeatureID{"a"},
		},
		"a path that its check names": {
			[]kedge.Feature{
				done("a", func(f *kedge.Feature) { f.Checks[0].Run = "grep -q 'total' ./src/cart.go && true" }),
				done("b", func(f *kedge.Feature) { f.Checks[0].Run = "grep -q total src/cart.go.old" }),
			},
			plan.Change{Paths: []string{"src/cart.go"}},
			[]kedge.FeatureID{"a"},
		},
		"only what is done and has a check": {
			[]kedge.Feature{
				done("open", func(f *kedge.Feature) { f.Status, f.Files = kedge.Pending, []string{"x"} }),
				done("red", func(f *kedge.Feature) { f.Status, f.Files = kedge.Regressed, []string{"x"} }),
				done("bare", func(f *kedge.Feature) { f.Checks, f.Files = nil, []string{"x"} }),
				done("own", func(f *kedge.Feature) { f.Files = []string{"x"} }),
			},
			plan.Change{Feature: "own", Paths: []string{"x"}},
			nil,
		},
	} {
		if got := idsOf(plan.Touched(x.features, x.change)); !slices.Equal(got, x.want) {
			t.Errorf("%s: %v, want %v", name, got, x.want)
		}
	}
}

// TestRow14EveryFeatureGetsItsTurn: with a few at a time, all are looked at, also when
// some are gone or added meanwhile.
func TestRow14EveryFeatureGetsItsTurn(t *testing.T) {
	all := []kedge.Feature{done("a", nil), done("b", nil), done("c", nil), done("d", nil), done("e", nil), done("f", nil), done("g", nil)}
	seen := map[kedge.FeatureID]int{}
	last := kedge.FeatureID("")
	for range 7 {
		var turn []kedge.Feature
		turn, last = plan.Rotate(all, last, 3)
		for _, f := range turn {
			seen[f.ID]++
		}
	}
	for _, f := range all {
		if seen[f.ID] != 3 {
			t.Errorf("%s had %d turns of 3", f.ID, seen[f.ID])
		}
	}
	if turn, last := plan.Rotate(all, "gone", 2); !slices.Equal(idsOf(turn), []kedge.FeatureID{"a", "b"}) || last != "b" {
		t.Errorf("behind one that is gone: %v, then %s", idsOf(turn), last)
	}
	if turn, last := plan.Rotate(all[:2], "a", 5); !slices.Equal(idsOf(turn), []kedge.FeatureID{"b", "a"}) || last != "a" {
		t.Errorf("of two: %v, then %s", idsOf(turn), last)
	}
	if turn, last := plan.Rotate(nil, "a", 5); len(turn) != 0 || last != "a" {
		t.Errorf("of none: %v, then %s", idsOf(turn), last)
	}
}
