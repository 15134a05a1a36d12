package execute

import (
	"context"

	"kedge"
	"kedge/internal/core/run"
)

// refuseUntrusted is the answer of a session that may not be started where its job
// works; nil when it may, or was.
func (x *Executor) refuseUntrusted(ctx context.Context, c run.Command) (*run.Input, error) {
	j, err := x.job(c)
	if err != nil || j.Epoch == c.Origin() && j.Session != "" {
		return nil, err
	}
	repo, err := x.cfg.Slots.Open(ctx, j)
	if err != nil {
		return nil, err
	}
	err = x.cfg.Approvals.Trusted(ctx, c, repo.Root(), j.Session)
	if !kedge.Blocked.Is(err) {
		return nil, err
	}
	ev := c.Reply(run.Unapproved)
	ev.Reason = why(err)
	return &ev, nil
}
