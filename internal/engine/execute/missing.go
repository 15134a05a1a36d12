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
)

// unseen tells whether the first red check of a verdict is none that was green in the job's worktree.
func (x *Executor) unseen(c run.Command, v kedge.Verdict) bool {
	red, _ := v.FirstRed()
	j, err := x.job(c)
	return err == nil && red != nil && !slices.Contains(j.Green, red.Name)
}

// withWhatIsMissing puts before a failure in the clean worktree what the agent's worktree has
// and the commit has not. That it cannot be found out is no error: the failure is told.
func (x *Executor) withWhatIsMissing(ctx context.Context, c run.Command, clean *git.Repo, whole string, v kedge.Verdict, failure string) string {
	i := slices.IndexFunc(v.Checks, func(r kedge.CheckResult) bool { return r.Skipped == "" && r.FirstFailure != nil })
	if i < 0 || c.Purpose == run.TakeBack {
		return failure
	}
	j, err := x.job(c)
	if err != nil {
		return failure
	}
	work, err := x.stillThere(ctx, c, j)
	if err != nil {
		return failure
	}
	q := strays.Pair{Work: work.Root(), Clean: clean.Root(), Failure: failure + "\n" + v.Checks[i].FirstFailure.Message}
	if err := q.Fill(ctx, clean, c.Tree, whole); err != nil {
		return failure
	}
	missing := strays.Told(ctx, q, work, slices.Contains(j.Green, v.Checks[i].Name))
	if missing == "" {
		return failure
	}
	return gate.Clip(missing + "\n" + failure)
}

// stillThere gives the job's worktree, as long as it holds the work that is judged.
func (x *Executor) stillThere(ctx context.Context, c run.Command, j slot.Job) (*git.Repo, error) {
	work, err := x.cfg.Slots.Open(ctx, j)
	if err != nil {
		return nil, err
	}
	now, err := work.Tree(ctx)
	if err == nil {
		now, err = work.TreeWithout(ctx, now, slot.Kedges...)
	}
	if err == nil && now != c.Tree {
		err = kedge.Errorf(kedge.Conflict, "files in the worktree for %s changed after Kedge had checked them", nameOf(c))
	}
	return work, err
}
