package runs

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	"kedge/internal/app/reports"
	"kedge/internal/core/delta"
	"kedge/internal/core/run"
	"kedge/internal/engine"
	"kedge/internal/engine/gate"
)

// RunWatchRequest asks for everything that happens in a run until it rests.
// After is the number of the last step that the caller knows.
type RunWatchRequest struct {
	Run   kedge.RunID `json:"run,omitempty"` // empty: the newest
	After int64       `json:"after,omitempty"`
	Env   []string    `json:"env,omitempty"` // of a person: the run's, where a new daemon does not know it
}

// RunLine is one line that a watcher is told: a step, or the run as it is now.
type RunLine struct {
	Type string           `json:"type"` // step or run
	Step *reports.RunStep `json:"step,omitempty"`
	Run  *RunView         `json:"run,omitempty"`
}

// RunShow gives the newest run as it is now, also without a daemon.
func (s *Runs) RunShow(ctx context.Context, who projects.Caller, _ RunRequest) (RunReply, error) {
	p, err := s.home.Open(ctx, who)
	if err != nil {
		return RunReply{}, err
	}
	doc, err := ledger.FindRun(ctx, p, "")
	if err != nil {
		return RunReply{}, err
	}
	v, err := s.View(ctx, p, doc.State)
	return RunReply{Run: v, Attached: true, Steps: doc.Steps, Notes: []string{}}, err
}

// RunWatch tells of every step of a run until the run rests, and gives it then.
// A watcher that comes back after the daemon died says which step it saw last,
// and misses none.
func (s *Runs) RunWatch(ctx context.Context, who projects.Caller, in RunWatchRequest) (RunReply, error) {
	p, err := s.home.Open(ctx, who)
	if err != nil {
		return RunReply{}, err
	}
	eng, err := s.Engine(ctx, p)
	if err != nil {
		return RunReply{}, err
	}
	ctx, done := s.life.UntilLeft(ctx)
	defer done()
	w := &runWatch{s: s, p: p, eng: eng, who: who, id: in.Run, asked: map[int64]run.Command{}}
	if err = w.begin(ctx, in.After); err == nil && !who.IsAgent() {
		s.keepFirstEnv(w.id, in.Env)
	}
	if err == nil {
		err = w.untilRest(ctx)
	}
	if errors.Is(context.Cause(ctx), gate.ErrLeft) {
		return RunReply{}, kedge.Errorf(kedge.Interrupted, "Kedge's background process (the daemon) was stopped; nothing is lost, and the run continues when the daemon runs again").WithHint("start the daemon and watch the run: kedge run")
	}
	if err != nil {
		return RunReply{}, err
	}
	reply, err := s.Show(ctx, p, eng, w.id, nil)
	if err != nil {
		return reply, err
	}
	if reply.Run, err = s.withLeft(ctx, p, reply.Run); err != nil {
		return reply, err
	}
	sum, err := reports.Summarise(ctx, p, w.id)
	reply.Steps, reply.Summary = w.after, &sum
	return reply, err
}

// runWatch follows one run in the journal, woken by its engine.
type runWatch struct {
	s     *Runs
	p     *projects.Project
	eng   RunEngine
	who   projects.Caller
	id    kedge.RunID
	seq   int64                 // of the journal, read so far
	after int64                 // the last step that was told
	asked map[int64]run.Command // what is outstanding, to tell what an answer is about
}

// begin finds the place in the journal behind the last step that the caller
// knows. The journal's end is read before the run: no step is between them.
func (w *runWatch) begin(ctx context.Context, after int64) error {
	last, err := w.p.Store.Last(ctx)
	if err != nil {
		return err
	}
	doc, err := ledger.FindRun(ctx, w.p, w.id)
	if err != nil {
		return err
	}
	w.id, w.seq, w.after = doc.State.Run, last, doc.Steps
	for _, c := range doc.State.Outbox {
		w.asked[c.Epoch] = c
	}
	if after < doc.Steps {
		w.after = after
		w.seq, err = w.placeOf(ctx, after)
	}
	return err
}

// placeOf is a sequence number of the journal behind which are all steps after n.
func (w *runWatch) placeOf(ctx context.Context, n int64) (int64, error) {
	for ev, err := range w.p.Store.Backwards(ctx) {
		if err != nil {
			return 0, err
		}
		var d struct {
			Run kedge.RunID `json:"run"`
			N   int64       `json:"n"`
		}
		if ev.Type != kedge.RunStepped || json.Unmarshal(ev.Data, &d) != nil || d.Run != w.id {
			continue
		}
		if d.N <= n+1 {
			return ev.Seq - 1, nil
		}
	}
	return 0, nil
}

// landed waits until nothing of the run waits to be landed, and what is cleared up
// after that is.
func landed(ctx context.Context, eng RunEngine, id kedge.RunID) (st run.State, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	over := false
	err = eng.Watch(ctx, id, func(step engine.Step) {
		accepting := slices.ContainsFunc(step.State.Jobs, func(j run.Job) bool { return j.Kind == run.Accept && !j.Phase.Parked() }) // the ledger first
		if !over && !step.State.Verifying() && !accepting && !slices.ContainsFunc(step.State.Outbox, func(c run.Command) bool { return c.Kind == run.Land || c.Kind == run.Notify }) {
			st, over = step.State, true
			stop()
		}
	})
	if over {
		return st, nil
	}
	return st, err
}

// untilRest tells of steps until the run does nothing by itself any more.
func (w *runWatch) untilRest(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	woken, ended := make(chan struct{}, 1), make(chan error, 1)
	go func() {
		ended <- w.eng.Watch(ctx, w.id, func(engine.Step) {
			select {
			case woken <- struct{}{}:
			default:
			}
		})
	}()
	for {
		rests, err := w.tell(ctx)
		if err != nil || rests {
			return err
		}
		select {
		case <-woken:
		case err := <-ended:
			if err == nil {
				err = ctx.Err()
			}
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// tell reads on in the journal and says what the run is like after it.
func (w *runWatch) tell(ctx context.Context) (rests bool, err error) {
	if err := w.steps(ctx); err != nil {
		return false, err
	}
	st, err := w.eng.State(ctx, w.id)
	if err != nil {
		return false, err
	}
	v, err := w.s.View(ctx, w.p, st)
	if err != nil {
		return false, err
	}
	w.who.Tell(RunLine{Type: "run", Run: &v})
	return v.Resting, nil
}

// steps tells of the steps that the journal has behind those that were told.
func (w *runWatch) steps(ctx context.Context) error {
	for ev, err := range w.p.Store.Since(ctx, w.seq) {
		if err != nil {
			return err
		}
		w.seq = ev.Seq
		if ev.Type != kedge.RunStepped {
			continue
		}
		var d delta.Stepped
		if err := json.Unmarshal(ev.Data, &d); err != nil {
			return kedge.Errorf(kedge.Internal, "cannot read event %d in Kedge's journal of this project: %w", ev.Seq, err).WithHint("see what is wrong: kedge doctor")
		}
		if d.Run == w.id && d.N > w.after {
			w.after = d.N
			step := reports.StepOf(d, w.asked)
			w.who.Tell(RunLine{Type: "step", Step: &step})
		}
	}
	return nil
}
