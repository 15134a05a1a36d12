package drive

import (
	"context"

	"kedge"
	"kedge/internal/care"
	"kedge/internal/engine/local"
	"kedge/internal/project"
)

// workForCare are the sessions and runs as package care needs them.
type workForCare struct{ s *Driver }

// Living implements care.Work.
func (w workForCare) Living(ctx context.Context, p *project.Project) ([]kedge.Session, error) {
	return w.s.keeper.Living(ctx, p)
}

// CheckRuns implements care.Work.
func (w workForCare) CheckRuns(ctx context.Context, p *project.Project) []kedge.Finding {
	return w.s.checkRuns(ctx, p)
}

// checkRuns names the runs that are halted because the journal does not take
// their steps. Only whoever drives them knows.
func (s *Driver) checkRuns(_ context.Context, p *project.Project) []kedge.Finding {
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

// ForCare are the sessions and runs as package care needs them.
func (s *Driver) ForCare() care.Work { return workForCare{s} }
