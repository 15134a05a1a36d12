package drive

import (
	"context"

	"kedge/internal/config"
	"kedge/internal/project"
	"kedge/internal/sandbox"
)

// checkSandbox refuses a run whose agents cannot be confined as people asked:
// nothing has been paid for yet.
func (s *Driver) checkSandbox(ctx context.Context, cfg config.Config, p *project.Project, env []string) error {
	if !cfg.Sandbox.Asked() {
		return nil
	}
	b, err := sandbox.New(cfg.Sandbox, sandbox.Place{Dir: p.Dir, Home: s.home.Dir, Env: env, Kedge: s.cfg.Sessions.Program})
	if err != nil {
		return err
	}
	return b.Try(ctx)
}
