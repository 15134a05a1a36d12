package watch

import (
	"fmt"
	"time"
)

// age is for how long the context has been filled, and since when nothing was
// saved.
type age struct {
	compacted time.Time
	saved     time.Time
	said      bool
}

// feedAge judges at the ends of turns, where a session may be cut.
func (w *Watcher) feedAge(ev Act) []Signal {
	a := &w.age
	if a.compacted.IsZero() {
		a.compacted, a.saved = ev.At, ev.At
	}
	switch ev.Kind {
	case Compact:
		a.compacted, a.said = ev.At, false
	case Turn:
		return append(w.old(ev.At), w.due(ev.At)...)
	case Usage, Result:
		return w.due(ev.At)
	default:
	}
	return nil
}

// old is a session that went on for too long without a compaction.
func (w *Watcher) old(at time.Time) []Signal {
	a := &w.age
	if w.limits.Age <= 0 || a.said || at.Sub(a.compacted) < w.limits.Age {
		return nil
	}
	a.said = true
	return []Signal{w.soften(Signal{
		Kind: Age, Advice: HandOff, Reason: fmt.Sprintf("%s without a compaction", at.Sub(a.compacted).Round(time.Minute)),
	})}
}

// due is a checkpoint that is wanted because of nothing but time.
func (w *Watcher) due(at time.Time) []Signal {
	a := &w.age
	if w.limits.Every <= 0 || at.Sub(a.saved) < w.limits.Every {
		return nil
	}
	a.saved = at
	return []Signal{{Kind: Periodic, Advice: Save, Reason: fmt.Sprintf("%s of work without a checkpoint", w.limits.Every)}}
}
