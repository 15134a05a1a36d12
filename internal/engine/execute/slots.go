package execute

import (
	"context"
	"errors"
	"log/slog"

	"kedge/internal/core/run"
	"kedge/internal/git/slot"
)

// job is what is written down of the command's job.
func (x *Executor) job(c run.Command) (slot.Job, error) { return x.cfg.Slots.Job(c.Run, c.Job) }

// keep changes what is written down of the command's job; it is on the disk when
// keep returns, so that an effect can follow.
func (x *Executor) keep(c run.Command, change func(*slot.Job)) (slot.Job, error) {
	return x.cfg.Slots.Keep(c.Run, c.Job, change)
}

// letGo gives back what a command was the last to need: the slot of a job that
// is over, the worktrees of a run that is.
func (x *Executor) letGo(ctx context.Context, c run.Command, ev run.Input) error {
	planned := c.Purpose == run.MakePlan || c.Purpose == run.CheckTip // they end without a ledger
	switch {
	case c.Kind == run.Notify && c.Text == string(run.StatusDone), // one that was stopped goes on in them
		c.Kind == run.Land && c.Actor != "" && ev.Outcome == run.OK: // unless a person takes what there is
		x.tidy(ctx, c)
		return nil
	case c.Job == 0:
		return nil
	case c.Kind == run.Ledger && ev.Outcome == run.OK,
		planned && c.Kind == run.Revert && ev.Outcome == run.OK,
		planned && c.Kind == run.Inspect && (ev.Outcome == run.Clean || ev.Outcome == run.Empty):
		if err := x.cfg.Slots.KeepConflict(c.Run, c.Job, c.Feature, c.Status); err != nil {
			return err
		}
		if err := x.cfg.Repo.DropCopy(ctx, copyID(c)); err != nil { // its work is committed, or set aside whole
			return err
		}
		x.sessions.Forget(c)
		return x.cfg.Slots.Release(ctx, c.Run, c.Job)
	}
	return nil
}

// tidy removes the worktrees that nobody needs any more. One that has to stay
// is no reason to hold anything up: kedge worktree ls shows it.
func (x *Executor) tidy(ctx context.Context, c run.Command) {
	saved, err := x.cfg.Slots.Tidy(ctx, x.request(c, "the run is over"))
	for _, s := range saved {
		err = errors.Join(err, x.salvaged(ctx, s))
	}
	if err != nil {
		x.log().Warn("cannot remove the worktree of a run that is over", "run", string(c.Run), "error", err.Error())
	}
	if _, err := x.cfg.Slots.Landed(ctx, c.Run); err != nil { // no worktree stands on them any more
		x.log().Warn("cannot remove the branch of a run whose work has landed", "run", string(c.Run), "error", err.Error())
	}
	x.Sweep()
}

// Sweep deletes, beside everything else, what worktrees that were taken away
// left on the disk, also before a kill.
func (x *Executor) Sweep() {
	x.sweeps.Go(func() {
		if err := x.cfg.Slots.Sweep(x.here); err != nil && x.here.Err() == nil {
			x.log().Warn("cannot delete the files that are left of removed worktrees", "error", err.Error())
		}
	})
}

// Leave ends what the executor does by itself, outside of commands, and waits
// for it: the next one goes on with it.
func (x *Executor) Leave() {
	x.leave()
	x.sweeps.Wait()
}

// log is where the executor speaks to whoever looks after the machine.
func (x *Executor) log() *slog.Logger {
	if x.cfg.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return x.cfg.Log
}
