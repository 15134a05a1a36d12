package watch

import "strings"

// thread is what the session is in the middle of: the steps of its item, and a
// failing check that it narrows down.
type thread struct {
	steps   int
	step    string
	calls   map[string]string // input by the id of a call that has no result yet
	failing string            // the command that failed last and was run again after a change
	last    string            // of failing: its output
	edited  bool              // since failing was run last
	narrows int               // how often failing failed in another way after a change
}

func (t *thread) feed(ev Act) {
	switch ev.Kind {
	case Step:
		t.steps++
		t.step = ev.Text
		t.failing, t.narrows = "", 0
	case Call:
		t.call(ev)
	case Result:
		t.result(ev)
	default:
	}
}

// maxOpen bounds the calls without a result that are remembered.
const maxOpen = 64

func (t *thread) call(ev Act) {
	if len(ev.Paths) > 0 {
		t.edited = true
		return
	}
	if t.calls == nil || len(t.calls) >= maxOpen {
		t.calls = map[string]string{}
	}
	t.calls[ev.ID] = strings.TrimSpace(ev.Input)
}

func (t *thread) result(ev Act) {
	command, ok := t.calls[ev.ID]
	if !ok {
		return
	}
	delete(t.calls, ev.ID)
	switch {
	case ev.Failed && command == t.failing:
		if t.edited && ev.Output != t.last {
			t.narrows++
		}
		t.last, t.edited = ev.Output, false
	case ev.Failed:
		t.failing, t.last, t.edited, t.narrows = command, ev.Output, false, 0
	case command == t.failing:
		t.failing, t.last, t.narrows = "", "", 0
	}
}

// middle says what the session is in the middle of; empty when of nothing.
func (w *Watcher) middle() string {
	switch t := &w.thread; {
	case t.steps > 0 && t.steps < w.limits.Steps:
		return "it is in the middle of an item of several steps"
	case t.failing != "" && t.narrows > 0:
		return "it is narrowing down a failing check"
	default:
		return ""
	}
}
