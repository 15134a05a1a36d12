package local

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strconv"
	"sync/atomic"
	"time"

	"kedge"
	"kedge/internal/core/delta"
	"kedge/internal/core/run"
	"kedge/internal/engine"
)

// errWithdrawn is the cause with which the context of a command ends that nobody
// wants any more.
var errWithdrawn = errors.New("the run no longer needs this step")

// work is one command that is being carried out.
type work struct {
	c       run.Command
	r       *runner
	ctx     context.Context
	end     context.CancelCauseFunc
	after   []*work       // must be over before it begins
	done    chan struct{} // closed when it is over
	reports atomic.Int64
	ended   bool // of the loop: it was told to end
}

// follow has the commands of a step carried out, and ends what the step no
// longer wants. A session is not ended by that: a command of its own does it.
func (r *runner) follow(step delta.Stepped) {
	wanted := make(map[int64]bool, len(r.state.Outbox))
	for _, c := range r.state.Outbox {
		wanted[c.Epoch] = true
	}
	for epoch, w := range r.works {
		switch {
		case wanted[epoch] || w.ended:
		case step.Event.Kind == run.TakenOver: // under its new number it goes on
			w.stop(engine.ErrLeave)
		case w.c.Kind != run.StartSession:
			w.stop(errWithdrawn)
		}
	}
	if r.leaving {
		return
	}
	for _, c := range step.Commands() {
		if wanted[c.Epoch] {
			r.begin(c)
		}
	}
}

func (w *work) stop(cause error) {
	w.ended = true
	w.end(cause)
}

// begin starts a command. What the same job had under way and was told to end is
// over before: no two commands write one worktree. Statuses are written in the
// order in which they were decided.
func (r *runner) begin(c run.Command) {
	w := &work{c: c, r: r, done: make(chan struct{})}
	w.ctx, w.end = context.WithCancelCause(context.Background())
	for _, o := range r.works {
		if o.ended && o.c.Job == c.Job {
			w.after = append(w.after, o)
		}
	}
	if c.Kind == run.Mark || c.Kind == run.Ledger {
		if r.status != nil {
			w.after = append(w.after, r.status)
		}
		r.status = w
	}
	r.works[c.Epoch] = w
	go w.run()
}

// run carries the command out and tells the loop.
func (w *work) run() {
	ev, err := w.carryOut()
	m := message{work: w, over: true}
	if !w.left(err) {
		m.ev = w.answer(ev, err)
	}
	w.end(nil)
	w.r.box.put(m)
	close(w.done)
}

func (w *work) carryOut() (ev run.Input, err error) {
	defer func() {
		if p := recover(); p != nil {
			w.r.e.cfg.Log.Error("a command panicked", "run", w.r.id, "command", w.c.Kind, "panic", p, "stack", string(debug.Stack()))
			err = kedge.Errorf(kedge.Internal, "Kedge crashed in the step %q of run %q: %v", w.c.Kind, w.r.id, p)
		}
	}()
	for _, o := range w.after {
		select {
		case <-o.done:
		case <-w.ctx.Done():
			return run.Input{}, context.Cause(w.ctx)
		}
	}
	w.after = nil
	if w.c.Kind == run.Timer {
		return w.wait()
	}
	return w.r.e.cfg.Executor.Do(w.ctx, w.c, w.report)
}

// left tells whether there is no answer: whoever has the run then does the
// command again, or nobody wants it any more.
func (w *work) left(err error) bool { return err != nil && w.ctx.Err() != nil }

// wait is a timer. Its clock does not jump; across a restart there is no such
// clock, so what is left is taken from the calendar, and is never more than the
// whole.
func (w *work) wait() (run.Input, error) {
	wait := w.c.Wait
	if w.c.Adopts != 0 {
		wait = w.c.At.Add(w.c.Wait).Sub(w.r.e.cfg.Now())
	}
	fired, stop := w.r.e.cfg.After(min(max(wait, 0), max(w.c.Wait, 0)))
	defer stop()
	select {
	case <-fired:
		return run.Input{Outcome: run.OK}, nil
	case <-w.ctx.Done():
		return run.Input{}, context.Cause(w.ctx)
	}
}

// answer is what the run is told. Its id is made of the command's number, which
// no other command of any owner has.
func (w *work) answer(ev run.Input, err error) run.Input {
	kind := w.c.Kind.Answer()
	switch {
	case err != nil:
		ev = run.Input{Outcome: run.Failed, Reason: clip(err.Error())}
		w.r.e.cfg.Log.Warn("a step of a run failed", "run", w.r.id, "command", w.c.Kind, "epoch", w.c.Epoch, "err", err)
	case ev.Kind != "" && ev.Kind != kind:
		ev = run.Input{Outcome: run.Failed, Reason: fmt.Sprintf("the step %q of run %q ended with the result %q, which belongs to another step", w.c.Kind, w.r.id, ev.Kind)}
	}
	ev.Kind, ev.Epoch, ev.At = kind, w.c.Epoch, w.now()
	ev.ID = kedge.EventID("epoch-" + strconv.FormatInt(w.c.Epoch, 10))
	return ev
}

// report passes on what a living session does.
func (w *work) report(ev run.Input) {
	if ev.Epoch == 0 {
		ev.Epoch = w.c.Epoch
	}
	ev.At = w.now()
	ev.ID = kedge.EventID(fmt.Sprintf("epoch-%d.%d", w.c.Epoch, w.reports.Add(1)))
	w.r.box.put(message{ev: ev, work: w})
}

func (w *work) now() time.Time { return w.r.e.cfg.Now() }
