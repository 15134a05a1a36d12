package exec

import (
	"context"

	"kedge"
	"kedge/internal/run"
)

func (x *Executor) brief(_ context.Context, c run.Command, _ func(run.Event)) (run.Event, error) {
	return run.Event{}, kedge.Errorf(kedge.Internal, "not carried out yet: %s", c.Kind)
}
