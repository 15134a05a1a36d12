package service

import (
	"context"

	"kedge"
	"kedge/internal/care"
	"kedge/internal/engine/local"
)

// workForCare are the sessions and runs as package care needs them.
type workForCare struct{ s *Service }

// Living implements care.Work.
func (w workForCare) Living(ctx context.Context, p *project) ([]kedge.Session, error) {
	return w.s.Keeper.Living(ctx, p)
}

// CheckRuns implements care.Work.
func (w workForCare) CheckRuns(ctx context.Context, p *project) []kedge.Finding {
	return w.s.checkRuns(ctx, p)
}

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
		f := care.FindingOf(string(t.Run), t.Err)
		f.What = "the run is halted: " + f.What
		found = append(found, f)
	}
	return found
}
