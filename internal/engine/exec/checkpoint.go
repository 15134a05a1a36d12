package exec

import (
	"context"

	"kedge/internal/run"
	"kedge/internal/slot"
)

// checkpoint saves where a job stands, with a copy of its work tree: what is not
// committed outlives the session that wrote it.
func (x *Executor) checkpoint(ctx context.Context, c run.Command, _ func(run.Event)) (run.Event, error) {
	x.live.saves(c)
	at, err := x.standing(ctx, c)
	if err != nil {
		return run.Event{}, err
	}
	id, err := x.cfg.Briefs.Checkpoint(ctx, c, at)
	if err != nil {
		return run.Event{}, err
	}
	if _, err := x.keep(c, func(j *slot.Job) { j.Checkpoint = id }); err != nil {
		return run.Event{}, err
	}
	return answer(c, run.OK), nil
}
