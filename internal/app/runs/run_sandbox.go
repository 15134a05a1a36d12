package runs

import (
	"context"

	"kedge/internal/app/projects"
	"kedge/internal/core/config"
	"kedge/internal/process/sandbox"
)

// checkSandbox refuses a run whose agents cannot be confined as people asked:
// nothing has been paid for yet.
func (s *Driver) checkSandbox(ctx context.Context, cfg config.Config, p *projects.Project, env []string) error {
	if !cfg.Sandbox.Asked() {
		return nil
	}
	b, err := sandbox.New(cfg.Sandbox, sandbox.Place{Dir: p.Dir, Home: s.home.Dir, Env: env, Kedge: s.cfg.Sessions.Program})
	if err != nil {
		return err
	}
	return b.Try(ctx)
}
