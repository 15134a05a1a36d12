package runs

import (
	"context"

	"kedge"
	"kedge/internal/app/maintenance"
	"kedge/internal/app/projects"

	"kedge/internal/engine/local"
)

// maintenanceWork are the sessions and runs as package maintenance needs them.
type maintenanceWork struct{ s *Runs }

// Living implements maintenance.Work.
func (w maintenanceWork) Living(ctx context.Context, p *projects.Project) ([]kedge.Session, error) {
	return w.s.keeper.Living(ctx, p)
}

// Going implements maintenance.Work.
func (w maintenanceWork) Going(ctx context.Context, p *projects.Project) (kedge.RunID, error) {
	runs, err := p.Store.Runs(ctx)
	for _, d := range runs {
		if st := settled(d.State); !st.Resting() || going(p.Project, &st).Sessions > 0 {
			return st.Run, err
		}
	}
	return "", err
}

// CheckRuns implements maintenance.Work.
func (w maintenanceWork) CheckRuns(ctx context.Context, p *projects.Project) []kedge.Finding {
	return w.s.checkRuns(ctx, p)
}

// CheckAgents implements maintenance.Work.
func (w maintenanceWork) CheckAgents(ctx context.Context, p *projects.Project, env []string) []kedge.Finding {
	return w.s.checkAgents(ctx, p, env)
}

// checkAgents tells the versions of the agents that config.toml names.
func (s *Runs) checkAgents(ctx context.Context, p *projects.Project, env []string) []kedge.Finding {
	if p.Store == nil || len(env) == 0 {
		return nil
	}
	cfg, err := projects.Source{Project: p}.Config(ctx, projects.UserFile(env))
	if err != nil {
		return nil // checkStateFiles tells it
	}
	var out []kedge.Finding
	for _, i := range s.supply.Installed(ctx, cfg, cfg.Uses(), env) {
		out = append(out, i.Finding())
	}
	return out
}

// checkRuns names the runs that are halted because the journal does not take
// their steps. Only whoever drives them knows.
func (s *Runs) checkRuns(_ context.Context, p *projects.Project) []kedge.Finding {
	s.engines.mu.Lock()
	e := s.engines.open[p.ID]
	s.engines.mu.Unlock()
	eng, ok := e.(interface{ Troubles() []local.Trouble })
	if !ok {
		return nil
	}
	var found []kedge.Finding
	for _, t := range eng.Troubles() {
		f := projects.FindingOf(string(t.Run), t.Err)
		f.What = "the run is halted: " + f.What
		found = append(found, f)
	}
	return found
}

// MaintenanceWork are the sessions and runs as package maintenance needs them.
func (s *Runs) MaintenanceWork() maintenance.Work { return maintenanceWork{s} }
