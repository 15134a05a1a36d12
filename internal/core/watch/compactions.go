package watch

import "fmt"

// compactions are those of the session so far, asked for or its own, and what it did
// since the last one.
type compactions struct {
	count   int
	turns   int // of the model since the last one
	changes int // of the work, as the last one found it
	futile  int // in a row that came too soon, or after no change of the work
	said    bool
}

// What a session may have of compactions. One that needs more has a context that a
// summary does not make small: a fresh session from the checkpoint costs less.
const (
	mostCompactions = 3
	turnsBetween    = 10
)

// compacted counts a compaction.
func (c *compactions) compacted(changes int) {
	if c.count > 0 && !c.useful(changes) {
		c.futile++
	} else {
		c.futile = 0
	}
	c.count++
	c.turns, c.changes = 0, changes
}

// useful tells whether the last compaction bought enough work to be worth another.
func (c *compactions) useful(changes int) bool {
	return c.turns >= turnsBetween && changes > c.changes
}

// mayCompact tells whether the session may be told to compact its context now.
func (w *Watcher) mayCompact() bool {
	c := &w.pressure.past
	return c.count == 0 || c.count < mostCompactions && c.useful(w.circle.changes)
}

// feedCompactions counts, and hands over the session whose compactions lead nowhere:
// the one that is back over the threshold after the last that it may have, and the one
// that compacts again and again by itself before Kedge sees a large context.
func (w *Watcher) feedCompactions(ev Act) []Signal {
	p := &w.pressure
	c := &p.past
	switch ev.Kind {
	case Turn:
		c.turns++
	case Compact:
		c.compacted(w.circle.changes)
	default:
	}
	again := c.count >= mostCompactions && w.limits.CompactTokens > 0 && p.context >= w.limits.CompactTokens
	if c.said || p.ended || !again && c.futile < mostCompactions-1 {
		return nil
	}
	c.said, p.saved, p.soft, p.ended = true, true, true, true
	return []Signal{{Kind: Pressure, Advice: HandOff, Reason: fmt.Sprintf("the context was compacted %d times and is filling up again", c.count)}}
}
