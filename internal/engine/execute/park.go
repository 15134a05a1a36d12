package execute

import (
	"context"

	"kedge"
	"kedge/internal/core/run"
)

// park frees the worktree of a job that waits, because another one needs a worktree. What it
// holds is kept.
func (x *Executor) park(ctx context.Context, c run.Command, _ func(run.Input)) (run.Input, error) {
	if _, err := x.evict(ctx, c, ""); err != nil {
		return run.Input{}, err
	}
	if err := x.cfg.Slots.Park(ctx, c.Run, c.Job, c.At, "work on "+nameOf(c)+", which waits without a worktree"); err != nil {
		return badPlace(c, err)
	}
	return c.Reply(run.OK), nil
}

// unpark gives the job of a command a worktree again if the command needs one and the job gave its
// own up.
func (x *Executor) unpark(ctx context.Context, c run.Command) error {
	switch c.Kind {
	case run.Gate, run.Prove, run.Brief, run.StartSession, run.Inspect:
	case run.Checkpoint:
		if c.Commit != "" {
			return nil
		}
	default:
		return nil
	}
	ready, err := x.cfg.Slots.Unpark(ctx, x.request(c, "the worktree was needed for other work"))
	if err != nil || ready.Tree == nil {
		return err
	}
	c.Base = ready.Job.Base
	_, reason, err := x.equip(ctx, c, ready.Tree, ready.Whole)
	if err == nil && reason != "" {
		err = kedge.Errorf(kedge.Blocked, "Kedge cannot make the worktree for %s again: %s", nameOf(c), reason)
	}
	if err != nil {
		return err
	}
	return x.cfg.Slots.HasWorktree(ctx, ready.Job)
}

// nameOf is what a command is about.
func nameOf(c run.Command) string {
	if c.Feature == "" {
		return "the step \"" + string(c.Purpose) + "\" of the run"
	}
	return "feature \"" + string(c.Feature) + "\""
}
