package execute

import (
	"context"

	"kedge/internal/core/config"
	"kedge/internal/core/run"
	"kedge/internal/process/sandbox"
)

// box is what confines the programs of a command in a worktree, as people set it
// at its base; write is what they need beside that.
func (x *Executor) box(ctx context.Context, c run.Command, dir string, write []string) (sandbox.Box, error) {
	conf, err := x.configAt(ctx, c)
	if err != nil || !conf.Sandbox.Asked() {
		return sandbox.Box{}, err
	}
	return x.boxOf(conf, c, dir, write)
}

func (x *Executor) boxOf(conf config.Config, c run.Command, dir string, write []string) (sandbox.Box, error) {
	common := x.cfg.Repo.CommonDir()
	return sandbox.New(conf.Sandbox, sandbox.Place{
		Dir: dir, GitDir: sandbox.GitDir(common, dir), Common: common, Home: x.cfg.Home, Sockets: x.cfg.Sockets,
		Env: x.env(c.Run), Write: write, Kedge: x.cfg.Program,
	})
}
