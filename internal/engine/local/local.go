// Package local is the engine inside the daemon: a loop over the journal of one project.
// It owns the order of things: a step is on disk before its commands are carried out,
// each run takes one event after the other, and every unanswered command in the journal
// is carried out. It promises that an event has its effect once, and that a run continues
// where it was when another engine opens the same journal. It refuses the writes of an
// earlier engine. No watcher delays a run. It never decides anything about a run
// (run.Step does), and carries out nothing itself but timers.
package local

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"kedge"
	"kedge/internal/core/run"
	"kedge/internal/engine"
	"kedge/internal/journal"
)

// Journal is where steps are kept; journal.Store is one.
type Journal interface {
	Append(ctx context.Context, key string, evs ...kedge.Event) (out []kedge.Event, again bool, err error)
	Run(ctx context.Context, id kedge.RunID) (journal.RunDoc, bool, error)
	Runs(ctx context.Context) ([]journal.RunDoc, error)
}

// Config is what an engine needs from outside. Now, After and Log may be nil.
type Config struct {
	Project  kedge.ProjectID
	Store    Journal
	Executor engine.Executor
	Now      func() time.Time
	After    func(d time.Duration) (fired <-chan time.Time, stop func()) // by a clock that does not jump
	Log      *slog.Logger
}

// Local is an engine over one journal. It may be used by many goroutines.
type Local struct {
	cfg  Config
	gone chan struct{} // closed when the engine leaves

	mu    sync.Mutex
	left  bool
	runs  map[kedge.RunID]*runner
	loops sync.WaitGroup
}

var _ engine.Engine = (*Local)(nil)

// New makes an engine that has not opened anything yet: see Open.
func New(cfg Config) *Local {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.After == nil {
		cfg.After = after
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &Local{cfg: cfg, gone: make(chan struct{}), runs: map[kedge.RunID]*runner{}}
}

func after(d time.Duration) (<-chan time.Time, func()) {
	t := time.NewTimer(d)
	return t.C, func() { t.Stop() }
}

// Open takes over every run that goes on, or of which something is outstanding,
// and has it carried out. A run that cannot be opened keeps no other from being
// opened; the errors of all such runs come back together.
func (e *Local) Open(ctx context.Context) error {
	docs, err := e.cfg.Store.Runs(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for _, d := range docs {
		if d.State.Ended() && len(d.State.Outbox) == 0 {
			continue
		}
		_, err := e.ask(ctx, d.State.Run, message{open: true})
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// Leave is for a daemon that goes: the contexts of all commands end with
// engine.ErrLeave. It returns when all of them have, and nothing is written any
// more. What runs under holders goes on, and so does every run when the next
// engine opens the journal. Leaving twice is harmless.
func (e *Local) Leave() {
	e.mu.Lock()
	if !e.left {
		e.left = true
		close(e.gone)
		for _, r := range e.runs {
			r.box.close()
		}
	}
	e.mu.Unlock()
	e.loops.Wait()
}

// Start begins a run. One that has begun already stays as it is.
func (e *Local) Start(ctx context.Context, begun run.Input) error {
	if begun.Kind != run.Begun || begun.Run == "" {
		return kedge.Errorf(kedge.Invalid, "Kedge cannot start run %q: a run needs an id, and its first event must be %q and not %q", begun.Run, run.Begun, begun.Kind)
	}
	begun.ID = "begun" // one id: there is one beginning
	_, err := e.ask(ctx, begun.Run, message{ev: begun})
	return err
}

// Deliver gives a run an event and returns when it is on disk. One that means
// nothing to the run, because it is late say, changes nothing and is no error.
// An event without an id gets one: it cannot be delivered again. When ctx ends
// first it is not known whether the event counts; delivering it again tells.
func (e *Local) Deliver(ctx context.Context, id kedge.RunID, ev run.Input) error {
	_, err := e.deliver(ctx, id, ev)
	return err
}

func (e *Local) deliver(ctx context.Context, id kedge.RunID, ev run.Input) (*runner, error) {
	if err := e.known(ctx, id); err != nil {
		return nil, err
	}
	if ev.ID == "" {
		ev.ID = kedge.EventID(kedge.NewID("evt", e.cfg.Now()))
	}
	return e.ask(ctx, id, message{ev: ev})
}

// Cancel stops a run and returns when none of its commands is being carried out
// any more; a timer that still waits is no life.
func (e *Local) Cancel(ctx context.Context, id kedge.RunID, actor kedge.Actor) error {
	if err := e.known(ctx, id); err != nil {
		return err
	}
	if s, err := e.State(ctx, id); err != nil || s.Ended() && e.quiet(id) {
		return err
	}
	r, err := e.deliver(ctx, id, run.Input{Kind: run.StopAsked, Actor: actor})
	if err != nil {
		return err
	}
	return r.rest(ctx)
}

// quiet tells whether nothing of a run is being carried out.
func (e *Local) quiet(id kedge.RunID) bool {
	e.mu.Lock()
	r := e.runs[id]
	e.mu.Unlock()
	return r == nil || r.quiet()
}

// State is a run as the journal has it; its lists must not be changed. A run
// whose steps the journal does not take is shown as halted, with the reason; the
// next event that is delivered to it tries again.
func (e *Local) State(ctx context.Context, id kedge.RunID) (run.State, error) {
	e.mu.Lock()
	r := e.runs[id]
	e.mu.Unlock()
	if r != nil {
		if s, ok := r.view(); ok {
			return s, nil
		}
	}
	doc, ok, err := e.cfg.Store.Run(ctx, id)
	if err == nil && !ok {
		err = noRun(id)
	}
	return doc.State, err
}

// Watch tells of the present state and then of every step, until ctx ends (nil)
// or the engine leaves (engine.ErrLeave). tell is called by one goroutine; while
// it does not return, steps wait, the oldest giving way to the newest.
func (e *Local) Watch(ctx context.Context, id kedge.RunID, tell func(engine.Step)) error {
	if err := e.known(ctx, id); err != nil {
		return err
	}
	w := newWatcher()
	r, err := e.runner(id, w)
	if err != nil {
		return err
	}
	defer r.unsubscribe(w)
	now, err := e.present(ctx, r, w)
	if err != nil {
		return err
	}
	tell(engine.Step{State: now})
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-e.gone:
			return engine.ErrLeave
		case <-w.wake:
			for _, s := range r.take(w) {
				tell(s)
			}
		}
	}
}

// present is the state that a watcher is told first: none that waits for him is
// older.
func (e *Local) present(ctx context.Context, r *runner, w *watcher) (run.State, error) {
	if s, ok := r.present(w); ok {
		return s, nil
	}
	doc, ok, err := e.cfg.Store.Run(ctx, r.id)
	if err == nil && !ok {
		err = noRun(r.id)
	}
	if s, ok := r.present(w); ok { // it was read meanwhile
		return s, nil
	}
	return doc.State, err
}

// Trouble is a run whose steps the journal does not take.
type Trouble struct {
	Run kedge.RunID
	Err error
}

// Troubles lists the runs that are halted because nothing of theirs can be
// written, for doctor.
func (e *Local) Troubles() []Trouble {
	e.mu.Lock()
	defer e.mu.Unlock()
	var out []Trouble
	for id, r := range e.runs {
		if err := r.trouble(); err != nil {
			out = append(out, Trouble{Run: id, Err: err})
		}
	}
	slices.SortFunc(out, func(a, b Trouble) int { return strings.Compare(string(a.Run), string(b.Run)) })
	return out
}

// known refuses a run that neither the engine nor the journal knows.
func (e *Local) known(ctx context.Context, id kedge.RunID) error {
	e.mu.Lock()
	r := e.runs[id]
	e.mu.Unlock()
	if r != nil {
		return nil
	}
	_, ok, err := e.cfg.Store.Run(ctx, id)
	if err == nil && !ok {
		err = noRun(id)
	}
	return err
}

// ask hands the loop of a run something and waits until it is done; it says which
// runner did it. One that is being let go of takes nothing: there is another then.
func (e *Local) ask(ctx context.Context, id kedge.RunID, m message) (*runner, error) {
	for {
		r, err := e.runner(id, nil)
		if err != nil {
			return nil, err
		}
		if err = r.ask(ctx, m); !errors.Is(err, errLetGo) {
			return r, err
		}
	}
}

// runner is the runner of a run, whose loop is started with it. A watcher is on
// its list from the start, which keeps it from being let go of.
func (e *Local) runner(id kedge.RunID, w *watcher) (*runner, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.left {
		return nil, leaving()
	}
	r := e.runs[id]
	if r == nil {
		r = newRunner(e, id)
		e.runs[id] = r
		e.loops.Go(r.loop)
	}
	if w != nil {
		r.subscribe(w)
	}
	return r, nil
}

// letGo forgets a run of which nothing is to be done and that nobody looks at: the
// journal has it. False when somebody came meanwhile.
func (e *Local) letGo(r *runner) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.left || r.watched() || !r.box.closeEmpty() {
		return false
	}
	delete(e.runs, r.id)
	return true
}

func noRun(id kedge.RunID) error {
	return kedge.Errorf(kedge.NotFound, "there is no run %q", id).WithHint("see the newest run and its id: kedge status")
}

func leaving() error {
	return kedge.Errorf(kedge.Conflict, "Kedge's background process (the daemon) is stopping").WithHint("start the daemon again: kedge up")
}
