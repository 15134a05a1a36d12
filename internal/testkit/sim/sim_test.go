package sim_test

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"runtime/debug"
	"strconv"
	"testing"

	"kedge/internal/core/run"
	"kedge/internal/testkit/sim"
)

// runs is how many seeds are played; the race detector makes each one cost
// about ten times as much.
func runs() uint64 {
	switch {
	case raceEnabled:
		return 4_000
	case testing.Short():
		return 20_000
	}
	return 200_000
}

const workers = 4

// TestSimulation200000 plays many small runs and holds each to every invariant
// and to its end. KEDGE_TEST_SEED plays one, and prints it.
func TestSimulation200000(t *testing.T) {
	if text := os.Getenv("KEDGE_TEST_SEED"); text != "" {
		seed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		r := sim.Replay(seed, run.Step)
		t.Log(r.Text())
		if r.Violation != "" {
			t.Error(r.Violation)
		}
		return
	}
	defer debug.SetGCPercent(debug.SetGCPercent(800)) // small heap, much garbage
	totals := make(chan sim.Seen, workers)
	for i := range uint64(workers) {
		go func() {
			var total sim.Seen
			defer func() { totals <- total }()
			for seed := i; seed < runs(); seed += workers {
				r := sim.Play(seed, run.Step)
				add(&total, r.Seen)
				if r.Violation != "" {
					t.Errorf("KEDGE_TEST_SEED=%d\n%s", seed, r.Text())
					return
				}
			}
		}()
	}
	var total sim.Seen
	for range workers {
		add(&total, <-totals)
	}
	t.Logf("%+v", total)
	v := reflect.ValueOf(total)
	for i := range v.NumField() {
		if v.Field(i).Int() == 0 {
			t.Errorf("%d runs, and never: %s", runs(), v.Type().Field(i).Name)
		}
	}
}

func add(total *sim.Seen, s sim.Seen) {
	a, b := reflect.ValueOf(total).Elem(), reflect.ValueOf(s)
	for i := range a.NumField() {
		a.Field(i).SetInt(a.Field(i).Int() + b.Field(i).Int())
	}
}

// TestReplay: a seed gives the same run every time.
func TestReplay(t *testing.T) {
	for seed := range uint64(50) {
		a, b := sim.Replay(seed, run.Step), sim.Replay(seed, run.Step)
		if a.Text() != b.Text() {
			t.Fatal(fmt.Sprintf("seed %d gives two runs:\n", seed), a.Text(), b.Text())
		}
	}
}

func text(t *testing.T, s run.State) string {
	t.Helper()
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
