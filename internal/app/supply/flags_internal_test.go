package supply

import (
	"reflect"
	"testing"

	"kedge"

	"kedge/internal/core/config"
	"kedge/internal/core/run"
)

// TestFlagsChangeOnlyWhatTheySay: a run that lives keeps every rule that no flag names,
// whatever config.toml says by now.
func TestFlagsChangeOnlyWhatTheySay(t *testing.T) {
	before := config.Rules{Agent: "bot", Parallel: 2, Land: "each", Regression: "all", USD: 3, DayUSD: 9, MaxSessions: 7, Fallback: "other", Given: config.Given{USD: 3}}
	want := before
	want.Parallel, want.Given.Parallel = 4, 4
	if got := (Flags{Parallel: 4}).Onto(before, 5); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	want = before
	want.Agent, want.Given.Agent, want.Tokens, want.Given.Tokens, want.USD, want.Given.USD, want.MaxSessions = "b", "b", 100, 100, 5, 5, 6
	if got := (Flags{Agent: "b", BudgetTokens: 100, BudgetUSD: 5, MaxSessions: 1}).Onto(before, 5); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestRow70RaisedPhaseGoesOn: who gives more to a run raises the phase that is spent,
// and no other; it stays raised when the run is continued later, for what plan.md says
// is as it was.
func TestRow70RaisedPhaseGoesOn(t *testing.T) {
	planned := []config.PhaseLimit{{ID: "p1", Tokens: 10}, {ID: "p2", USD: 3}}
	st := run.State{Phases: []config.Bounded{
		{PhaseLimit: planned[0], Spent: kedge.Spend{Tokens: 10}}, {PhaseLimit: planned[1], Spent: kedge.Spend{USD: 1}},
	}}
	if got := (Flags{}).RaisePhases(config.Rules{Phases: planned}, &st); !reflect.DeepEqual(got.Phases, planned) || got.Given.Phases != nil {
		t.Errorf("nobody gave more: %+v", got)
	}
	got := Flags{BudgetUSD: 50}.RaisePhases(config.Rules{Phases: planned}, &st)
	want := []config.PhaseLimit{{ID: "p2", USD: 3}, {ID: "p1", USD: 50}}
	if !reflect.DeepEqual(got.Phases, want) {
		t.Fatalf("raised: %+v", got.Phases)
	}
	st.Rules = got
	st.Phases[0].PhaseLimit = want[1]
	if again := (Flags{}).RaisePhases(config.Rules{Phases: planned}, &st); !reflect.DeepEqual(again.Phases, want) {
		t.Errorf("continued later: %+v", again.Phases)
	}
}
