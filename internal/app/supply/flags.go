package supply

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"kedge"
	"kedge/internal/core/config"
	"kedge/internal/core/run"
)

// Words are the flags as they are typed.
func (f Flags) Words() string {
	args := f.args()
	if len(args) == 0 {
		return ""
	}
	return kedge.Step(args[0], args[1:]...).String()
}

// Command is kedge run with these flags.
func (f Flags) Command() kedge.NextStep {
	return kedge.Step("kedge", append([]string{"run"}, f.args()...)...)
}

// CommandFor is the command that asks for a plan, with these flags. A goal that does not
// fit on a line is left for you to type.
func (f Flags) CommandFor(goal string) kedge.NextStep {
	const most = 100
	if len(goal) > most || strings.ContainsAny(goal, "\n\r") {
		goal = "GOAL"
	}
	return kedge.Step("kedge", append([]string{"plan", goal}, f.args()...)...)
}

func (f Flags) args() []string {
	var out []string
	add := func(given bool, flag, value string) {
		if given {
			out = append(out, "--"+flag, value)
		}
	}
	add(f.Agent != "", "agent", f.Agent)
	add(f.Parallel != 0, "parallel", strconv.Itoa(f.Parallel))
	add(f.MaxSessions != 0, "max-sessions", strconv.Itoa(f.MaxSessions))
	add(f.BudgetUSD != 0, "budget-usd", strconv.FormatFloat(f.BudgetUSD, 'f', -1, 64))
	add(f.BudgetTokens != 0, "budget-tokens", strconv.FormatInt(f.BudgetTokens, 10))
	add(f.Until != "", "until", f.Until)
	return out
}

// Onto are the rules of a run that lives with what the flags say, and nothing else,
// changed. Sessions is how many it has had.
func (f Flags) Onto(r config.Rules, sessions int) config.Rules {
	if f.Agent != "" {
		r.Agent, r.Given.Agent = f.Agent, f.Agent
	}
	if f.Parallel > 0 {
		r.Parallel, r.Given.Parallel = f.Parallel, f.Parallel
	}
	if f.BudgetTokens > 0 {
		r.Tokens, r.Given.Tokens = f.BudgetTokens, f.BudgetTokens
	}
	if f.BudgetUSD > 0 {
		r.USD, r.Given.USD = f.BudgetUSD, f.BudgetUSD
	}
	if f.MaxSessions > 0 {
		r.MaxSessions = sessions + f.MaxSessions // so many more
	}
	return r
}

// RaisePhases lets phases of the plan go on whose budget is spent, where a person
// gives more: each may cost what the run may. What was raised before stays raised.
func (f Flags) RaisePhases(r config.Rules, st *run.State) config.Rules {
	r.Given.Phases = slices.Clone(st.Rules.Given.Phases)
	for _, p := range st.Phases {
		if p.Over() && (f.BudgetTokens > 0 || f.BudgetUSD > 0) {
			r.Given.Phases = limited(r.Given.Phases, config.PhaseLimit{ID: p.ID, Tokens: f.BudgetTokens, USD: f.BudgetUSD})
		}
	}
	for _, l := range r.Given.Phases {
		r.Phases = limited(r.Phases, l)
	}
	return r
}

// limited are the limits with this one in the place of its phase's.
func limited(all []config.PhaseLimit, l config.PhaseLimit) []config.PhaseLimit {
	return append(slices.DeleteFunc(slices.Clone(all), func(o config.PhaseLimit) bool { return o.ID == l.ID }), l)
}

// Flags are the rules of a run that a command line sets; 0 and empty leave
// what config.toml says.
type Flags struct {
	Agent        string  `json:"agent,omitempty"`
	Parallel     int     `json:"parallel,omitempty"`
	MaxSessions  int     `json:"max_sessions,omitempty"`
	BudgetUSD    float64 `json:"budget_usd,omitempty"`
	BudgetTokens int64   `json:"budget_tokens,omitempty"`
	Until        string  `json:"until,omitempty"` // the phase to end with: its number, id or title
}

// Over fills in what was said before and is not said anew.
func (f Flags) Over(before config.Given) Flags {
	f.Agent = cmp.Or(f.Agent, before.Agent)
	f.Parallel = cmp.Or(f.Parallel, before.Parallel)
	f.BudgetTokens = cmp.Or(f.BudgetTokens, before.Tokens)
	f.BudgetUSD = cmp.Or(f.BudgetUSD, before.USD)
	f.Until = cmp.Or(f.Until, before.Until)
	return f
}
