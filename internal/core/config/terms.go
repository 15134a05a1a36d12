package config

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"kedge"
)

// Rules are what people set for a run. 0 is no limit for money, tokens, time
// and sessions of the run; everything that could go on for ever has a bound,
// which Start fills in.
type Rules struct {
	Parallel   int    `json:"parallel"`
	Land       string `json:"land"`       // end, each or never
	Regression string `json:"regression"` // sample, all or none
	Agent      string `json:"agent,omitempty"`
	Fallback   string `json:"fallback,omitempty"` // route at a provider's limit; empty: wait
	// Fallbacks are further routes, in their order, where that one meets its limit too.
	Fallbacks []string `json:"fallbacks,omitempty"`

	MaxSessions   int           `json:"max_sessions,omitempty"`
	Tokens        int64         `json:"tokens,omitempty"` // of the run
	USD           float64       `json:"usd,omitempty"`    // of the run
	DayUSD        float64       `json:"day_usd,omitempty"`
	FeatureTokens int64         `json:"feature_tokens,omitempty"`
	FeatureUSD    float64       `json:"feature_usd,omitempty"`
	SessionTokens int64         `json:"session_tokens,omitempty"`
	SessionWall   time.Duration `json:"session_wall,omitempty"`

	// Handover is the share of a context's window up to which an interrupted session's
	// own conversation is gone on with.
	Handover float64 `json:"handover,omitempty"`

	Attempts    int `json:"attempts"`    // per feature, where its definition says nothing
	Sessions    int `json:"sessions"`    // per attempt, handovers included
	Crashes     int `json:"crashes"`     // fresh sessions after a crash, per attempt
	Conflicts   int `json:"conflicts"`   // merge conflicts of one job; one more blocks it
	Waits       int `json:"waits"`       // for a provider, per feature
	Regressions int `json:"regressions"` // reopenings of one feature

	Phases []PhaseLimit `json:"phases,omitempty"`
	Until  Until        `json:"until,omitzero"`

	// Given is what a person said of this run, beside what the project's files
	// say: it holds until they say otherwise, also when the run is continued.
	Given Given `json:"given,omitzero"`
}

// Given are the rules that a person gave with the run itself. Zero: nothing.
type Given struct {
	Agent    string  `json:"agent,omitempty"`
	Parallel int     `json:"parallel,omitempty"`
	Tokens   int64   `json:"tokens,omitempty"`
	USD      float64 `json:"usd,omitempty"`
	Until    string  `json:"until,omitempty"` // the id of a phase

	// Phases are those whose budget was spent when a person gave more: they may cost
	// this instead of what the plan says.
	Phases []PhaseLimit `json:"phases,omitempty"`
}

// UsualHandover is Rules.Handover where nobody says.
const UsualHandover = 0.7

// PhaseLimit bounds what the features of one phase of the plan may cost.
type PhaseLimit struct {
	ID     string  `json:"id"`
	Tokens int64   `json:"tokens,omitempty"`
	USD    float64 `json:"usd,omitempty"`
}

// Bounded is a phase of the plan with its limits and what it has cost.
type Bounded struct {
	PhaseLimit
	Spent kedge.Spend `json:"spent"`
}

// Over tells whether the phase has cost what it may.
func (p Bounded) Over() bool { return p.Spent.Reaches(p.Tokens, p.USD) }

// AllSessionsRan says that as many sessions have been as were asked for.
func (r Rules) AllSessionsRan() string {
	if r.MaxSessions == 1 {
		return "1 session was asked for, and it has run"
	}
	return strconv.Itoa(r.MaxSessions) + " sessions were asked for, and they have run"
}

// Budget is what a feature may use: what its own budget does not say is as for every feature.
func (r Rules) Budget(of kedge.Budget) kedge.Budget {
	return kedge.Budget{
		Attempts: cmp.Or(of.Attempts, r.Attempts), Tokens: cmp.Or(of.Tokens, r.FeatureTokens), USD: cmp.Or(of.USD, r.FeatureUSD),
	}
}

// AfterRoute is the route to fall back to from the one that met its limit, empty
// being the run's own choice; empty when there is none left.
func (r Rules) AfterRoute(route string) string {
	all := append([]string{r.Fallback}, r.Fallbacks...)
	if r.Fallback == "" {
		return ""
	}
	if i := slices.Index(all, route); route != "" && i >= 0 {
		all = all[i+1:]
	}
	if len(all) == 0 {
		return ""
	}
	return all[0]
}

// WithDefaults fills in what must not be without a bound.
func (r Rules) WithDefaults() Rules {
	set := func(n *int, to int) {
		if *n <= 0 {
			*n = to
		}
	}
	set(&r.Parallel, 1)
	set(&r.Attempts, 1)
	set(&r.Sessions, 12)
	set(&r.Crashes, 1)
	set(&r.Conflicts, 3)
	set(&r.Waits, 48)
	set(&r.Regressions, 3)
	r.Handover, r.Land, r.Regression = cmp.Or(r.Handover, UsualHandover), cmp.Or(r.Land, "end"), cmp.Or(r.Regression, "sample")
	return r
}

// Until is the phase of the plan with which a run ends. Zero: there is none.
type Until struct {
	Phase string   `json:"phase,omitempty"`
	Title string   `json:"title,omitempty"`
	Later []string `json:"later,omitempty"` // the phases after it, in their order: nothing of them is begun
}
