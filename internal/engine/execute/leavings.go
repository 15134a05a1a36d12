package execute

import (
	"context"

	"kedge"
	"kedge/internal/core/run"
	"kedge/internal/engine/strays"
)

// evict ends what the job's last session left running; dir is its worktree, if it has one.
func (x *Executor) evict(ctx context.Context, c run.Command, dir string) ([]kedge.Finding, error) {
	j, err := x.job(c)
	if err != nil || j.Session == "" {
		return nil, err
	}
	return strays.Evict(ctx, j.Session, x.sessionDir(j.Session), dir)
}
