package exec

import (
	"context"

	"kedge/internal/gitx"
	"kedge/internal/run"
	"kedge/internal/slot"
)

// job is what is written down of the command's job.
func (x *Executor) job(c run.Command) (slot.Job, error) { return x.cfg.Slots.Job(c.Run, c.Job) }

// keep changes what is written down of the command's job; it is on the disk when
// keep returns, so that an effect can follow.
func (x *Executor) keep(c run.Command, change func(*slot.Job)) (slot.Job, error) {
	return x.cfg.Slots.Keep(c.Run, c.Job, change)
}

// work is the work tree of the command's job: the one that its agent writes.
// NotFound when it has none.
func (x *Executor) work(ctx context.Context, c run.Command) (*gitx.Repo, error) {
	j, err := x.job(c)
	if err != nil {
		return nil, err
	}
	return x.cfg.Slots.Open(ctx, j)
}

// letGo gives a job's slot back when the job is over.
func (x *Executor) letGo(ctx context.Context, c run.Command, ev run.Event) error {
	over := c.Kind == run.Ledger && ev.Outcome == run.OK && c.Job != 0 ||
		c.Purpose == run.MakePlan && c.Kind == run.Revert && ev.Outcome == run.OK ||
		c.Purpose == run.MakePlan && c.Kind == run.Inspect && (ev.Outcome == run.Clean || ev.Outcome == run.Empty)
	if !over {
		return nil
	}
	return x.cfg.Slots.Release(ctx, c.Run, c.Job)
}
