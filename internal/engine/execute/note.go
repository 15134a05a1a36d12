package execute

import (
	"context"

	"kedge/internal/core/run"
)

// note saves what a finished feature taught.
func (x *Executor) note(ctx context.Context, c run.Command, _ func(run.Input)) (run.Input, error) {
	at, err := x.standing(ctx, c)
	if err != nil {
		return run.Input{}, err
	}
	return c.Reply(run.OK), x.cfg.Briefs.Note(ctx, c, at)
}
