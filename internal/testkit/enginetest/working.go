package enginetest

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"kedge"
	"kedge/internal/core/config"
	"kedge/internal/core/run"
	"kedge/internal/engine"
)

// leaveKeepsSessions: a daemon that is stopped leaves agents alone.
func leaveKeepsSessions(b *bench) {
	b.holds = true
	e := b.Open(b.hands())
	b.start(e, begun(first, config.Rules{}, "a"))
	b.until(e, first, "at work", phase(run.Working))
	for range 3 {
		b.Leave()
		b.want("living sessions", b.alive(), 1)
		if err := e.Deliver(b.Context(), first, run.Input{Kind: run.PauseAsked, Actor: ann}); err == nil {
			b.Error("an engine that has left takes an event")
		}
		e = b.Open(b.hands())
		b.until(e, first, "adopted", func(s *run.State) bool {
			return slices.ContainsFunc(s.Outbox, func(c run.Command) bool { return c.Kind == run.StartSession && c.Adopts != 0 })
		})
	}
	b.finish()
	b.completedOnce(b.untilOver(e))
}

// leaveInTheMiddle: whatever is under way is told to leave, and done again.
func leaveInTheMiddle(b *bench) {
	for _, kind := range []run.CommandKind{run.Prepare, run.Gate, run.Integrate, run.Commit, run.Ledger, run.Land} {
		b.apart(string(kind), func(c *bench) { c.leavesIn(kind) })
	}
}

func (b *bench) leavesIn(kind run.CommandKind) {
	under := make(chan struct{})
	var left atomic.Bool
	b.script = func(ctx context.Context, cmd run.Command) (run.Input, bool, error) {
		if cmd.Kind != kind || left.Load() {
			return run.Input{}, false, nil
		}
		close(under)
		<-ctx.Done()
		left.Store(true)
		if !errors.Is(context.Cause(ctx), engine.ErrLeave) {
			b.Errorf("%s ends because %v", cmd.Kind, context.Cause(ctx))
		}
		return run.Input{}, false, engine.ErrLeave
	}
	e := b.Open(b.hands())
	b.start(e, begun(first, config.Rules{}, "a"))
	<-under
	b.Leave()
	b.want("told to leave", left.Load(), true)
	e = b.Open(b.hands())
	b.completedOnce(b.untilOver(e))
}

// withdrawn: what a person makes needless is ended, and over before the job's
// next command begins.
func withdrawn(b *bench) {
	under := make(chan struct{})
	ends, cause := make(chan struct{}), make(chan error, 1)
	b.script = func(ctx context.Context, c run.Command) (run.Input, bool, error) {
		if c.Kind != run.Gate || c.Feature != "a" || c.Tree != "" {
			return run.Input{}, false, nil
		}
		close(under)
		<-ctx.Done()
		cause <- context.Cause(ctx)
		<-ends
		return run.Input{}, false, context.Cause(ctx)
	}
	e := b.Open(b.hands())
	b.start(e, begun(first, config.Rules{}, "a", "b"))
	<-under
	b.deliver(e, run.Input{Kind: run.Skipped, Feature: "a", Actor: ann, Reason: "not now"})
	if err := <-cause; errors.Is(err, engine.ErrLeave) {
		b.Errorf("it ends because %v", err)
	}
	b.until(e, first, "asked to revert", phase(run.Reverting))
	letOthersRun()
	close(ends)
	s := b.untilOver(e)
	b.want("features", b.statuses(s), "a=skipped b=completed ")
	b.want("reverts", b.count("revert"), 1)
	b.want("commits of a", b.count("run-1 commit a "), 0)
}

// letOthersRun gives whoever begins too early the chance to be seen. No right
// engine depends on it.
func letOthersRun() {
	for range 1000 {
		runtime.Gosched()
	}
}

// takenOverAlive: an engine that is told to take over what it has lets go of it
// and finds it again.
func takenOverAlive(b *bench) {
	b.holds = true
	e := b.Open(b.hands())
	b.start(e, begun(first, config.Rules{Parallel: 2}, "a", "b"))
	old := b.until(e, first, "at work", func(s *run.State) bool { return s.Live(1) && s.Live(2) && s.Spent.Tokens == 200 })
	b.deliver(e, run.Input{Kind: run.TakenOver})
	if now := b.state(e); now.Epoch <= old.Epoch {
		b.Errorf("epoch %d after %d", now.Epoch, old.Epoch)
	}
	b.want("living sessions", b.alive(), 2)
	b.finish()
	b.completedOnce(b.untilOver(e))
}

// statusesInOrder: of two statuses the later one is written later, however long
// the first one takes.
func statusesInOrder(b *bench) {
	later := make(chan struct{})
	b.script = func(ctx context.Context, c run.Command) (run.Input, bool, error) {
		if c.Kind == run.Mark {
			select {
			case <-later:
			case <-ctx.Done():
			}
		}
		return run.Input{}, false, nil
	}
	e := b.Open(b.hands())
	b.start(e, begun(first, config.Rules{}, "a"))
	b.until(e, first, "at the ledger", phase(run.Ledgering))
	letOthersRun()
	close(later)
	b.completedOnce(b.untilOver(e))
	b.world.mu.Lock()
	defer b.world.mu.Unlock()
	if slices.Index(b.order, run.Mark) > slices.Index(b.order, run.Ledger) {
		b.Errorf("in the order %v", b.order)
	}
}

// errorsAndPanics: an executor that fails or panics halts the run, with the
// reason; a person's word tries again.
func errorsAndPanics(b *bench) {
	var n atomic.Int64
	b.script = func(_ context.Context, c run.Command) (run.Input, bool, error) {
		if c.Kind == run.Prepare {
			switch n.Add(1) {
			case 1:
				return run.Input{}, false, kedge.Errorf(kedge.Internal, "the disk is full")
			case 2:
				panic("nobody thought of that")
			}
		}
		return run.Input{}, false, nil
	}
	e := b.Open(b.hands())
	b.start(e, begun(first, config.Rules{}, "a"))
	for _, why := range []string{"the disk is full", "nobody thought of that"} {
		s := b.until(e, first, "halted", func(s *run.State) bool { return s.Halt == run.Fault })
		if !strings.Contains(s.Why, why) {
			b.Errorf("halted because %q, want %q", s.Why, why)
		}
		b.deliver(e, run.Input{Kind: run.Continued, Actor: ann})
		b.until(e, first, "going on", func(s *run.State) bool { return !strings.Contains(s.Why, why) })
	}
	b.completedOnce(b.untilOver(e))
}

// wrongAnswers: one that answers something else is a failure, not a success.
func wrongAnswers(b *bench) {
	b.script = func(_ context.Context, c run.Command) (run.Input, bool, error) {
		return run.Input{Kind: run.Gated, Outcome: run.Green}, c.Kind == run.Prepare, nil
	}
	e := b.Open(b.hands())
	b.start(e, begun(first, config.Rules{}, "a"))
	s := b.until(e, first, "halted", func(s *run.State) bool { return s.Halt == run.Fault })
	if !strings.Contains(s.Why, "prepare") || !strings.Contains(s.Why, "gated") {
		b.Errorf("halted because %q", s.Why)
	}
}

// journalRefuses: nothing follows from a step that is not kept. The run says so,
// and goes on when somebody asks for it once the journal takes steps again.
func journalRefuses(b *bench) {
	b.holds = true
	e := b.Open(b.hands())
	b.start(e, begun(first, config.Rules{}, "a", "b"))
	b.until(e, first, "at work", func(s *run.State) bool { return s.Spent.Tokens == 100 })
	b.Refuse(errors.New("no space left"))
	for range 2 {
		if err := e.Deliver(b.Context(), first, run.Input{Kind: run.Skipped, Feature: "b", Actor: ann}); err == nil {
			b.Error("an event is taken that is not kept")
		}
	}
	s := b.until(e, first, "halted", func(s *run.State) bool { return s.Halt == run.Fault })
	if s.Status != run.StatusStopped || !strings.Contains(s.Reason, "no space left") {
		b.Errorf("%s: %q", s.Status, s.Reason)
	}
	b.want("living sessions", b.alive(), 1)
	b.want("statuses of b", b.count("mark skipped"), 0)
	b.Refuse(nil)
	b.deliver(e, run.Input{Kind: run.Continued, Actor: ann})
	b.want("halt", b.state(e).Halt, run.Halt(""))
	b.finish()
	b.completedOnce(b.untilOver(e))
}

func parallelRuns(b *bench) {
	e := b.Open(b.hands())
	ids := []kedge.RunID{"run-1", "run-2", "run-3", "run-4"}
	for i, id := range ids {
		b.start(e, begun(id, config.Rules{Parallel: 1 + i%2}, "a", "b", "c"))
	}
	for _, id := range ids {
		b.completedOnce(b.until(e, id, "over", over))
	}
}

func manyFeatures(b *bench) {
	var names []string
	for i := range 300 {
		names = append(names, "f"+string(rune('a'+i/26))+string(rune('a'+i%26)))
	}
	e := b.Open(b.hands())
	b.start(e, begun(first, config.Rules{Parallel: 4}, names...))
	b.completedOnce(b.untilOver(e))
	b.want("work commits", b.count("commit"), 300)
}
