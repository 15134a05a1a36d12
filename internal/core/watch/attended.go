package watch

import (
	"time"

	"kedge/internal/core/config"
)

// The advices about a session that you drive. Kedge tells you and saves; what becomes of
// the session, you decide.
const (
	Fresh      Advice = "fresh"   // start a fresh session: this one has become long, or makes no progress
	Compacting Advice = "compact" // compact the context with Focus: the session is in the middle of something
)

// Configured are the thresholds as config.toml sets them.
func Configured(c config.Config) Limits {
	l := Usual()
	l.Checkpoint, l.Handover, l.CompactTokens = c.Context.Checkpoint, c.Context.Handover, c.Context.CompactTokens
	l.SessionTokens = c.Budget.SessionTokens
	for pattern, tokens := range c.Context.Window {
		l.Windows = append(l.Windows, Window{Pattern: pattern, Tokens: tokens})
	}
	for pattern, share := range c.Context.HandoverOf {
		l.Handovers = append(l.Handovers, Share{Pattern: pattern, Of: share})
	}
	return l
}

// Attended are the thresholds for a session that you drive. It may be quiet for as long
// as you are, and may talk instead of working.
func (l Limits) Attended() Limits {
	l.Hung, l.Spinning, l.Waiting, l.Talk, l.Shortens = 0, 0, 0, 0, false
	return l
}

// attended says what an advice becomes where you drive the session.
var attended = map[Advice]Advice{Save: Save, HandOff: Fresh, Shorten: Compacting}

// ToYou gives a signal as it counts for a session that you drive; false where it is
// nothing to you.
func (s Signal) ToYou() (Signal, bool) {
	if s.Kind == Provider {
		return s, true
	}
	advice, ok := attended[s.Advice]
	s.Advice = advice
	return s, ok
}

// Since takes in when a session began that is watched from later on.
func (w *Watcher) Since(began time.Time) {
	if w.age.compacted.IsZero() {
		w.age.compacted, w.age.saved = began, began
	}
}

// Saved takes in that a checkpoint was saved, by whomever.
func (w *Watcher) Saved(at time.Time) {
	if at.After(w.age.saved) {
		w.age.saved = at
	}
}

// Resumed takes in that a conversation whose history was fed continues: what was said of
// it then, nobody was told, and it is said again where it is still so.
func (w *Watcher) Resumed(at time.Time) {
	p := &w.pressure
	p.saved, p.soft, p.ended, p.budgeted = false, false, false, false
	w.age.said = false
	w.Saved(at)
}

// Filled is how full the session's context is, and how many tokens fit into it; 0 is
// unknown.
func (w *Watcher) Filled() (tokens, window int64) { return w.pressure.context, w.pressure.window }

// How long a limit is waited for: at least, behind the time that was told, and where nobody
// says when it ends.
const (
	leastWait = 5 * time.Second
	lateBy    = 30 * time.Second // clocks differ, and a provider counts in its own
	usualWait = 15 * time.Minute
)

// RetryAt is when a session that came to a provider's limit is to be tried again. Until
// is zero where it is unknown when the limit ends. A limit that is told of long after its
// end has a wrong time, or none: it is not tried again and again for that.
func RetryAt(at, until, now time.Time) time.Time {
	if until.IsZero() {
		until = at.Add(usualWait)
	} else {
		until = until.Add(lateBy)
	}
	switch soon := now.Add(leastWait); {
	case until.Before(now.Add(-usualWait)):
		return now.Add(usualWait)
	case until.Before(soon):
		return soon
	default:
		return until
	}
}
