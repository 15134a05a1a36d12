package watch

import (
	"fmt"
	"time"
)

// Doing is what a session does while it says nothing.
type Doing string

// What can be seen from outside.
const (
	DoingUnknown  Doing = ""
	DoingWork     Doing = "working"
	DoingNothing  Doing = "hung"     // no output, no computing
	DoingCompute  Doing = "spinning" // no output, computing
	DoingSilently Doing = "silent"   // no output; whether it computes is not known here
)

// Activity is what a session does, and for how long it has.
type Activity struct {
	Doing Doing
	For   time.Duration
}

// stall is what is known of a session's quiet.
type stall struct {
	question string
	said     bool
}

func (w *Watcher) feedStall(ev Act) []Signal {
	w.stall.said = false
	switch ev.Kind {
	case Ask:
		w.stall.question = ev.Text
		if ev.ID != "" { // it does nothing before it is answered
			w.stall.said = true
			return []Signal{w.waiting()}
		}
	case Call, Turn:
		w.stall.question = "" // it went on
	default:
	}
	return nil
}

// tickStall tells the three kinds of quiet apart: waiting for a person, hung,
// and spinning.
func (w *Watcher) tickStall(a Activity) []Signal {
	l := w.limits
	if w.stall.said || a.Doing == DoingWork || a.Doing == DoingUnknown {
		return nil
	}
	switch {
	case w.stall.question != "" && l.Waiting > 0 && a.For >= l.Waiting:
		w.stall.said = true
		return []Signal{w.waiting()}
	case a.Doing == DoingNothing && l.Hung > 0 && a.For >= l.Hung,
		a.Doing != DoingNothing && l.Spinning > 0 && a.For >= l.Spinning:
		w.stall.said = true
		return []Signal{{Kind: Stall, Advice: Break, Reason: fmt.Sprintf("%s: no output for %s", a.Doing, a.For.Round(time.Second))}}
	}
	return nil
}

func (w *Watcher) waiting() Signal {
	return Signal{Kind: Waiting, Advice: Person, Reason: "it asked a question and waits for the answer", Text: w.stall.question}
}
