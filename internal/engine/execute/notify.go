package execute

import (
	"context"

	"kedge/internal/core/run"
)

// notify tells people that the run wants something of them, or is over.
func (x *Executor) notify(ctx context.Context, c run.Command, _ func(run.Input)) (run.Input, error) {
	return c.Reply(run.OK), x.cfg.Briefs.Notify(ctx, c)
}
