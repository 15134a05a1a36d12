package enginetest

import (
	"context"

	"kedge/internal/core/config"
	"kedge/internal/core/run"
	"kedge/internal/engine"
)

// cancel: when it returns nothing of the run lives, and it stays so.
func cancel(b *bench) {
	b.holds = true
	e := b.Open(b.hands())
	b.start(e, begun(first, config.Rules{Parallel: 2}, "a", "b", "c"))
	b.until(e, first, "at work", func(s *run.State) bool { return s.Live(1) && s.Live(2) })
	if err := e.Cancel(b.Context(), first, ann); err != nil {
		b.Fatal(err)
	}
	b.want("living sessions", b.alive(), 0)
	s := b.state(e)
	b.want("status", s.Status, run.StatusStopped)
	b.want("over", over(&s), true)
	b.want("sessions", b.count("run-1 session a")+b.count("run-1 session b")+b.count("run-1 session c"), 2)
	if err := e.Cancel(b.Context(), first, ann); err != nil {
		b.Errorf("a second time: %v", err)
	}
	b.Leave()
	e = b.Open(b.hands())
	b.want("status", b.state(e).Status, run.StatusStopped)
	b.finish()
	b.deliver(e, run.Input{Kind: run.Continued, Actor: ann})
	s = b.until(e, first, "done", func(s *run.State) bool { return over(s) && s.Status == run.StatusDone })
	b.want("features", b.statuses(s), "a=completed b=completed c=completed ")
}

// watch: first the present, then what happens, the newest last.
func watch(b *bench) {
	b.holds = true
	e := b.Open(b.hands())
	b.start(e, begun(first, config.Rules{}, "a"))
	working := b.until(e, first, "at work", func(s *run.State) bool { return s.Spent.Tokens == 100 })
	var steps []engine.Step
	ctx, stop := context.WithTimeout(b.Context(), patience)
	defer stop()
	err := e.Watch(ctx, first, func(s engine.Step) {
		if len(steps) == 0 {
			b.finish()
		}
		steps = append(steps, s)
		if over(&s.State) {
			stop()
		}
	})
	if err != nil {
		b.Fatal(err)
	}
	b.want("the first has the epoch", steps[0].State.Epoch, working.Epoch)
	for i := 1; i < len(steps); i++ {
		if steps[i].State.Epoch < steps[i-1].State.Epoch {
			b.Errorf("step %d goes back from epoch %d to %d", i, steps[i-1].State.Epoch, steps[i].State.Epoch)
		}
	}
	seen := map[run.InputKind]bool{}
	for _, s := range steps {
		seen[s.Event.Kind] = true
	}
	if !seen[run.Exited] || !seen[run.Committed] {
		b.Errorf("steps are missing: %v", seen)
	}
	b.completedOnce(steps[len(steps)-1].State)
}

// slowWatcher: one who does not look holds nobody up, and then sees the newest.
func slowWatcher(b *bench) {
	e := b.Open(b.hands())
	b.start(e, begun(first, config.Rules{}, "a"))
	ctx, stop := context.WithTimeout(b.Context(), patience)
	defer stop()
	looks, blocked, ended := make(chan struct{}), make(chan struct{}, 1), make(chan error, 1)
	var last run.State
	go func() {
		ended <- e.Watch(ctx, first, func(s engine.Step) {
			select {
			case blocked <- struct{}{}:
			default:
			}
			<-looks
			last = s.State
			if len(last.Features) == 5 && over(&last) {
				stop()
			}
		})
	}()
	<-blocked
	var more []run.Spec
	for _, id := range []string{"b", "c", "d", "e"} {
		more = append(more, begun(first, config.Rules{}, id).Specs...)
	}
	b.deliver(e, run.Input{Kind: run.Planned, Specs: more})
	b.completedOnce(b.until(e, first, "over", func(s *run.State) bool { return len(s.Features) == 5 && over(s) }))
	close(looks)
	if err := <-ended; err != nil {
		b.Fatal(err)
	}
	b.completedOnce(last)
}
