package runs

import (
	"context"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/app/maintenance"
	"kedge/internal/app/projects"
	"kedge/internal/app/sessions"

	"kedge/internal/core/config"
	"kedge/internal/engine/local"
)

// workForCare are the sessions and runs as package maintenance needs them.
type workForCare struct{ s *Driver }

// Living implements maintenance.Work.
func (w workForCare) Living(ctx context.Context, p *projects.Project) ([]kedge.Session, error) {
	return w.s.keeper.Living(ctx, p)
}

// Going implements maintenance.Work.
func (w workForCare) Going(ctx context.Context, p *projects.Project) (kedge.RunID, error) {
	runs, err := p.Store.Runs(ctx)
	for _, d := range runs {
		if st := settled(d.State); !st.Resting() || going(p.Project, &st).Sessions > 0 {
			return st.Run, err
		}
	}
	return "", err
}

// CheckRuns implements maintenance.Work.
func (w workForCare) CheckRuns(ctx context.Context, p *projects.Project) []kedge.Finding {
	return w.s.checkRuns(ctx, p)
}

// CheckAgents implements maintenance.Work.
func (w workForCare) CheckAgents(ctx context.Context, p *projects.Project, env []string) []kedge.Finding {
	return w.s.checkAgents(ctx, p, env)
}

// checkAgents tells the versions of the agents that config.toml names.
func (s *Driver) checkAgents(ctx context.Context, p *projects.Project, env []string) []kedge.Finding {
	if p.Store == nil || len(env) == 0 {
		return nil
	}
	cfg, err := projects.Source{Project: p}.Config(ctx, projects.UserFile(env))
	if err != nil {
		return nil // checkStateFiles tells it
	}
	var out []kedge.Finding
	for _, i := range s.installed(ctx, cfg, cfg.Uses(), env) {
		out = append(out, i.Finding())
	}
	return out
}

// installed are the programs behind routes, each once.
func (s *Driver) installed(ctx context.Context, cfg config.Config, uses []config.Use, env []string) []sessions.Installed {
	var out []sessions.Installed
	for _, use := range uses {
		name, _, _ := strings.Cut(use.Route, ":")
		if slices.ContainsFunc(out, func(i sessions.Installed) bool { return i.Name == name }) {
			continue
		}
		if i, ok := s.keeper.Installed(ctx, cfg, use.Route, env); ok {
			out = append(out, i)
		}
	}
	return out
}

// checkRuns names the runs that are halted because the journal does not take
// their steps. Only whoever drives them knows.
func (s *Driver) checkRuns(_ context.Context, p *projects.Project) []kedge.Finding {
	s.engines.mu.Lock()
	e := s.engines.open[p.ID]
	s.engines.mu.Unlock()
	driver, ok := e.(interface{ Troubles() []local.Trouble })
	if !ok {
		return nil
	}
	var found []kedge.Finding
	for _, t := range driver.Troubles() {
		f := maintenance.FindingOf(string(t.Run), t.Err)
		f.What = "the run is halted: " + f.What
		found = append(found, f)
	}
	return found
}

// ForCare are the sessions and runs as package maintenance needs them.
func (s *Driver) ForCare() maintenance.Work { return workForCare{s} }
