package enginetest

import (
	"time"

	"kedge/internal/core/config"
	"kedge/internal/core/run"
	"kedge/internal/engine"
)

// limited has a run wait for a provider's limit of an hour.
func (b *bench) limited() engine.Engine {
	b.Helper()
	b.exits = append(b.exits, run.Input{Outcome: run.HitLimit, Until: b.clock.Now().Add(time.Hour)})
	e := b.Open(b.hands())
	b.start(e, begun(first, config.Rules{}, "a"))
	s := b.until(e, first, "waiting", func(s *run.State) bool { return s.Status == run.StatusQuota })
	b.want("phase", s.Jobs[0].Phase, run.Limited)
	b.want("wait", b.clock.left(b.T), time.Hour)
	return e
}

func (b *bench) goesOn(e engine.Engine) {
	b.Helper()
	s := b.untilOver(e)
	b.want("status", s.Status, run.StatusDone)
	b.want("features", b.statuses(s), "a=completed ")
	b.want("sessions", b.count("run-1 session a"), 2)
}

// timerAcrossARestart: what is left of a wait is what is left of it.
func timerAcrossARestart(b *bench) {
	b.limited()
	for _, left := range []time.Duration{40 * time.Minute, 20 * time.Minute} {
		b.Leave()
		b.clock.Advance(20 * time.Minute) // while nobody is there
		b.Open(b.hands())
		b.want("wait", b.clock.left(b.T), left)
	}
	b.Leave()
	h := b.hands()
	e := b.Open(h)
	b.Crash(1, true, h.die)
	if err := e.Deliver(b.Context(), first, run.Input{Kind: run.Said, Feature: "a", Actor: ann, Text: "die"}); err == nil {
		b.Error("a dead engine takes an event")
	}
	b.clock.Advance(5 * time.Minute)
	e = b.Open(b.hands())
	b.want("wait", b.clock.left(b.T), 15*time.Minute)
	b.clock.Advance(15 * time.Minute)
	b.goesOn(e)
}

// timerAndTheCalendar: a calendar that is set moves no timer; across a restart
// it can shorten a wait, but never make it longer than it was.
func timerAndTheCalendar(b *bench) {
	const day = 24 * time.Hour
	for _, jump := range []time.Duration{-day, day} {
		b.apart("alive"+jump.String(), func(c *bench) {
			e := c.limited()
			c.clock.Set(c.clock.Now().Add(jump))
			c.want("wait", c.clock.left(c.T), time.Hour)
			c.clock.Advance(time.Hour)
			c.goesOn(e)
		})
		b.apart("restarted"+jump.String(), func(c *bench) {
			c.limited()
			c.Leave()
			c.clock.Set(c.clock.Now().Add(jump))
			e := c.Open(c.hands())
			if jump < 0 {
				c.want("wait", c.clock.left(c.T), time.Hour)
				c.clock.Advance(time.Hour)
			}
			c.goesOn(e)
		})
	}
}
