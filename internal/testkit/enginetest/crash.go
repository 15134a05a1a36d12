package enginetest

import (
	"context"
	"fmt"

	"kedge/internal/core/config"
	"kedge/internal/core/run"
	"kedge/internal/engine"
)

// small is a run that meets everything a healthy one does.
func small() run.Input {
	ev := begun(first, config.Rules{Parallel: 2}, "a", "b", "c")
	ev.Specs[2].Needs = append(ev.Specs[2].Needs, "a")
	return ev
}

// crashAtEveryWrite: whichever write is the engine's last, and whether or not it
// was kept, the next engine takes the run to the same end.
func crashAtEveryWrite(b *bench) { b.crashes(small(), 1) }

func crashAtSomeWrites(b *bench) { b.crashes(begun(first, config.Rules{}, "a"), 4) }

func (b *bench) crashes(ev run.Input, every int) {
	for n, more := 1, true; more; n += every {
		for _, kept := range []bool{false, true} {
			b.apart(fmt.Sprintf("%d-%v", n, kept), func(c *bench) {
				more = c.dying(ev, n, kept)
				e := c.Open(c.hands())
				c.start(e, ev)
				c.completedOnce(c.untilOver(e))
			})
		}
		if n > 1000 || b.Failed() {
			b.Fatalf("after %d writes", n)
		}
	}
}

// dying runs an engine until it dies or the run is over; then it is gone.
func (b *bench) dying(ev run.Input, n int, kept bool) bool {
	b.Helper()
	h := b.hands()
	ctx, died := context.WithCancel(b.Context())
	defer died()
	e := b.Open(h)
	b.Crash(n, kept, func() { h.die(); died() })
	_ = e.Start(ctx, ev) // it may die of it
	_ = e.Watch(ctx, first, func(s engine.Step) {
		if over(&s.State) {
			died()
		}
	})
	if !h.isDead() {
		b.Leave()
	}
	return h.isDead()
}

// crashAgainAndAgain: an engine that never gets far still gets to the end.
func crashAgainAndAgain(b *bench) {
	b.exits = append(b.exits, run.Input{Outcome: run.Crashed, Reason: "exit 1"})
	crashes := 0
	for i := 0; b.dying(small(), 3+i%4, i%2 == 0); i++ {
		if crashes++; crashes > 300 {
			b.Fatal("the run has no end")
		}
	}
	e := b.Open(b.hands())
	s := b.untilOver(e)
	b.want("status", s.Status, run.StatusDone)
	for _, f := range s.Features {
		b.want("commits of "+string(f.ID), b.count(fmt.Sprintf("%s commit %s ", s.Run, f.ID)), 1)
	}
	if crashes < 5 { // how many there are depends on how much goes into one write
		b.Errorf("only %d crashes", crashes)
	}
}

// crashKeepsSessions: what an agent does goes on, and the next engine finds it.
func crashKeepsSessions(b *bench) {
	b.holds = true
	h := b.hands()
	e := b.Open(h)
	b.start(e, begun(first, config.Rules{Parallel: 2}, "a", "b"))
	b.until(e, first, "at work", func(s *run.State) bool {
		return s.Live(1) && s.Live(2) && s.Spent.Tokens == 200
	})
	b.Crash(1, false, h.die)
	if err := e.Deliver(b.Context(), first, run.Input{Kind: run.PauseAsked, Actor: ann}); err == nil {
		b.Error("a dead engine takes an event")
	}
	b.want("living sessions", b.alive(), 2)
	e = b.Open(b.hands())
	s := b.state(e)
	b.want("paused", s.Halt, run.Halt(""))
	for _, c := range s.Outbox {
		if c.Kind == run.StartSession && c.Adopts == 0 {
			b.Errorf("%d adopts nothing", c.Epoch)
		}
	}
	b.finish()
	b.completedOnce(b.untilOver(e))
}
