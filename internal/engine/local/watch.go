package local

import (
	"context"
	"slices"

	"kedge"
	"kedge/internal/core/run"
	"kedge/internal/engine"
)

// maxWaiting is how many steps wait for a slow watcher.
const maxWaiting = 64

// watcher is somebody who wants to hear of steps; list waits for him.
type watcher struct {
	list []engine.Step
	wake chan struct{} // holds one token while there may be something to see
}

func newWatcher() *watcher { return &watcher{wake: make(chan struct{}, 1)} }

func (r *runner) subscribe(w *watcher) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.watchers = append(r.watchers, w)
}

// unsubscribe takes a watcher off the list; the loop looks whether he was the last
// who kept the run.
func (r *runner) unsubscribe(w *watcher) {
	r.mu.Lock()
	r.watchers = slices.DeleteFunc(r.watchers, func(o *watcher) bool { return o == w })
	r.mu.Unlock()
	r.box.put(message{})
}

func (r *runner) watched() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.watchers) > 0
}

// take gives what waits for a watcher.
func (r *runner) take(w *watcher) []engine.Step {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := w.list
	w.list = nil
	return list
}

// present is the state as it is shown, with nothing waiting that is older; false
// when the journal has to be asked.
func (r *runner) present(w *watcher) (run.State, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	w.list = nil
	return r.seen(), r.known
}

// publish shows the state after an event; an event without a kind only shows it.
func (r *runner) publish(ev run.Input) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.shown, r.known, r.failure = r.state, r.state.Run != "", nil
	r.count()
	r.tell(ev)
}

// publishWork shows that something began or is over.
func (r *runner) publishWork() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.count()
	r.signal()
}

// publishFailure shows that the run is halted.
func (r *runner) publishFailure(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failure = err
	r.count()
	r.tell(run.Input{})
}

func (r *runner) count() {
	r.busy = 0
	for _, w := range r.works {
		if w.c.Kind != run.Timer {
			r.busy++
		}
	}
}

func (r *runner) tell(ev run.Input) {
	s := engine.Step{Event: ev, State: r.seen()}
	for _, w := range r.watchers {
		w.list = append(w.list, s)
		w.list = w.list[max(0, len(w.list)-maxWaiting):]
		select {
		case w.wake <- struct{}{}:
		default:
		}
	}
	r.signal()
}

func (r *runner) signal() {
	close(r.changed)
	r.changed = make(chan struct{})
}

// seen is the state as it is shown: of a run that is halted because nothing of
// it can be written, the last one that was, saying so.
func (r *runner) seen() run.State {
	s := r.shown
	if r.failure != nil {
		s.Halt, s.Why = run.Fault, "cannot save the run's steps in the journal: "+r.failure.Error()
		s.Status, s.Reason = run.StatusStopped, s.Why
	}
	return s
}

// view is the state as it is shown; false when the journal has to be asked.
func (r *runner) view() (run.State, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.seen(), r.known
}

func (r *runner) trouble() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failure
}

// quiet tells whether nothing of the run is being carried out.
func (r *runner) quiet() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.busy == 0
}

// rest waits until the run is over and nothing of it is being carried out.
func (r *runner) rest(ctx context.Context) error {
	for {
		r.mu.Lock()
		over, failure, changed := r.known && r.shown.Ended() && r.busy == 0, r.failure, r.changed
		r.mu.Unlock()
		switch {
		case failure != nil:
			return failure
		case over:
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return kedge.Errorf(kedge.Conflict, "run %q has not stopped yet, because some of its sessions or checks still run: %w", r.id, context.Cause(ctx)).
				WithHint("see what still runs: kedge status")
		case <-r.e.gone:
			return engine.ErrLeave
		}
	}
}
