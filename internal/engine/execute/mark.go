package execute

import (
	"cmp"
	"context"

	"kedge"
	"kedge/internal/core/run"
)

// mark journals a status. A definition that was replaced meanwhile has a status
// of its own, which is not this command's to change.
func (x *Executor) mark(ctx context.Context, c run.Command, _ func(run.Input)) (run.Input, error) {
	if _, err := x.cfg.Ledger.Feature(ctx, c.Feature, c.Hash); kedge.Conflict.Is(err) {
		return c.Reply(run.OK), nil
	} else if err != nil {
		return run.Input{}, err
	}
	data := kedge.FeatureStatusData{ID: c.Feature, Status: c.Status, Reason: c.Reason}
	if c.Scope == run.Wanted {
		data.Wanted = &c.Text
	}
	err := x.cfg.Ledger.Mark(ctx, key(c, "mark"), cmp.Or(c.Actor, kedge.ActorDaemon), data)
	return c.Reply(run.OK), err
}
