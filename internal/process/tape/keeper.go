package tape

import (
	"context"
	"sync"
	"time"

	"kedge"
	"kedge/internal/process"
)

// How snapshots are made.
const (
	lookEvery = 2 * time.Second
	apart     = 256 << 10 // of the log, between two snapshots
	flood     = 8 << 20   // of output between two looks: it is left to settle, and has fewer snapshots
	apartMost = 2 << 20   // between two snapshots of a flood
	patience  = 15        // looks that a flood is left alone
	most      = 64 << 20  // that is left alone: whoever attaches must not have to read more
)

// Keeper makes snapshots of sessions that run, so that whoever looks at one need not
// read its whole log. It lags behind the output, holds no screen between two looks, and
// leaves a program alone that prints much at once, but not for long: there is always little
// of the log behind the last snapshot, however much was printed.
type Keeper struct {
	mu   sync.Mutex
	kept map[string]*kept
	wake chan struct{}
}

// kept is a session that snapshots are made of.
type kept struct {
	dir   string
	seen  int64 // length of its log at the last look
	last  int64 // place of the last snapshot
	known bool  // last is what its file says
	waits int   // looks that it was left alone
}

// NewKeeper makes one that keeps nothing yet.
func NewKeeper() *Keeper { return &Keeper{kept: map[string]*kept{}, wake: make(chan struct{}, 1)} }

// Add makes snapshots of the session in dir from now on.
func (k *Keeper) Add(dir string) {
	k.mu.Lock()
	k.kept[dir] = &kept{dir: dir}
	k.mu.Unlock()
	select {
	case k.wake <- struct{}{}:
	default: // it is awake
	}
}

// Remove ends that.
func (k *Keeper) Remove(dir string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.kept, dir)
}

// Run works until ctx ends. An error about one session goes to problem, and the session
// is left alone from then on.
func (k *Keeper) Run(ctx context.Context, problem func(dir string, err error)) {
	process.Behind() // what makes the output comes first
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		tick.Reset(lookEvery)
		for _, s := range k.list() {
			if err := s.look(ctx); err != nil {
				k.Remove(s.dir)
				if !kedge.NotFound.Is(err) {
					problem(s.dir, err)
				}
			}
		}
		next := tick.C
		if len(k.list()) == 0 {
			tick.Stop() // there is nothing to look at
		}
		select {
		case <-ctx.Done():
			return
		case <-next:
		case <-k.wake:
		}
	}
}

func (k *Keeper) list() []*kept {
	k.mu.Lock()
	defer k.mu.Unlock()
	out := make([]*kept, 0, len(k.kept))
	for _, s := range k.kept {
		out = append(out, s)
	}
	return out
}

// look makes the snapshots that are missing.
func (s *kept) look(ctx context.Context) error {
	_, end, err := Open(s.dir).Range()
	if err != nil {
		return err
	}
	grown := end - s.seen
	s.seen = end
	if !s.known {
		if s.last, err = repair(s.dir, end); err != nil {
			return err
		}
		s.known, grown = true, 0
	}
	if grown > flood && s.waits < patience && end-s.last < most {
		s.waits++
		return nil
	}
	s.waits = 0
	if end-s.last < apart {
		return nil
	}
	return s.save(ctx, end)
}

// save feeds the log up to a place, with a snapshot now and then.
func (s *kept) save(ctx context.Context, end int64) error {
	f, err := OpenFeed(s.dir, Anywhere, Anywhere)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // only read
	step := int64(apart)
	if end-f.At() > flood {
		step = apartMost
	}
	for f.At() < end && ctx.Err() == nil {
		before := f.At()
		if err := f.Advance(min(before+step, end)); err != nil {
			return err
		}
		if f.At() == before {
			return nil
		}
		if err := f.Save(s.dir); err != nil {
			return err
		}
		s.last = f.At()
	}
	return nil
}
