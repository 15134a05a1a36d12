package service

import (
	"context"

	"kedge"
	"kedge/internal/run"
	"kedge/internal/watch"
)

func (b runBriefs) planningBrief(_ context.Context, _ run.Command) (string, error) { return "", nil }

func (b runBriefs) heard(_ context.Context, _ run.Command, _ kedge.SessionID, _ watch.Event) error {
	return nil
}
