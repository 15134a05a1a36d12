package maintenance

import (
	"context"
	"os"

	"kedge"
	"kedge/internal/app/projects"

	"kedge/internal/process/sandbox"
)

// checkSandbox says what confines agents and checks, where people asked for that.
func (s *Maintenance) checkSandbox(ctx context.Context, p *projects.Project) []kedge.Finding {
	const where = ".kedge/config.toml"
	cfg, err := projects.Source{Project: p}.Config(ctx, projects.UserFile(os.Environ()))
	if err != nil || !cfg.Sandbox.Asked() {
		return nil // what cannot be read was told with the state files
	}
	exe, err := os.Executable()
	if err != nil {
		return []kedge.Finding{projects.FindingOf(where, err)}
	}
	b, err := sandbox.New(cfg.Sandbox, sandbox.Place{Dir: p.Dir, Home: s.home.Dir, Env: os.Environ(), Kedge: exe})
	if err == nil {
		err = b.Try(ctx)
	}
	if err != nil {
		return []kedge.Finding{projects.FindingOf(where, err)}
	}
	found := kedge.Finding{Level: kedge.LevelInfo, What: "sandbox: agents of runs, and checks, are " + b.Says(), Where: where, Fix: "nothing to do"}
	if want := sandbox.Kind(cfg.Sandbox.Kind); want != b.Kind {
		found.Level, found.Fix = kedge.LevelWarning, sandbox.Install(want)
	}
	return []kedge.Finding{found}
}
