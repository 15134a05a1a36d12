package run_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"kedge"
	"kedge/internal/core/config"
	"kedge/internal/core/delta"
	"kedge/internal/core/run"
)

func many(n int) []run.Spec {
	specs := make([]run.Spec, n)
	for i := range specs {
		specs[i] = run.Spec{ID: kedge.FeatureID(fmt.Sprintf("feature-%04d-entity", i)), Phase: fmt.Sprintf("p%d", i/10)}
		if i > 0 {
			specs[i].Needs = []kedge.FeatureID{specs[i-1].ID}
		}
	}
	return specs
}

// TestDeltaIsSmall: with five thousand features in five hundred phases, eight at
// a time, no step of the way of the first few takes more than 8 KB.
func TestDeltaIsSmall(t *testing.T) {
	specs := many(5000)
	for i := range specs {
		specs[i].Needs = nil
	}
	d := begin(t, config.Rules{Parallel: 8, USD: 1000, SessionWall: 3600e9}, specs...)
	largest, steps := 0, 0
	for ; steps < 400 && len(d.s.Outbox) > 0; steps++ {
		before := d.s
		ev := d.happy(d.s.Outbox[0])
		d.do(ev)
		b, err := json.Marshal(delta.Stepped{Run: d.s.Run, N: int64(steps), Version: run.Version, Event: ev, Delta: delta.Diff(before, d.s)})
		if err != nil {
			t.Fatal(err)
		}
		largest = max(largest, len(b))
	}
	if steps < 400 {
		t.Fatalf("only %d steps", steps)
	}
	if largest > 8<<10 {
		t.Errorf("the largest of %d steps has %d bytes", steps, largest)
	}
	t.Logf("largest of %d steps: %d bytes", steps, largest)
}

// TestDeltaHasEveryField: a field that is added to a state, or to something in
// one, is part of the delta.
func TestDeltaHasEveryField(t *testing.T) {
	d := begin(t, config.Rules{Phases: []config.PhaseLimit{{ID: "p0"}}}, many(3)...)
	before := d.s
	for _, where := range []struct {
		name string
		of   func(s *run.State) any
	}{
		{"State", func(s *run.State) any { return s }},
		{"Rules", func(s *run.State) any { return &s.Rules }},
		{"Feature", func(s *run.State) any { return &s.Features[1] }},
		{"Job", func(s *run.State) any { return &s.Jobs[0] }},
		{"Command", func(s *run.State) any { return &s.Outbox[0] }},
		{"Bounded", func(s *run.State) any { return &s.Phases[0] }},
		{"kedge.Spend", func(s *run.State) any { return &s.Phases[0].Spent }},
	} {
		n := reflect.TypeOf(where.of(&before)).Elem().NumField()
		for i := range n {
			after := clone(t, before)
			field := reflect.ValueOf(where.of(&after)).Elem().Field(i)
			name := where.name + "." + reflect.TypeOf(where.of(&before)).Elem().Field(i).Name
			if !alter(field) {
				continue // of its own line, or a list
			}
			got, err := delta.Diff(before, after).Apply(before)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if stored(t, got) != stored(t, after) {
				t.Errorf("%s is not in the delta", name)
			}
			if stored(t, after) == stored(t, before) {
				t.Errorf("%s is not in the JSON", name)
			}
		}
	}
}

// alter changes a plain value; false when it is none.
func alter(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.String:
		if s := v.String(); s == string(kedge.Pending) || s == string(kedge.InProgress) {
			v.SetString(string(kedge.BlockedWork))
			return true
		}
		v.SetString(v.String() + "x")
	case reflect.Int, reflect.Int64:
		v.SetInt(v.Int() + 1000) // no other has this number
	case reflect.Float64:
		v.SetFloat(v.Float() + 1)
	case reflect.Bool:
		v.SetBool(!v.Bool())
	default:
		return false
	}
	return true
}

func clone(t *testing.T, s run.State) run.State {
	t.Helper()
	reload(t, &s)
	return s
}

// TestDeltaRefusesAnotherState: one that lacks what the delta rests on.
func TestDeltaRefusesAnotherState(t *testing.T) {
	d := begin(t, config.Rules{Parallel: 2}, feature("a"), feature("b"), feature("c", "a"))
	before := d.s
	d.do(d.happy(d.outstanding(run.Prepare)))
	is := delta.Diff(before, d.s)
	for name, spoil := range map[string]func(s *run.State){
		"without its outbox": func(s *run.State) { s.Outbox = nil },
		"without its jobs":   func(s *run.State) { s.Jobs = nil },
	} {
		other := clone(t, before)
		spoil(&other)
		if _, err := is.Apply(other); !kedge.Conflict.Is(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	is.Features = append(is.Features, delta.Placed[run.Feature]{At: 17})
	if _, err := is.Apply(before); !kedge.Conflict.Is(err) {
		t.Errorf("behind a gap: %v", err)
	}
}

// TestApplyLeavesItsInputAlone: what was read is still what was stored.
func TestApplyLeavesItsInputAlone(t *testing.T) {
	d := begin(t, config.Rules{Parallel: 2}, feature("a"), feature("b"))
	before := d.s
	text := stored(t, before)
	d.until(run.Commit)
	if _, err := delta.Diff(before, d.s).Apply(before); err != nil {
		t.Fatal(err)
	}
	if stored(t, before) != text {
		t.Error("it was changed")
	}
}
