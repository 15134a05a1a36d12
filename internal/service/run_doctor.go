package service

import (
	"context"

	"kedge"
	"kedge/internal/engine/local"
)

// checkRuns names the runs that are halted because the journal does not take
// their steps. Only whoever drives them knows.
func (s *Service) checkRuns(_ context.Context, p *project) []kedge.Finding {
	s.engines.mu.Lock()
	e := s.engines.open[p.ID]
	s.engines.mu.Unlock()
	driver, ok := e.(interface{ Troubles() []local.Trouble })
	if !ok {
		return nil
	}
	var found []kedge.Finding
	for _, t := range driver.Troubles() {
		f := finding(string(t.Run), t.Err)
		f.What = "the run is halted: " + f.What
		found = append(found, f)
	}
	return found
}
