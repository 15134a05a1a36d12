package follow

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"kedge/internal/core/run"
	"kedge/internal/process/atomicfile"
	"kedge/internal/process/hold"
)

// A session that is held stands still with everything that it started, at once and
// whatever agent it is: no tool call begins. Nothing of its turn is lost, and no reply is
// paid for twice. The mark in its folder outlives the daemon.

// holds tells whether a command is about standing still, and not about something to say.
func holds(c run.Command) bool { return c.Scope == run.Held || c.Scope == run.Going }

// inOrder leaves out what a later command about standing still has overtaken.
func inOrder(said []run.Command) []run.Command {
	last := int64(0)
	for _, c := range said {
		if holds(c) {
			last = max(last, c.Origin())
		}
	}
	return slices.DeleteFunc(said, func(c run.Command) bool { return holds(c) && c.Origin() < last })
}

// hold has the session stand still, or go on. Commands come in any order: the newest one
// counts.
func (s *session) hold(ctx context.Context, c run.Command) {
	s.holding.Lock()
	defer s.holding.Unlock()
	if c.Origin() < s.stand {
		return
	}
	s.stand, s.held = c.Origin(), c.Scope == run.Held
	if c.Scope == run.Going {
		s.goOnLocked(ctx, true)
		return
	}
	s.freezeLocked(ctx)
}

// freezeLocked has the session stand still, and marks that it does.
func (s *session) freezeLocked(ctx context.Context) {
	if err := atomicfile.Write(s.heldMark(), nil, 0o600); err != nil {
		s.cfg.log().Error("cannot record that a session is paused", "session", string(s.id), "error", err.Error())
	}
	s.withHolder(ctx, (*hold.Client).Freeze)
}

// holdAtStart has a session stand still that was to do so before there was a program.
func (s *session) holdAtStart(ctx context.Context) {
	s.holding.Lock()
	defer s.holding.Unlock()
	if s.held {
		s.freezeLocked(ctx)
	}
}

// release lets the session go on, because it is to end.
func (s *session) release(ctx context.Context) {
	s.holding.Lock()
	defer s.holding.Unlock()
	s.goOnLocked(ctx, s.isHeld())
}

// goOnLocked lets the session go on. The mark stays where its holder was not reached: the
// next daemon tries again.
func (s *session) goOnLocked(ctx context.Context, wanted bool) {
	if !wanted || !s.withHolder(ctx, (*hold.Client).Thaw) {
		return
	}
	if err := os.Remove(s.heldMark()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.cfg.log().Error("cannot record that a session is no longer paused", "session", string(s.id), "error", err.Error())
	}
}

// withHolder does something with the holder of the session while it lives, and tells
// whether it did.
func (s *session) withHolder(ctx context.Context, do func(*hold.Client)) bool {
	f, err := s.look(ctx)
	reached := err == nil && f.Client != nil
	if reached {
		do(f.Client)
	}
	closeClient(f.Client)
	return reached
}

func (s *session) heldMark() string { return filepath.Join(s.dir, "held") }

func (s *session) isHeld() bool {
	_, err := os.Stat(s.heldMark())
	return err == nil
}
