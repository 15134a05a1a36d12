package execute

import (
	"context"
	"slices"

	"kedge"
	"kedge/internal/core/run"
	"kedge/internal/engine/gate"
	"kedge/internal/engine/strays"
	"kedge/internal/git"
	"kedge/internal/git/slot"
	"kedge/internal/text/glob"
)

// clearAway takes out of a slot what the checks of a verdict left there as evidence,
// which has been copied: it is no agent's work, and would be in its commit. Where
// anything else changed, it is not known whose that is, and all of it stays.
func (x *Executor) clearAway(ctx context.Context, p place, q gate.Request, v kedge.Verdict) error {
	evidence := evidenceOf(q)
	if v.Tree == "" || len(evidence) == 0 {
		return nil
	}
	now, err := p.tree.Tree(ctx)
	if err != nil {
		return err
	}
	judged, err := p.tree.TreeWith(ctx, v.Tree, now, slot.Kedges...)
	if err != nil || judged == now {
		return err
	}
	left, err := p.tree.Diff(ctx, judged, now)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(left, func(c git.Change) bool { return !matches(evidence, c.Path) }) {
		return nil
	}
	return x.cfg.Repo.PutTree(ctx, git.PutRequest{Dir: p.tree.Root(), Tree: judged, Expect: []string{now}})
}

// evidenceOf are the patterns of what the checks may leave.
func evidenceOf(q gate.Request) []string {
	var out []string
	for _, c := range slices.Concat(q.Checks, q.Own) {
		out = append(out, c.Evidence...)
	}
	return out
}

func matches(patterns []string, path string) bool {
	return slices.ContainsFunc(patterns, func(g string) bool { return glob.Match(g, path) })
}

// evict ends what the job's last session left running; dir is its worktree, if it has one.
func (x *Executor) evict(ctx context.Context, c run.Command, dir string) ([]kedge.Finding, error) {
	j, err := x.job(c)
	if err != nil || j.Session == "" {
		return nil, err
	}
	return strays.Evict(ctx, j.Session, x.sessionDir(j.Session), dir)
}
