package exec

import (
	"context"

	"kedge"
	"kedge/internal/run"
)

func (x *Executor) startSession(_ context.Context, c run.Command, _ func(run.Event)) (run.Event, error) {
	return run.Event{}, kedge.Errorf(kedge.Internal, "not carried out yet: %s", c.Kind)
}

func (x *Executor) nextTurn(_ context.Context, c run.Command, _ func(run.Event)) (run.Event, error) {
	return run.Event{}, kedge.Errorf(kedge.Internal, "not carried out yet: %s", c.Kind)
}

func (x *Executor) tell(_ context.Context, c run.Command, _ func(run.Event)) (run.Event, error) {
	return run.Event{}, kedge.Errorf(kedge.Internal, "not carried out yet: %s", c.Kind)
}

func (x *Executor) endSession(_ context.Context, c run.Command, _ func(run.Event)) (run.Event, error) {
	return run.Event{}, kedge.Errorf(kedge.Internal, "not carried out yet: %s", c.Kind)
}
