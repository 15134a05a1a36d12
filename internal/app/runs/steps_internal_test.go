package runs

import (
	"slices"
	"testing"

	"kedge"
	"kedge/internal/core/run"
)

// TestWhatIsOnlySetAside: a run that only sets refused work aside does not go on by
// itself, and says what a person does about it; one with anything else to do goes on.
func TestWhatIsOnlySetAside(t *testing.T) {
	denied := run.Job{ID: 1, Feature: 0, Phase: run.Reverting, End: kedge.BlockedWork}
	state := func(others []kedge.Status, jobs ...run.Job) run.State {
		st := run.State{Run: "run-1", Status: run.StatusRunning, Features: []run.Feature{{ID: "o", Status: kedge.NeedsReview}}, Jobs: jobs}
		for i, s := range others {
			st.Features = append(st.Features, run.Feature{ID: kedge.FeatureID("f" + string(rune('1'+i))), Status: s})
		}
		return st
	}
	landing := state(nil)
	landing.Status, landing.Features[0].Status, landing.Outbox = run.StatusStopped, kedge.BlockedWork, []run.Command{{Kind: run.Land}}
	for name, c := range map[string]struct {
		st   run.State
		ends bool
		want string
	}{
		"the only one":          {state(nil, denied), true, "kedge feature reopen o"},
		"another waits":         {state([]kedge.Status{kedge.NeedsReview}, denied, run.Job{ID: 2, Feature: 1, Phase: run.Reviewing}), true, "kedge approve f1"},
		"the rest lands":        {landing, true, "kedge feature reopen o"},
		"another is ready":      {state([]kedge.Status{kedge.Pending}, denied), false, ""},
		"another is worked on":  {state([]kedge.Status{kedge.InProgress}, denied, run.Job{ID: 2, Feature: 1, Phase: run.Working}), false, ""},
		"nothing was set aside": {state([]kedge.Status{kedge.InProgress}, run.Job{ID: 2, Feature: 1, Phase: run.Working}), false, ""},
	} {
		end, ends := setAside(c.st)
		if ends != c.ends || ends && !slices.Contains(kedge.StepLines(nextOf(&end)), c.want) {
			t.Errorf("%s: %v, next %q", name, ends, nextOf(&end))
		}
	}
}

// TestWhatWaitsWhileARunWorks: what is blocked or waits for review is named while the
// run works on something else, and what a job has is not.
func TestWhatWaitsWhileARunWorks(t *testing.T) {
	st := run.State{
		Run: "run-1", Status: run.StatusRunning,
		Features: []run.Feature{{ID: "a", Status: kedge.InProgress}, {ID: "b", Status: kedge.BlockedWork}, {ID: "c", Status: kedge.NeedsReview}},
		Jobs:     []run.Job{{ID: 1, Feature: 0, Phase: run.Working}},
	}
	want := []string{
		"kedge feature show b", "kedge feature reopen b", "kedge approve c --reason WHY", "kedge deny c --reason WHY",
		"kedge run", "kedge run --pause", "kedge run --stop",
	}
	if got := kedge.StepLines(nextOf(&st)); !slices.Equal(got, want) {
		t.Errorf("next is %q", got)
	}
	st.Jobs = append(st.Jobs, run.Job{ID: 2, Feature: 1, Phase: run.Working}, run.Job{ID: 3, Feature: 2, Phase: run.Integrating})
	if got := kedge.StepLines(nextOf(&st)); !slices.Equal(got, kedge.StepLines(whileRunning())) {
		t.Errorf("next is %q", got)
	}
}

// TestEndedRunDoesNotGoOn: what is still to be written down is no work.
func TestEndedRunDoesNotGoOn(t *testing.T) {
	st := run.State{Status: run.StatusStopped, Halt: run.Returned, Outbox: []run.Command{{Kind: run.Mark}, {Kind: run.Notify}}}
	if st.Resting() {
		t.Fatal("it has something to write down")
	}
	if on := settled(st); !on.Resting() || len(st.Outbox) != 2 {
		t.Error("it has ended, and counts as going on")
	}
	st.Status = run.StatusRunning
	if on := settled(st); on.Resting() {
		t.Error("it works")
	}
}
