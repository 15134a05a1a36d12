package local_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"

	"kedge"
	"kedge/internal/engine"
	"kedge/internal/engine/local"
	"kedge/internal/journal"
	"kedge/internal/testkit/enginetest"
)

// harness opens local engines over one journal.
type harness struct {
	t       *testing.T
	clock   *enginetest.Clock
	journal local.Journal
	engine  *local.Local
	cut     *cut
}

// onStore is the journal that the product uses.
func onStore(t *testing.T, clock *enginetest.Clock) enginetest.Harness {
	return newHarness(t, clock, openStore(t, clock))
}

func openStore(t *testing.T, clock *enginetest.Clock) *journal.Store {
	t.Helper()
	s, err := journal.Open(t.TempDir(), journal.Options{Now: clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func newHarness(t *testing.T, clock *enginetest.Clock, journal local.Journal) *harness {
	return &harness{t: t, clock: clock, journal: journal}
}

func (h *harness) Open(ex engine.Executor) engine.Engine {
	h.t.Helper()
	h.cut = &cut{Journal: h.journal}
	e := local.New(local.Config{
		Project: "prj-1", Store: h.cut, Executor: ex, Now: h.clock.Now, After: h.clock.After,
		Log: slog.New(slog.DiscardHandler),
	})
	h.t.Cleanup(e.Leave)
	if err := e.Open(h.t.Context()); err != nil {
		h.t.Fatal(err)
	}
	h.engine = e
	return e
}

func (h *harness) Leave() { h.engine.Leave() }

func (h *harness) Refuse(with error) { h.cut.refuse(with) }

func (h *harness) Crash(n int, kept bool, died func()) { h.cut.arm(n, kept, died) }

// cut is a journal at which an engine dies. What comes after is neither written
// nor acknowledged.
type cut struct {
	local.Journal

	mu   sync.Mutex
	left int // writes until the last; 0: no end is near
	kept bool
	died func()
	dead bool
	with error // what every write is refused with
}

var errKilled = errors.New("killed")

func (c *cut) arm(n int, kept bool, died func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.left, c.kept, c.died = n, kept, died
}

func (c *cut) refuse(with error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.with = with
}

// lasts counts a write: is it the last one, or is it refused.
func (c *cut) lasts() (last bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.dead:
		return false, errKilled
	case c.with != nil:
		return false, c.with
	case c.left > 0:
		c.left--
		c.dead = c.left == 0
	}
	return c.dead, nil
}

func (c *cut) Append(ctx context.Context, key string, evs ...kedge.Event) ([]kedge.Event, bool, error) {
	last, err := c.lasts()
	switch {
	case err != nil:
		return nil, false, err
	case last:
		if c.kept {
			_, _, _ = c.Journal.Append(ctx, key, evs...)
		}
		c.died()
		return nil, false, errKilled
	default:
		return c.Journal.Append(ctx, key, evs...)
	}
}
