package watch

import "fmt"

// mode is whether the session does what its kind of session is for.
type mode struct {
	calls int // that it made
	edits int // of them, changes
	turns int
	said  bool
	told  bool // it reports calls or turns at all: what is not reported is unknown
}

func (w *Watcher) feedMode(ev Act) []Signal {
	m := &w.mode
	switch ev.Kind {
	case Call:
		m.told = true
		m.calls++
		if len(ev.Paths) == 0 {
			return nil
		}
		m.edits++
		if w.limits.Planning {
			return w.confused(Record, "a planning session edits "+short(ev.Paths[0]))
		}
	case Turn:
		m.told = true
		m.turns++
		if !w.limits.Planning && w.limits.Talk > 0 && m.calls == 0 && m.turns >= w.limits.Talk {
			return w.confused(HandOff, fmt.Sprintf("%d turns without a tool call", m.turns))
		}
	case PlanText:
		if !w.limits.Planning {
			return w.confused(Record, "the session should work, but it writes a plan")
		}
	default:
	}
	return nil
}

func (w *Watcher) confused(a Advice, reason string) []Signal {
	if w.mode.said {
		return nil
	}
	w.mode.said = true
	return []Signal{{Kind: Confusion, Advice: a, Reason: reason}}
}

// endMode judges a session that says it is done.
func (w *Watcher) endMode(claimed bool) []Signal {
	m := &w.mode
	if !claimed || w.limits.Planning || !m.told || m.edits > 0 {
		return nil
	}
	if m.calls > 0 {
		return nil // a command may have made the changes
	}
	return w.confused(Record, "it says that it is done, but it called no tool and changed nothing")
}
