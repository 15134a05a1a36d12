package sim

import "kedge/internal/core/run"

// Watcher holds any sequence of events to the invariants, without a world
// around it.
type Watcher struct {
	step Stepper
	s    run.State
	h    *history
}

// NewWatcher watches a run that has not begun.
func NewWatcher(step Stepper) *Watcher { return &Watcher{step: step, h: newHistory(false)} }

// State is where the run stands.
func (w *Watcher) State() run.State { return w.s }

// Violation is the first invariant that did not hold; empty when all did.
func (w *Watcher) Violation() string { return w.h.violation }

// Step applies one event.
func (w *Watcher) Step(ev run.Input) {
	after, commands := w.step(w.s, ev)
	w.h.observe(&w.s, &after, ev, commands)
	w.s = after
}
