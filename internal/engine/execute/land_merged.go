package execute

import (
	"context"
	"fmt"

	"kedge/internal/core/plan"
	"kedge/internal/core/run"
	"kedge/internal/engine"
	"kedge/internal/engine/gate"
	"kedge/internal/git"
	"kedge/internal/git/slot"
)

// mergeIn merges your branch, which moved on, with the work, and runs all checks on that in the
// clean worktree. The move then goes to the merge; an answer refuses it. Nothing of yours
// changes before, and the run's branch stays where it is: you may still rewrite your commits.
func (x *Executor) mergeIn(ctx context.Context, c run.Command, m slot.Meeting, move *git.ForwardRequest) (run.Input, error) {
	if reason, next := m.Refusal(); reason != "" {
		return engine.Refusal(c, reason, next...), nil
	}
	q := git.CommitRequest{
		Tree: m.Tree, Parents: []string{m.At, c.Commit}, Date: c.At,
		Message: fmt.Sprintf("Merge the work of %s into %s\n\nKedge-Run: %[1]s", c.Run, move.Branch),
	}
	var err error
	if q.Author, err = x.cfg.Repo.Identity(ctx); err == nil {
		move.To, err = x.cfg.Repo.Commit(ctx, q)
	}
	if err != nil {
		return run.Input{}, err
	}
	try := *move
	try.Try = true // no check has to run for what your files are in the way of
	if no, err := engine.IfMoved(c, run.Input{}, x.cfg.Repo.Forward(ctx, try)); err != nil || no.Kind != "" {
		return no, err
	}
	ev, err := x.checkMerge(ctx, c, m.Tree, move.To)
	if err != nil || ev.Outcome != run.Green && ev.Outcome != run.Empty {
		return engine.RefuseRed(c, ev, m), err
	}
	if ev.Evidence != "" {
		q.Message += "\nKedge-Validated: " + m.Tree
	}
	move.To, err = x.cfg.Repo.Commit(ctx, q)
	return run.Input{}, err
}

// checkMerge runs the checks of the project, and those of completed features that your commits
// can touch, on a merge in the clean worktree, by its own rules.
func (x *Executor) checkMerge(ctx context.Context, c run.Command, tree, merge string) (run.Input, error) {
	x.clean.Lock()
	defer x.clean.Unlock()
	c.Base, c.Feature = c.Commit, ""
	if err := x.endTrial(ctx, c); err != nil {
		return run.Input{}, err
	}
	clean, err := x.cfg.Slots.Clean(ctx, x.request(c, "left in the clean worktree"))
	if err != nil {
		return badPlace(c, err)
	}
	changes, err := clean.Diff(ctx, c.Commit, merge)
	if err != nil {
		return run.Input{}, err
	}
	c.Base = merge
	ev, err := x.tryCandidate(ctx, c, clean, merging{Merged: git.Merged{Tree: tree}})
	if err == nil && (ev.Outcome == run.Green || ev.Outcome == run.Empty) {
		ev, err = x.checkTouched(ctx, c, clean, tree, plan.Change{Paths: git.PathsOf(theirs(changes))}, ev)
	}
	if err != nil {
		return run.Input{}, err
	}
	return ev, x.putClean(ctx, c, clean, c.Commit)
}

// checkTouched holds a merge that is green by itself against completed features.
func (x *Executor) checkTouched(ctx context.Context, c run.Command, clean *git.Repo, tree string, change plan.Change, ev run.Input) (run.Input, error) {
	features, err := x.toRecheck(ctx, c, change)
	if err != nil || len(change.Paths) == 0 {
		return ev, err
	}
	red, other, err := x.redAmong(ctx, c, clean, tree, "recheck-"+tree, features)
	if err == nil && other.Outcome == "" && len(red) > 0 {
		other = c.Reply(run.Red)
		other.Failure = gate.Clip(text(red[0]))
	}
	return orElse(other, ev), err
}
