package enginetest

import (
	"slices"
	"sync"
	"testing"
	"time"
)

// Clock is a clock that goes only when a test says so. The calendar can be set;
// timers do not care.
type Clock struct {
	mu      sync.Mutex
	wall    time.Time
	gone    time.Duration // since the beginning
	timers  []*timer
	changed chan struct{}
}

type timer struct {
	at    time.Duration
	fires chan time.Time
}

// NewClock makes a clock.
func NewClock() *Clock {
	return &Clock{wall: time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC), changed: make(chan struct{})}
}

// Now is the calendar's time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.wall
}

// After is a timer.
func (c *Clock) After(d time.Duration) (<-chan time.Time, func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &timer{at: c.gone + d, fires: make(chan time.Time, 1)}
	c.timers = append(c.timers, t)
	c.fire()
	return t.fires, func() { c.stop(t) }
}

func (c *Clock) stop(t *timer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.timers = slices.DeleteFunc(c.timers, func(o *timer) bool { return o == t })
	c.signal()
}

// Set sets the calendar, as a person or a time server does.
func (c *Clock) Set(to time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wall = to
}

// Advance lets time pass.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wall, c.gone = c.wall.Add(d), c.gone+d
	c.fire()
}

func (c *Clock) fire() {
	c.timers = slices.DeleteFunc(c.timers, func(t *timer) bool {
		if t.at > c.gone {
			return false
		}
		t.fires <- c.wall
		return true
	})
	c.signal()
}

func (c *Clock) signal() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// left waits until there is exactly one timer, and gives how long it still
// waits.
func (c *Clock) left(t *testing.T) time.Duration {
	t.Helper()
	for {
		c.mu.Lock()
		n, changed, gone := len(c.timers), c.changed, c.gone
		if n == 1 {
			at := c.timers[0].at
			c.mu.Unlock()
			return at - gone
		}
		c.mu.Unlock()
		select {
		case <-changed:
		case <-t.Context().Done():
			t.Fatalf("%d timers", n)
		}
	}
}
