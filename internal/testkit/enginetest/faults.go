package enginetest

import (
	"context"
	"strings"
	"sync/atomic"
	"time"

	"kedge"
	"kedge/internal/core/config"
	"kedge/internal/core/run"
)

// usageOnce: a session that is found again says its total again; it is spent
// once.
func usageOnce(b *bench) {
	b.holds = true
	e := b.Open(b.hands())
	b.start(e, begun(first, config.Rules{}, "a"))
	for range 3 {
		b.until(e, first, "metered", func(s *run.State) bool { return s.Spent.Tokens == 100 && s.Live(1) })
		b.Leave()
		e = b.Open(b.hands())
	}
	b.finish()
	s := b.untilOver(e)
	b.completedOnce(s)
	b.want("tokens", s.Spent.Tokens, int64(150))
	b.want("usd", s.Spent.USD, 0.75)
}

// drift: somebody deleted the branch. The run pauses, nothing is reset, and a
// person's word lets it go on.
func drift(b *bench) {
	var n atomic.Int64
	b.script = func(_ context.Context, c run.Command) (run.Input, bool, error) {
		gone := c.Kind == run.Integrate && n.Add(1) == 1
		return run.Input{Outcome: run.Drifted, Reason: "the branch is gone"}, gone, nil
	}
	e := b.Open(b.hands())
	b.start(e, begun(first, config.Rules{}, "a"))
	s := b.until(e, first, "paused", func(s *run.State) bool { return s.Status == run.StatusPaused })
	if !strings.Contains(s.Reason, "the branch is gone") {
		b.Errorf("paused because %q", s.Reason)
	}
	b.Leave() // also across a restart
	e = b.Open(b.hands())
	b.want("status", b.state(e).Status, run.StatusPaused)
	b.want("reverts", b.count("revert"), 0)
	b.want("commits", b.count("commit"), 0)
	b.deliver(e, run.Input{Kind: run.Continued, Actor: ann})
	b.completedOnce(b.until(e, first, "done", func(s *run.State) bool { return over(s) && s.Status == run.StatusDone }))
}

// providerLimit: the run waits and goes on by itself; no attempt is counted and
// no cost twice.
func providerLimit(b *bench) {
	e := b.limited()
	s := b.state(e)
	b.want("attempts", s.Features[0].Attempts, 0)
	b.want("tokens", s.Spent.Tokens, int64(150))
	b.clock.Advance(time.Hour)
	b.goesOn(e)
	b.want("tokens", b.state(e).Spent.Tokens, int64(300))
}

// flaky: the same tree red and then green is looked at once more, and the ledger
// is told.
func flaky(b *bench) {
	var n atomic.Int64
	b.script = func(_ context.Context, c run.Command) (run.Input, bool, error) {
		if c.Kind != run.Gate || c.Tree != "" {
			return run.Input{}, false, nil
		}
		ev := run.Input{Outcome: run.Green, Tree: "the same"}
		if n.Add(1) == 1 {
			ev.Outcome, ev.Failure = run.Red, "TestNow"
		}
		return ev, true, nil
	}
	e := b.Open(b.hands())
	b.start(e, begun(first, config.Rules{}, "a"))
	s := b.untilOver(e)
	b.want("features", b.statuses(s), "a=completed ")
	b.want("gates", n.Load(), int64(3))
	b.want("marked as flaky", b.count("flaky"), 1)
}

// noLogin: an agent that cannot be used is no failure of the feature.
func noLogin(b *bench) {
	b.exits = append(b.exits, run.Input{Outcome: run.NoLogin, Reason: "log in first"})
	e := b.Open(b.hands())
	b.start(e, begun(first, config.Rules{}, "a"))
	s := b.until(e, first, "stopped", func(s *run.State) bool { return s.Halt == run.NoAgent && over(s) })
	b.want("feature", s.Features[0].Status, kedge.Pending)
	b.want("attempts", s.Features[0].Attempts, 0)
	if !strings.Contains(s.Why, "log in first") {
		b.Errorf("stopped because %q", s.Why)
	}
	b.deliver(e, run.Input{Kind: run.Continued, Actor: ann})
	b.goesOn(e)
}
