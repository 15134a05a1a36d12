package service

import (
	"context"

	"kedge"
	"kedge/internal/store"
)

// localEngine is the engine in this process.
func (s *Service) localEngine(context.Context, kedge.Project, *store.Store) (RunEngine, error) {
	return nil, kedge.Errorf(kedge.Internal, "runs are not wired yet")
}
