package stats

import "time"

// longestPause is how long a session may print nothing and still be at work.
const longestPause = time.Minute

// Prints are the stretches of time in which a session printed. The zero value has
// none.
type Prints struct{ spans []span }

// Add says that the session printed at a moment. What follows within a minute is
// one stretch with what came before.
func (p *Prints) Add(at time.Time) {
	if n := len(p.spans); n > 0 {
		last := &p.spans[n-1]
		if gap := at.Sub(last.to); gap.Abs() <= longestPause {
			if gap > 0 {
				last.to = at
			}
			return
		}
	}
	p.spans = append(p.spans, span{at, at})
}

// Any tells whether the session ever printed.
func (p *Prints) Any() bool { return len(p.spans) > 0 }

// busy is for how many minutes a session that began and ended at these moments
// was at work: while it printed, and in pauses that are no longer than a minute,
// also those after its beginning and before its end. It is never more than the
// time that passed, though a clock was set meanwhile.
func (p *Prints) busy(from, to time.Time) (sum float64) {
	at := from
	for _, s := range append(p.spans[:len(p.spans):len(p.spans)], span{to, to}) {
		if gap := s.from.Sub(at); gap > 0 && gap <= longestPause {
			sum += gap.Minutes()
		}
		sum += minutes(s.from, s.to)
		at = s.to
	}
	return min(sum, minutes(from, to))
}
