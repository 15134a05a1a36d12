package execute

import (
	"context"

	"kedge"
	"kedge/internal/core/run"
	"kedge/internal/git/slot"
)

// revert sets aside what is in the job's slot and puts it back to its base.
func (x *Executor) revert(ctx context.Context, c run.Command, _ func(run.Input)) (run.Input, error) {
	j, err := x.job(c)
	if err != nil {
		return run.Input{}, err
	}
	if j.Parked == nil && !x.cfg.Slots.Begun(j) {
		return c.Reply(run.OK), nil // it never had a worktree
	}
	if err := x.lastHandoff(ctx, c, j); err != nil {
		if leaving(ctx, err) {
			return run.Input{}, err
		}
		x.log().Error("cannot save how a failed attempt ended", "run", string(c.Run), "feature", string(c.Feature), "error", err.Error())
	}
	if _, err := x.evict(ctx, c, ""); err != nil {
		return run.Input{}, err
	}
	reason := c.Reason
	if c.Feature != "" {
		reason = string(c.Feature) + ": " + reason
	}
	c.Carry = ""
	q := x.request(c, reason)
	q.Saved = func(ctx context.Context, s kedge.Salvage) error { // done again, there is nothing left to set aside
		if _, err := x.keep(c, func(j *slot.Job) { j.Salvage = s.ID }); err != nil {
			return err
		}
		return x.salvaged(ctx, s)
	}
	saved, err := x.setAside(ctx, j, q)
	if err != nil {
		return badPlace(c, err)
	}
	ev := c.Reply(run.OK)
	if ev.Text = string(j.Salvage); saved.Ref != "" {
		ev.Text = string(saved.ID) // which somebody may want back
	}
	return ev, x.salvaged(ctx, saved)
}

// setAside sets aside what the worktree of a job holds, or held when the job gave it up.
func (x *Executor) setAside(ctx context.Context, j slot.Job, q slot.Request) (kedge.Salvage, error) {
	if j.Parked != nil {
		return x.cfg.Slots.SetParkedAside(ctx, q)
	}
	ready, err := x.cfg.Slots.Put(ctx, q)
	return ready.Salvage, err
}

// lastHandoff saves what the failed attempt came to, before its work is set aside: the
// worktree does not tell it any more then. Done again, the first one stands.
func (x *Executor) lastHandoff(ctx context.Context, c run.Command, j slot.Job) error {
	if j.Session == "" || c.Purpose == run.CheckTip {
		return nil
	}
	at, err := x.standing(ctx, c)
	if err != nil {
		return err
	}
	return x.handoff(ctx, c, at)
}
