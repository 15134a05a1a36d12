package stats

import (
	"math"
	"slices"
	"time"

	"kedge"
)

// Spent is what one feature took, with every attempt and repair. A nil figure is unknown.
type Spent struct {
	Tokens *float64 // uncached input, cache writes and output
	USD    *float64
	Hours  float64 // of sessions and checks; time in which the work waited is left out
	Agent  string  // of its last session
	Repair bool    // one session was not enough
}

// Range is a figure that may be, from the lower to the upper quartile of the past. Low
// and High are nil where one feature is all that is known.
type Range struct {
	Low    *float64 `json:"low"`
	Likely float64  `json:"likely"`
	High   *float64 `json:"high"`
}

// Basis is the past that a forecast comes from.
type Basis struct {
	Features int    `json:"features"`    // that sessions of this project completed
	Repaired int    `json:"repaired"`    // of these, how many took more than one session
	Agent    string `json:"agent"`       // all of them by this agent; empty: by any
	Tokens   int    `json:"with_tokens"` // of these, how many tell their tokens
	USD      int    `json:"with_usd"`    // of these, how many tell their cost
}

// Forecast is what the open features may take. A nil range is unknown.
type Forecast struct {
	Features int    `json:"features"` // that are open
	Parallel int    `json:"parallel"` // worked on at once
	Basis    Basis  `json:"basis"`
	Tokens   *Range `json:"tokens"`
	USD      *Range `json:"usd"`
	Hours    *Range `json:"hours"` // on the clock
}

// Course is a run beside its forecast. The differences compare the features that are
// done with the same number of likely ones: 0.4 is 40% more than was to be expected. A
// nil one is unknown.
type Course struct {
	Forecast Forecast `json:"forecast"`         // as it was when the run began
	OfRun    bool     `json:"of_run,omitempty"` // there was none then: it is for the rest, from what the run has done
	Done     int      `json:"done"`
	Spent    Sums     `json:"spent"` // on the features that are done
	Off      Sums     `json:"off"`
}

// Sums is a figure of each kind; nil is unknown.
type Sums struct {
	Tokens *float64 `json:"tokens"`
	USD    *float64 `json:"usd"`
	Hours  *float64 `json:"hours"`
}

// fewest is how many features by one agent say more than those of every agent.
const fewest = 3

// Foresee says what open features may take, from what past ones took.
func Foresee(past []Spent, open, parallel int, agent string) Forecast {
	own := slices.DeleteFunc(slices.Clone(past), func(s Spent) bool { return s.Agent != agent })
	if agent == "" || len(own) < fewest {
		own, agent = past, ""
	}
	parallel = max(1, min(parallel, open))
	f := Forecast{Features: open, Parallel: parallel, Basis: Basis{Features: len(own), Agent: agent}}
	var tokens, usd, hours []float64
	for _, s := range own {
		hours = append(hours, s.Hours)
		if s.Tokens != nil {
			tokens = append(tokens, *s.Tokens)
		}
		if s.USD != nil {
			usd = append(usd, *s.USD)
		}
		if s.Repair {
			f.Basis.Repaired++
		}
	}
	f.Basis.Tokens, f.Basis.USD = len(tokens), len(usd)
	n := float64(open)
	f.Tokens, f.USD, f.Hours = rangeOf(tokens, n), rangeOf(usd, n), rangeOf(hours, n/float64(parallel))
	return f
}

// rangeOf is so many times the median, between as many times the quartiles.
func rangeOf(past []float64, times float64) *Range {
	if len(past) == 0 {
		return nil
	}
	slices.Sort(past)
	r := &Range{Likely: times * quantile(past, 0.5)}
	if len(past) > 1 {
		r.Low, r.High = ptr(times*quantile(past, 0.25)), ptr(times*quantile(past, 0.75))
	}
	return r
}

// quantile is the value below which a share of the sorted values lies, between two of
// them in proportion.
func quantile(sorted []float64, share float64) float64 {
	at := share * float64(len(sorted)-1)
	low := int(math.Floor(at))
	high := min(low+1, len(sorted)-1)
	return sorted[low] + (at-float64(low))*(sorted[high]-sorted[low])
}

// Compare says how far the features that a run has done are off its forecast.
func Compare(f Forecast, done []Spent) Course {
	c := Course{Forecast: f, Done: len(done)}
	if len(done) == 0 {
		return c
	}
	c.Spent.Tokens = sumOf(done, func(s Spent) *float64 { return s.Tokens })
	c.Spent.USD = sumOf(done, func(s Spent) *float64 { return s.USD })
	c.Spent.Hours = sumOf(done, func(s Spent) *float64 { return ptr(s.Hours / float64(max(1, f.Parallel))) })
	share := float64(len(done)) / float64(max(1, f.Features))
	c.Off = Sums{Tokens: off(c.Spent.Tokens, f.Tokens, share), USD: off(c.Spent.USD, f.USD, share), Hours: off(c.Spent.Hours, f.Hours, share)}
	return c
}

// Along compares a run that began with open features with its forecast. Where nothing was
// known then, what it has done since says what the rest may take.
func Along(past, done []Spent, open, parallel int, agent string) Course {
	c := Compare(Foresee(past, open, parallel, agent), done)
	if rest := open - len(done); len(past) == 0 && len(done) > 0 && rest > 0 {
		c.Forecast, c.OfRun = Foresee(done, rest, parallel, agent), true
	}
	return c
}

// sumOf adds a figure of features; nil when one of them does not tell it.
func sumOf(list []Spent, figure func(Spent) *float64) *float64 {
	sum := 0.0
	for _, s := range list {
		v := figure(s)
		if v == nil {
			return nil
		}
		sum += *v
	}
	return &sum
}

func off(spent *float64, r *Range, share float64) *float64 {
	if spent == nil || r == nil || r.Likely <= 0 {
		return nil
	}
	return ptr(math.Round(1000*(*spent/(r.Likely*share)-1)) / 1000)
}

// Pricer says what tokens of a model cost; nil: unknown.
type Pricer func(model string, at time.Time, use kedge.TokenKinds) *float64

// DoneBefore is what each feature took that sessions completed before a moment; a zero
// moment is now.
func (j *Journal) DoneBefore(at time.Time, price Pricer) []Spent {
	return j.spentOn(price, func(f *feature) bool { return at.IsZero() || f.completed.Before(at) })
}

// DoneBy is what each feature took that a run completed.
func (j *Journal) DoneBy(id kedge.RunID, price Pricer) []Spent {
	by := map[kedge.FeatureID]bool{}
	for _, s := range j.sessions {
		by[s.Feature] = s.Run == id // the last that worked on it
	}
	return j.spentOn(price, func(f *feature) bool { return by[f.id] })
}

// WorkedOn are the features on which sessions of a run worked.
func (j *Journal) WorkedOn(id kedge.RunID) map[kedge.FeatureID]bool {
	out := map[kedge.FeatureID]bool{}
	for _, s := range j.sessions {
		if s.Run == id && s.Feature != "" {
			out[s.Feature] = true
		}
	}
	return out
}

// spentOn adds up the sessions and the checks of completed features, in the order in
// which the journal has the features. What came after the completion is left out.
func (j *Journal) spentOn(price Pricer, wanted func(*feature) bool) []Spent {
	sessions := map[kedge.FeatureID][]*session{}
	for _, s := range j.sessions {
		if f := j.features[s.Feature]; f != nil && f.status == kedge.Completed && !s.StartedAt.After(f.completed) && wanted(f) {
			sessions[f.id] = append(sessions[f.id], s)
		}
	}
	var out []Spent
	for _, id := range j.order {
		if list := sessions[id]; len(list) > 0 {
			out = append(out, spent(list, j.features[id], price))
		}
	}
	return out
}

func spent(list []*session, f *feature, price Pricer) Spent {
	s := Spent{Agent: list[len(list)-1].Agent, Repair: len(list) > 1, Hours: f.checked.Hours()}
	tokens, usd := 0.0, 0.0
	told, paid := true, true
	for _, ses := range list {
		end := f.completed
		if !ses.ended.IsZero() {
			end = ses.ended
		}
		s.Hours += minutes(ses.StartedAt, end) / 60
		told = told && ses.Tokens != nil
		if told {
			tokens += float64(*ses.Tokens)
		}
		cost := ses.cost(price)
		paid = paid && cost != nil
		if paid {
			usd += *cost
		}
	}
	if told {
		s.Tokens = &tokens
	}
	if paid {
		s.USD = &usd
	}
	return s
}

// cost is what a session says that it cost, else what its tokens cost by the prices.
func (s *session) cost(price Pricer) *float64 {
	if s.USD == nil && s.Kinds != nil && price != nil {
		return price(s.Model, s.StartedAt, *s.Kinds)
	}
	return s.USD
}

// gated adds how long the checks of a feature took.
func (j *Journal) gated(_ time.Time, d kedge.Evidence) {
	if d.Feature == "" || d.Corners != nil { // a verdict with corners is one that was told before
		return
	}
	f := j.feature(d.Feature)
	for _, c := range d.Verdict.Checks {
		f.checked += time.Duration(c.MS) * time.Millisecond
	}
}
