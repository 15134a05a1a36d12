package drive

import (
	"context"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/care"
	"kedge/internal/config"
	"kedge/internal/engine/local"
	"kedge/internal/keep"
	"kedge/internal/project"
	"kedge/internal/settings"
)

// workForCare are the sessions and runs as package care needs them.
type workForCare struct{ s *Driver }

// Living implements care.Work.
func (w workForCare) Living(ctx context.Context, p *project.Project) ([]kedge.Session, error) {
	return w.s.keeper.Living(ctx, p)
}

// Going implements care.Work.
func (w workForCare) Going(ctx context.Context, p *project.Project) (kedge.RunID, error) {
	runs, err := p.Store.Runs(ctx)
	for _, d := range runs {
		if st := settled(d.State); !resting(&st) || going(p.Project, &st).Sessions > 0 {
			return st.Run, err
		}
	}
	return "", err
}

// CheckRuns implements care.Work.
func (w workForCare) CheckRuns(ctx context.Context, p *project.Project) []kedge.Finding {
	return w.s.checkRuns(ctx, p)
}

// CheckAgents implements care.Work.
func (w workForCare) CheckAgents(ctx context.Context, p *project.Project, env []string) []kedge.Finding {
	return w.s.checkAgents(ctx, p, env)
}

// checkAgents tells the versions of the agents that config.toml names.
func (s *Driver) checkAgents(ctx context.Context, p *project.Project, env []string) []kedge.Finding {
	if p.Store == nil || len(env) == 0 {
		return nil
	}
	cfg, err := settings.Source{Project: p}.Config(ctx, settings.UserFile(env))
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
func (s *Driver) installed(ctx context.Context, cfg config.Config, uses []config.Use, env []string) []keep.Installed {
	var out []keep.Installed
	for _, use := range uses {
		name, _, _ := strings.Cut(use.Route, ":")
		if slices.ContainsFunc(out, func(i keep.Installed) bool { return i.Name == name }) {
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
