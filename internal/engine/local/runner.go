package local

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"sync"

	"kedge"
	"kedge/internal/core/delta"
	"kedge/internal/core/run"
	"kedge/internal/engine"
	"kedge/internal/text/words"
)

// runner is one run. Its loop alone changes the state and starts work; mu guards
// what others look at.
type runner struct {
	e   *Local
	id  kedge.RunID
	box *mailbox

	// Of the loop.
	have    bool  // state is what the journal has
	leaving bool  // nothing is started any more
	lost    error // why it is not this engine's run any more
	state   run.State
	steps   int64
	works   map[int64]*work // by epoch, until they are over
	status  *work           // the newest that writes a status

	mu       sync.Mutex
	shown    run.State
	known    bool // shown is what the journal has
	failure  error
	busy     int           // works that are no timer
	changed  chan struct{} // closed when any of these changes
	watchers []*watcher
}

func newRunner(e *Local, id kedge.RunID) *runner {
	return &runner{e: e, id: id, box: newMailbox(), works: map[int64]*work{}, changed: make(chan struct{})}
}

// ask hands the loop something from outside and waits until it is done.
func (r *runner) ask(ctx context.Context, m message) error {
	m.reply = make(chan error, 1)
	if !r.box.put(m) {
		return errLetGo
	}
	select {
	case err := <-m.reply:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// errLetGo is said by a runner that takes nothing any more: it was let go of, or
// the engine leaves.
var errLetGo = errors.New("the daemon no longer works on this run")

// loop handles one message after the other until there is nothing left to do for
// the run, or the engine leaves. What was answered meanwhile is still written down.
func (r *runner) loop() {
	for {
		m, ok := r.box.take()
		if !ok {
			break
		}
		r.handle(m)
		if r.over() && r.e.letGo(r) {
			return
		}
	}
	r.leave()
	for {
		m, ok, _ := r.box.poll()
		if !ok {
			return
		}
		r.handle(m)
	}
}

// leave ends all work so that somebody else can go on with it, and waits for it.
func (r *runner) leave() {
	r.leaving = true
	for _, w := range r.works {
		w.end(engine.ErrLeave)
	}
	for _, w := range r.works {
		<-w.done
	}
}

// over tells whether the run needs nobody: it has ended, or never began, and
// nothing of it is outstanding or lives; or nobody has asked anything of it yet.
// One that is halted by its journal stays, to be named.
func (r *runner) over() bool {
	switch {
	case r.lost != nil || len(r.works) > 0:
		return false
	case !r.have:
		return r.trouble() == nil
	default:
		return len(r.state.Outbox) == 0 && (r.state.Run == "" || r.state.Ended())
	}
}

func (r *runner) handle(m message) {
	if m.over {
		delete(r.works, m.work.c.Epoch)
	}
	err := r.deal(m)
	r.publishWork()
	switch {
	case m.reply != nil:
		m.reply <- err
	case err == nil || !kedge.Invalid.Is(err): // what is not of the event alone halted the run
	case m.over:
		r.unanswerable(m, err)
	default:
		r.e.cfg.Log.Error("cannot save a report", "run", r.id, "event", m.ev.Kind, "err", err)
	}
}

func (r *runner) deal(m message) error {
	switch {
	case !r.have && m.inner(): // of before the run halted: it is done again
		return nil
	case r.lost != nil:
		return r.lost
	case !r.have:
		if err := r.load(m.open); err != nil {
			return err
		}
	}
	if m.ev.Kind == "" {
		return nil
	}
	if r.state.Run == "" && m.ev.Kind != run.Begun {
		return noRun(r.id)
	}
	return r.apply(m.ev)
}

// unanswerable makes an answer that the journal refuses for what it says into a
// failure that says so.
func (r *runner) unanswerable(m message, err error) {
	r.e.cfg.Log.Error("cannot save an answer", "run", r.id, "command", m.work.c.Kind, "err", err)
	ev := run.Input{ID: m.ev.ID + ".refused", Kind: m.ev.Kind, Epoch: m.ev.Epoch, At: m.ev.At, Outcome: run.Failed, Reason: clip(err.Error())}
	if err := r.apply(ev); kedge.Invalid.Is(err) {
		r.halt(err)
	}
}

// load reads the run as the journal has it and takes it over, where something
// may be outstanding.
func (r *runner) load(open bool) error {
	doc, _, err := r.e.cfg.Store.Run(context.Background(), r.id)
	if err == nil && doc.State.Version > run.Version {
		err = kedge.Errorf(kedge.Conflict, "a newer version of Kedge began run %q, and this is version %s", r.id, kedge.Version).
			WithHint("install that newer version, then repeat your command")
	}
	if err != nil {
		r.halt(err)
		return err
	}
	r.have, r.state, r.steps = true, doc.State, doc.Steps
	if !open && len(r.state.Outbox) == 0 {
		r.publish(run.Input{})
		return nil
	}
	return r.apply(run.Input{Kind: run.TakenOver, ID: kedge.EventID(kedge.NewID("evt", r.e.cfg.Now())), Actor: kedge.ActorDaemon})
}

// apply is one step: decided, written down, and only then followed.
func (r *runner) apply(ev run.Input) error {
	if ev.At.IsZero() {
		ev.At = r.e.cfg.Now()
	}
	ev.At = ev.At.UTC().Round(0)
	if !r.state.Concerns(ev) {
		r.e.cfg.Log.Debug("the run ignores an event", "run", r.id, "event", ev.Kind, "epoch", ev.Epoch)
		return nil
	}
	state, _ := run.Step(r.state, ev)
	if ev.Kind == run.Used && reflect.DeepEqual(state, r.state) { // a total that was told before
		return nil
	}
	step := delta.Stepped{Run: r.id, N: r.steps + 1, Version: run.Version, Event: ev, Delta: delta.Diff(r.state, state)}
	kept, again, err := r.keep(step)
	switch {
	case err != nil && kedge.Invalid.Is(err): // of this event alone
		return err
	case err != nil:
		r.halt(err)
		return err
	case again:
		return nil
	}
	if kept != nil { // it was redacted: what a crash would read is what counts
		if state, err = kept.Delta.Apply(r.state); err != nil {
			r.halt(err)
			return err
		}
		step = *kept
	}
	r.state, r.steps = state, step.N
	r.follow(step)
	r.publish(ev)
	return nil
}

// keep writes a step down. It gives the step back where the journal has it in
// other words.
func (r *runner) keep(step delta.Stepped) (kept *delta.Stepped, again bool, err error) {
	actor := step.Event.Actor
	if actor == "" {
		actor = kedge.ActorDaemon
	}
	ev, err := kedge.NewEvent(kedge.RunStepped, actor, step)
	if err != nil {
		return nil, false, err
	}
	ev.Project = r.e.cfg.Project
	key := "run/" + string(r.id) + "/" + string(step.Event.ID)
	out, again, err := r.e.cfg.Store.Append(context.Background(), key, ev)
	if err != nil || again || len(out) == 0 || bytes.Equal(out[0].Data, ev.Data) {
		return nil, again, err
	}
	kept = new(delta.Stepped)
	if err := json.Unmarshal(out[0].Data, kept); err != nil {
		return nil, false, kedge.Errorf(kedge.Internal, "cannot read a step of run %q in Kedge's journal of this project: %w", r.id, err).WithHint("see what is wrong: kedge doctor")
	}
	return kept, false, nil
}

// halt lets go of a run whose steps cannot be written: nothing may follow from
// them. The next event from outside reads it again and takes it over; but not
// when somebody else has it, or the journal is closed for good.
func (r *runner) halt(err error) {
	if kedge.Conflict.Is(err) {
		r.lost = err
	}
	r.e.cfg.Log.Error("the run is halted", "run", r.id, "err", err)
	was := r.leaving
	r.leave()
	r.leaving = was
	clear(r.works)
	r.status = nil
	r.have = false
	r.publishFailure(err)
}

// maxReason bounds what an error may say in a run: it stands in every state from
// then on.
const maxReason = 2000

func clip(s string) string { return words.ClipBytes(strings.ToValidUTF8(s, "\uFFFD"), maxReason) }
