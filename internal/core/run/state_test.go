package run_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"kedge"
	"kedge/internal/core/config"
	"kedge/internal/core/run"
)

func TestAStateOfANewerStepIsLeftAlone(t *testing.T) {
	d := begin(t, config.Rules{}, feature("a"))
	d.s.Version = run.Version + 1
	if after, out := run.Step(d.s, d.happy(d.outstanding(run.Prepare))); len(out) > 0 || !reflect.DeepEqual(after, d.s) {
		t.Error("it was changed")
	}
}

// TestStateIsSmall: five thousand features, in the middle of a run.
func TestStateIsSmall(t *testing.T) {
	specs := make([]run.Spec, 5000)
	for i := range specs {
		specs[i] = run.Spec{ID: kedge.FeatureID(fmt.Sprintf("feature-%04d-entity", i)), Phase: fmt.Sprintf("p%d", i/500)}
		if i > 0 {
			specs[i].Needs = []kedge.FeatureID{specs[i-1].ID}
		}
	}
	d := begin(t, config.Rules{Parallel: 8}, specs...)
	for i := range d.s.Features {
		d.s.Features[i].Hash, d.s.Features[i].Sessions = "0123456789ab", 1
		if i%10 == 9 { // work of every tenth waits for a person; were it all, it would be 70 KB more
			d.s.Features[i].Work = "0123456789abcdef"
		}
	}
	d.until(run.Note)
	b, err := json.Marshal(d.s)
	if err != nil {
		t.Fatal(err)
	}
	if len(b) > 256<<10 {
		t.Errorf("the state has %d bytes", len(b))
	}
	var back run.State
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	if again, _ := json.Marshal(back); string(again) != string(b) {
		t.Error("it is another one after it was stored")
	}
	t.Logf("%d bytes", len(b))
}

func FuzzFeatureText(f *testing.F) {
	f.Add("order-entity 0123456789ab p n3,17 p2 a2 t200000 u5 A1 R1 T12 U0.25 c")
	f.Add("a h c")
	f.Add("a h n S3 w0123456789abcdef,fedcba9876543210 lu e")
	f.Add("a  i n-1")
	f.Fuzz(func(t *testing.T, text string) {
		var a, b run.Feature
		if a.UnmarshalText([]byte(text)) != nil {
			return
		}
		out, err := a.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		if err := b.UnmarshalText(out); err != nil {
			t.Fatalf("%q: %v", out, err)
		}
		if again, _ := b.MarshalText(); string(again) != string(out) {
			t.Errorf("%q became %q", out, again)
		}
	})
}

// TestRow69ACrashAnywhereChangesNothing: at every step of a run the engine dies,
// reads the state back, and hears every answer of the past again. The end is
// that of a run in which nobody died, and nothing is done twice.
func TestRow69ACrashAnywhereChangesNothing(t *testing.T) {
	specs := func() []run.Spec { return []run.Spec{feature("a"), feature("b", "a"), feature("c")} }
	plain := begin(t, config.Rules{Parallel: 2}, specs()...)
	plain.until("")
	steps := 0
	for crash := 0; crash <= steps; crash++ {
		d := begin(t, config.Rules{Parallel: 2}, specs()...)
		var past []run.Input
		for steps = 0; len(d.s.Outbox) > 0; steps++ {
			if steps == crash {
				reload(t, &d.s)
				for _, ev := range past {
					ev.At = d.at
					if after, out := run.Step(d.s, ev); len(out) > 0 || !reflect.DeepEqual(after, d.s) {
						t.Fatalf("step %d: %s a second time changed something", steps, ev.Kind)
					}
				}
			}
			ev := d.happy(d.s.Outbox[0])
			past = append(past, ev)
			d.do(ev)
		}
		if got, want := stored(t, d.s), stored(t, plain.s); got != want {
			t.Fatalf("a crash at step %d ends in\n%s\nwant\n%s", crash, got, want)
		}
		if len(d.all) != len(plain.all) {
			t.Fatalf("a crash at step %d: %d commands, want %d", crash, len(d.all), len(plain.all))
		}
	}
	if steps < 30 {
		t.Errorf("only %d steps", steps)
	}
}

func stored(t *testing.T, s run.State) string {
	t.Helper()
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func reload(t *testing.T, s *run.State) {
	t.Helper()
	var back run.State
	if err := json.Unmarshal([]byte(stored(t, *s)), &back); err != nil {
		t.Fatal(err)
	}
	*s = back
}
