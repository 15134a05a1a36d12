package supply

import (
	"cmp"
	"context"
	"os"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/app/sessions"
	"kedge/internal/core/config"
	"kedge/internal/core/scaffold"
)

// BeginStep is the command that starts another run and that works as it stands. It
// names the agent that you gave the last run. Where no setting names one, it names one
// that is installed. Why is what the run is for, args are its other flags.
func (s *Supply) BeginStep(ctx context.Context, p *projects.Project, given config.Given, why string, args ...string) kedge.NextStep {
	f := setting{given: given.Agent}
	repo, err := s.home.Git(ctx, p)
	if err != nil {
		return beginStep(f, why, args)
	}
	env := os.Environ() // nobody's in particular: the one that Kedge itself was started in
	committed, err := projects.Source{Project: p, Repo: repo, Base: "HEAD"}.Config(ctx, projects.UserFile(env))
	f.broken = kedge.Invalid.Is(err)
	f.committed = agentOf(committed)
	if f.given != "" || f.broken || f.committed != "" {
		return beginStep(f, why, args)
	}
	if here, err := (projects.Source{Project: p}).Config(ctx, projects.UserFile(env)); err == nil {
		f.typed = agentOf(here)
	}
	f.installed = sessions.InstalledAgents(committed, p.Dir, env)
	return beginStep(f, why, args)
}

func agentOf(cfg config.Config) string { return cmp.Or(cfg.Route.Implement, cfg.Run.Agent) }

// setting is what is known of the agent of the next run.
type setting struct {
	given     string // with the last run
	committed string // in the settings that a run reads
	broken    bool   // those settings cannot be read
	typed     string // in config.toml, and not committed
	installed []string
}

// beginStep decides which command starts a run.
func beginStep(f setting, why string, args []string) kedge.NextStep {
	step := kedge.Step("kedge", append([]string{"run"}, args...)...).For(why)
	switch {
	case f.broken:
		return kedge.Step("kedge", "doctor").For("see what is wrong with the settings")
	case f.given != "":
		return sessions.WithAgent(step, f.given)
	case f.committed != "":
		return step
	case f.typed != "":
		return kedge.Step("git", "commit", "-m", "settings of Kedge", ":/"+scaffold.ConfigFile).For("commit the agent that you named, and " + why).AndThen(step)
	case len(f.installed) > 0:
		return sessions.WithAgent(step, f.installed[0])
	}
	return sessions.WithAgent(step, "NAME").For(why + " with an agent that you install first")
}
