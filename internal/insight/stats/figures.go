package stats

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"kedge"
)

// By are the ways to divide the figures.
var By = []string{"week", "agent", "model", "session"}

// Query says what to count.
type Query struct {
	Since time.Time // sessions that began, and features that were completed, before it are left out
	By    string    // one of By
	Now   time.Time // living sessions count up to it
	Price func(model string, at time.Time, use kedge.TokenKinds) *float64
	Agent func(kedge.Session) bool // whether its program uses tokens; nil: every one does
}

// Figures is what sessions came to. Its names are those of `stats --json`; a nil
// figure is unknown, or a division by nothing.
type Figures struct {
	Sessions          int            `json:"sessions"`
	Interrupted       int            `json:"interrupted"`
	RecoveryMinutes   float64        `json:"recovery_minutes"`
	AbsentMinutes     float64        `json:"absent_minutes"` // after interruptions, in which nobody could or did go on; no recovery
	ProductiveMinutes float64        `json:"productive_minutes"`
	OverheadRate      *float64       `json:"overhead_rate"` // recovery by productive minutes
	Interruptions     []Interruption `json:"interruptions"` // what cost most minutes first

	VerifiedFeatures int               `json:"verified_features"`
	VerifiedLines    *int64            `json:"verified_lines"` // added and removed by them
	Tokens           *int64            `json:"tokens"`
	Guessed          *int64            `json:"estimated_tokens"` // of sessions that told no usage, by what they printed; nil: none
	Kinds            *kedge.TokenKinds `json:"kinds"`
	USD              *float64          `json:"usd"`
	Estimated        bool              `json:"estimated"` // a part of usd is computed from prices

	FeaturesPerMTok *float64 `json:"verified_features_per_mtok"`
	LinesPerMTok    *float64 `json:"verified_lines_per_mtok"`
	FeaturesPerUSD  *float64 `json:"verified_features_per_usd"`
	LinesPerUSD     *float64 `json:"verified_lines_per_usd"`

	SilentSessions int `json:"silent_sessions"` // that do not tell what they do
	UnknownTokens  int `json:"unknown_tokens"`  // sessions that told no usage
	UnknownUSD     int `json:"unknown_usd"`     // sessions whose cost is unknown
	UnknownLines   int `json:"unknown_lines"`   // verified features whose lines nobody counted

	unpaid, unpriced bool // a session of a run is among the unknown ones
}

// Interruption is one cause: how often, and how long it took in all until the
// work went on, from when somebody could go on with it.
type Interruption struct {
	Cause   Cause   `json:"cause"`
	Count   int     `json:"count"`
	Minutes float64 `json:"minutes"`
	Open    int     `json:"open"`           // of these, how many nobody took up again so far: their minutes are unknown
	Absent  float64 `json:"absent_minutes"` // before that: nobody was there, or the provider refused
	Cure    string  `json:"cure"`           // the cheapest thing to do about it
}

// Row is the figures of one key.
type Row struct {
	Key string `json:"key"` // empty: the sessions have none
	Figures

	Name      string     `json:"name,omitempty"` // by session, with what follows
	Agent     string     `json:"agent,omitempty"`
	Model     string     `json:"model,omitempty"`
	StartedAt *time.Time `json:"started_at,omitempty"`
	EndedAt   *time.Time `json:"ended_at,omitempty"`
}

// Report is the figures of all, and divided.
type Report struct {
	Total Figures
	Rows  []Row
}

// Count makes the report of what the journals of projects say.
func Count(q Query, journals ...*Journal) Report {
	c := &count{q: q, rows: map[string]*Row{}}
	for _, j := range journals {
		j.count(c)
	}
	return c.report()
}

func (j *Journal) count(c *count) {
	took := j.successors()
	for _, s := range j.sessions {
		if !s.StartedAt.Before(c.q.Since) {
			c.session(s, took[s], j.waits(s))
		}
	}
	for _, id := range j.order {
		if f := j.features[id]; f.verified() && !f.completed.Before(c.q.Since) {
			c.feature(f, j.worker(f))
		}
	}
}

// Interrupted is how many of all sessions were interrupted: the figure of that name,
// without the others.
func (j *Journal) Interrupted() int {
	took, n := j.successors(), 0
	for _, s := range j.sessions {
		if _, ok := s.interruption(took[s] != nil); ok {
			n++
		}
	}
	return n
}

func (f *feature) verified() bool { return f.status == kedge.Completed && f.evidence }

// worker is the session that a verified feature is counted for: the last that
// worked on it; nil when a person did.
func (j *Journal) worker(f *feature) *session {
	if s := j.byID[f.session]; s != nil {
		return s
	}
	var last *session
	for _, s := range j.sessions {
		if s.Feature == f.id && !s.StartedAt.After(f.completed) {
			last = s
		}
	}
	return last
}

// successors finds for each session the one that took its work up again: that
// says so itself, or the next of the same job or, in the same run, of the same
// feature: that a later run has it too makes the time between no recovery.
func (j *Journal) successors() map[*session]*session {
	out := map[*session]*session{}
	type job struct {
		run kedge.RunID
		n   int
	}
	type part struct {
		run kedge.RunID
		of  kedge.FeatureID
	}
	jobs, features := map[job]*session{}, map[part]*session{}
	for _, s := range j.sessions {
		if before := j.byID[s.Previous]; before != nil && out[before] == nil {
			out[before] = s
		}
		if s.job != 0 {
			k := job{s.Run, s.job}
			follow(out, jobs[k], s)
			jobs[k] = s
		}
		if s.Feature != "" {
			k := part{s.Run, s.Feature}
			follow(out, features[k], s)
			features[k] = s
		}
	}
	return out
}

func follow(out map[*session]*session, before, s *session) {
	if before != nil && out[before] == nil {
		out[before] = s
	}
}

// count is a report that is being made.
type count struct {
	q     Query
	total Row
	rows  map[string]*Row
}

// row is the one to which something of a session at a moment belongs; the
// session is nil for what a person did.
func (c *count) row(s *session, at time.Time) *Row {
	key := c.key(s, at)
	r := c.rows[key]
	if r == nil {
		r = &Row{Key: key}
		c.rows[key] = r
		if s != nil && c.q.By == "session" {
			r.describe(s)
		}
	}
	return r
}

func (c *count) key(s *session, at time.Time) string {
	switch {
	case c.q.By == "week":
		return Week(at)
	case s == nil:
		return ""
	case c.q.By == "agent":
		return s.Agent
	case c.q.By == "model":
		return s.Model
	default:
		return string(s.ID)
	}
}

// Week is the week of a moment, as ISO 8601 has it, in UTC.
func Week(at time.Time) string {
	year, week := at.UTC().ISOWeek()
	return fmt.Sprintf("%d-W%02d", year, week)
}

func (c *count) session(s, took *session, w *waits) {
	row := c.row(s, s.StartedAt)
	for _, f := range []*Figures{&row.Figures, &c.total.Figures} {
		f.Sessions++
		f.ProductiveMinutes += s.productive(c.q.Now)
		if !s.tells() {
			f.SilentSessions++
		}
		f.interrupted(s, took, w)
		f.used(s, c.q)
	}
}

func (r *Row) describe(s *session) {
	at := s.StartedAt
	r.Name, r.Agent, r.Model, r.StartedAt = s.Name, s.Agent, s.Model, &at
	if end := s.ended; !end.IsZero() {
		r.EndedAt = &end
	}
}

// productive is how long the session worked: from its first action on. Of one
// that does not tell what it does, it is the time in which it printed; where
// nobody kept that, all of its time.
func (s *session) productive(now time.Time) float64 {
	end := s.ended
	if end.IsZero() {
		end = now
	}
	switch {
	case s.FirstAction != nil:
		return min(minutes(s.FirstAction.At, end), minutes(s.StartedAt, end))
	case s.tells():
		return 0
	case s.prints != nil:
		return s.prints.busy(s.StartedAt, end)
	default:
		return minutes(s.StartedAt, end)
	}
}

func minutes(from, to time.Time) float64 { return max(0, to.Sub(from).Minutes()) }

// interrupted adds the interruption of a session, if it was one.
func (f *Figures) interrupted(s, took *session, w *waits) {
	cause, ok := s.interruption(took != nil)
	if !ok {
		return
	}
	f.Interrupted++
	i := slices.IndexFunc(f.Interruptions, func(x Interruption) bool { return x.Cause == cause })
	if i < 0 {
		i = len(f.Interruptions)
		f.Interruptions = append(f.Interruptions, Interruption{Cause: cause, Cure: cures[cause]})
	}
	x := &f.Interruptions[i]
	x.Count++
	lost, absent, known := s.recovery(took, w)
	if !known {
		x.Open++
		return
	}
	x.Minutes += lost
	x.Absent += absent
	f.RecoveryMinutes += lost
	f.AbsentMinutes += absent
}

// recovery is how long it took until the work went on, from when somebody could go on with
// it, and how long nobody could or did before that. A run goes on by itself, unless it waits
// for a person or a limit; any other session when its user begins the next one.
func (s *session) recovery(took *session, w *waits) (lost, absent float64, known bool) {
	at, known := wentOn(took)
	if !known {
		return 0, 0, false
	}
	absent = w.within(s.ended, at)
	if s.Run == "" {
		absent = minutes(s.ended, took.StartedAt)
	}
	return max(0, minutes(s.ended, at)-absent), absent, true
}

// wentOn is when the work went on: at the first productive action of the session
// that took it up again. Where that one was interrupted before it did anything,
// its own recovery goes on from there, so that no minute counts twice. Where it
// does not tell what it does, the work went on when it started.
func wentOn(took *session) (time.Time, bool) {
	switch {
	case took == nil:
		return time.Time{}, false
	case took.FirstAction != nil:
		return took.FirstAction.At, true
	case !took.tells():
		return took.StartedAt, true
	default:
		return took.ended, !took.ended.IsZero() // zero: it has not come so far
	}
}

// used adds what a session used and cost.
func (f *Figures) used(s *session, q Query) {
	if q.Agent != nil && !q.Agent(s.Session) {
		return
	}
	if s.Tokens == nil {
		f.UnknownTokens++
		f.unpaid = f.unpaid || s.Run != ""
		if n := Guess(s.Bytes); n > 0 {
			f.Guessed = plus(f.Guessed, n)
		}
	} else {
		f.Tokens = plus(f.Tokens, *s.Tokens)
		if s.PartialUsage {
			f.UnknownTokens++
		}
	}
	if k := s.Kinds; k != nil {
		var sum kedge.TokenKinds
		if f.Kinds != nil {
			sum = *f.Kinds
		}
		sum = sum.Plus(*k)
		f.Kinds = &sum
	}
	usd := s.USD
	if usd == nil && s.Kinds != nil && q.Price != nil {
		usd = q.Price(s.Model, s.StartedAt, *s.Kinds)
		f.Estimated = f.Estimated || usd != nil
	}
	if usd == nil || s.PartialUsage {
		f.UnknownUSD++
	}
	if usd == nil {
		f.unpriced = f.unpriced || s.Run != ""
		return
	}
	f.USD = plus(f.USD, *usd)
}

// bytesPerToken is what is printed for a token, about: what a session printed is
// all that is known of one that tells nothing.
const bytesPerToken = 4

// Guess estimates the tokens of a session that told no usage by the bytes that it
// printed; 0 where it printed nothing.
func Guess(printed int64) int64 { return (max(printed, 0) + bytesPerToken - 1) / bytesPerToken }

func plus[T int64 | float64](sum *T, n T) *T {
	if sum != nil {
		n += *sum
	}
	return &n
}

func (c *count) feature(f *feature, by *session) {
	row := c.row(by, f.completed)
	for _, x := range []*Figures{&row.Figures, &c.total.Figures} {
		x.VerifiedFeatures++
		if f.lines == nil {
			x.UnknownLines++
		} else {
			x.VerifiedLines = plus(x.VerifiedLines, *f.lines)
		}
	}
}

// report puts the rows in order: weeks and sessions by time, the others by name.
func (c *count) report() Report {
	out := Report{Rows: []Row{}}
	for _, r := range c.rows {
		r.finish()
		out.Rows = append(out.Rows, *r)
	}
	slices.SortFunc(out.Rows, func(a, b Row) int {
		if a.StartedAt != nil && b.StartedAt != nil {
			return cmp.Or(a.StartedAt.Compare(*b.StartedAt), strings.Compare(a.Key, b.Key))
		}
		return strings.Compare(a.Key, b.Key)
	})
	c.total.finish()
	out.Total = c.total.Figures
	return out
}

// finish makes the rates, and ranks the causes by the minutes that they cost.
func (f *Figures) finish() {
	if f.Interruptions == nil {
		f.Interruptions = []Interruption{}
	}
	slices.SortFunc(f.Interruptions, func(a, b Interruption) int {
		return cmp.Or(cmp.Compare(b.Minutes, a.Minutes), cmp.Compare(b.Count, a.Count), cmp.Compare(a.Cause, b.Cause))
	})
	f.OverheadRate = rate(&f.RecoveryMinutes, &f.ProductiveMinutes)
	if f.VerifiedFeatures == 0 {
		f.VerifiedLines = new(int64)
	}
	var features, lines, mtok, usd *float64
	features = ptr(float64(f.VerifiedFeatures))
	if f.VerifiedLines != nil && f.UnknownLines == 0 {
		lines = ptr(float64(*f.VerifiedLines))
	}
	if f.Tokens != nil && !f.unpaid {
		mtok = ptr(float64(*f.Tokens) / 1e6)
	}
	if f.USD != nil && !f.unpriced {
		usd = f.USD
	}
	f.FeaturesPerMTok, f.LinesPerMTok = rate(features, mtok), rate(lines, mtok)
	f.FeaturesPerUSD, f.LinesPerUSD = rate(features, usd), rate(lines, usd)
	f.RecoveryMinutes, f.ProductiveMinutes = thousandths(f.RecoveryMinutes), thousandths(f.ProductiveMinutes)
	f.AbsentMinutes = thousandths(f.AbsentMinutes)
	for i := range f.Interruptions {
		f.Interruptions[i].Minutes = thousandths(f.Interruptions[i].Minutes)
		f.Interruptions[i].Absent = thousandths(f.Interruptions[i].Absent)
	}
}

func ptr[T any](v T) *T { return &v }

// rate divides; nil when a part is unknown, or by nothing.
func rate(a, b *float64) *float64 {
	if a == nil || b == nil || *b <= 0 {
		return nil
	}
	return ptr(*a / *b)
}

// thousandths is as exact as a minute need be.
func thousandths(m float64) float64 { return math.Round(m*1000) / 1000 }
