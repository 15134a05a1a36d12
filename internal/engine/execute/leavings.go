package execute

import (
	"context"
	"slices"

	"kedge"
	"kedge/internal/core/run"
	"kedge/internal/engine/gate"
	"kedge/internal/engine/strays"
)

// clearAway takes out of a slot what the checks of a verdict left there as evidence.
func (x *Executor) clearAway(ctx context.Context, p place, q gate.Request, v kedge.Verdict) error {
	return strays.ClearAway(ctx, x.cfg.Repo, p.tree, v.Tree, slices.Concat(q.Checks, q.Own))
}

// evict ends what the job's last session left running; dir is its worktree, if it has one.
func (x *Executor) evict(ctx context.Context, c run.Command, dir string) ([]kedge.Finding, error) {
	j, err := x.job(c)
	if err != nil || j.Session == "" {
		return nil, err
	}
	return strays.Evict(ctx, j.Session, x.sessionDir(j.Session), dir)
}
