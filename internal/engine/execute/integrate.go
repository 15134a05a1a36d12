package execute

import (
	"context"
	"strings"

	"kedge"
	"kedge/internal/core/run"
	"kedge/internal/engine"
	"kedge/internal/engine/gate"
	"kedge/internal/git"
	"kedge/internal/git/slot"
)

// integrate merges the job's work onto the tip in the clean worktree, where no
// agent ever wrote, and runs every check there, also those of completed features that
// it can touch: the verdict that can complete a feature. A candidate that is not green
// does not stay there.
func (x *Executor) integrate(ctx context.Context, c run.Command, _ func(run.Input)) (run.Input, error) {
	if err := x.endTrial(ctx, c); err != nil {
		return run.Input{}, err
	}
	clean, err := x.cfg.Slots.Clean(ctx, x.request(c, "left in the clean worktree"))
	if err != nil {
		return badPlace(c, err)
	}
	if err := x.cfg.Slots.RestoreOutputs(ctx, clean, c.Run); err != nil {
		return run.Input{}, err
	}
	m, err := x.mergeWork(ctx, c, clean)
	if err != nil {
		return run.Input{}, err
	}
	if len(m.Conflicts) > 0 || m.why != "" {
		return x.conflicting(ctx, c, clean, m)
	}
	ev, err := x.tryCandidate(ctx, c, clean, m)
	if err != nil {
		return run.Input{}, err
	}
	if ev.Moot = m.nothingLeft(c); ev.Moot && (ev.Outcome == run.Green || ev.Outcome == run.Empty) {
		if ev.Text, err = x.whoHasIt(ctx, c, m); err != nil {
			return run.Input{}, err
		}
	}
	if ev.Outcome == run.Green && !ev.Moot {
		whole, err := clean.TreeWith(ctx, m.Tree, c.Base, slot.Kedges...)
		if err != nil {
			return run.Input{}, err
		}
		if ev, err = x.oneFeature(ctx, c, clean, whole, ev); err != nil {
			return run.Input{}, err
		}
	}
	ev.Tree = m.Tree
	if ev.Outcome == run.Green {
		_, err = x.keep(c, func(j *slot.Job) { j.Given = c.Tree })
		return ev, err
	}
	return ev, x.putClean(ctx, c, clean, "HEAD")
}

// mergeWork merges the job's work onto the tip, all without what is Kedge's. Where the
// rules at the tip cover every conflict, there is none.
func (x *Executor) mergeWork(ctx context.Context, c run.Command, clean *git.Repo) (m merging, err error) {
	cfg, err := x.mergeRules(ctx, c)
	if err != nil {
		return m, err
	}
	if c.Purpose == run.TakeBack {
		m.Merged, err = slot.Without(ctx, clean, c.Base, strings.Split(c.Commit, ","), c.At, cfg.Merge.Regenerates)
		return m, x.regenerate(ctx, c, clean, cfg, &m, err)
	}
	j, err := x.job(c)
	if err != nil {
		return m, err
	}
	if m.base, err = clean.TreeWithout(ctx, j.Base, slot.Kedges...); err != nil {
		return m, err
	}
	if m.tip, err = clean.TreeWithout(ctx, c.Base, slot.Kedges...); err != nil {
		return m, err
	}
	m.Merged, err = clean.Merge(ctx, git.MergeRequest{
		Base: m.base, Ours: m.tip, Theirs: c.Tree, Date: c.At, Union: cfg.Merge.Unites, Keep: cfg.Merge.Regenerates,
	})
	return m, x.regenerate(ctx, c, clean, cfg, &m, err)
}

// putClean brings the clean worktree to a tree or commit.
func (x *Executor) putClean(ctx context.Context, c run.Command, clean *git.Repo, rev string) error {
	tree, err := clean.TreeOf(ctx, rev)
	if err != nil {
		return err
	}
	saved, err := x.cfg.Slots.PutClean(ctx, clean, tree, x.request(c, "checks left it in the clean worktree"))
	if err != nil {
		return err
	}
	return x.salvaged(ctx, saved)
}

// tryCandidate puts a merged tree into the clean worktree and judges it there.
func (x *Executor) tryCandidate(ctx context.Context, c run.Command, clean *git.Repo, m merging) (run.Input, error) {
	whole, err := clean.TreeWith(ctx, m.Tree, c.Base, slot.Kedges...)
	if err != nil {
		return run.Input{}, err
	}
	if err := x.putClean(ctx, c, clean, whole); err != nil {
		return run.Input{}, err
	}
	env, reason, err := x.equip(ctx, c, clean, whole)
	if err != nil {
		return run.Input{}, err
	}
	if reason != "" {
		return x.notEquipped(ctx, c, clean, whole, reason)
	}
	q, err := x.fullGate(ctx, c, clean)
	if err != nil {
		return run.Input{}, err
	}
	q.Found = gate.MergedByRules(m.Merged)
	ev, err := x.judgeCandidate(ctx, c, clean, q, whole, env)
	if err != nil || ev.Outcome != run.Green && ev.Outcome != run.Empty {
		return ev, err
	}
	return x.holdAgainst(ctx, c, clean, whole, ev)
}

// judgeCandidate runs the project's checks and the feature's on a merged tree.
func (x *Executor) judgeCandidate(ctx context.Context, c run.Command, clean *git.Repo, q gate.Request, whole, env string) (run.Input, error) {
	if c.Purpose == run.TakeBack {
		q = takenBack(q, whole)
		c.Feature = "" // it proves nothing about the feature
	}
	if len(q.Checks)+len(q.Own) == 0 {
		ev := c.Reply(run.Empty)
		ev.Environment = env
		return ev, nil
	}
	if isWork(c) {
		if err := x.cfg.Slots.MarkOutputs(ctx, clean, x.request(c, "")); err != nil {
			return run.Input{}, err
		}
	}
	judged, other, err := x.judgeDue(ctx, c, clean, q, whole, env)
	if leaving(ctx, err) || other.Outcome != "" {
		return other, err
	}
	ev, err := x.outcome(c, judged, err)
	if err == nil && ev.Outcome == run.Green && judged.Verdict.Tree == whole {
		return x.corners(ctx, c, clean, whole, q, judged, ev)
	}
	if err == nil && ev.Outcome == run.Green && judged.Verdict.Tree != whole {
		ev.Outcome, ev.Reason = run.Void, "the clean worktree differs from what was merged"
	}
	if err == nil && ev.Outcome == run.Red {
		ev.Unseen = x.unseen(c, judged.Verdict)
		ev.Failure = x.withWhatIsMissing(ctx, c, clean, whole, judged.Verdict, ev.Failure)
	}
	return ev, err
}

// notEquipped: a setup that fails is the environment's doing, unless the work
// changed what the setup reads.
func (x *Executor) notEquipped(ctx context.Context, c run.Command, clean *git.Repo, whole, reason string) (run.Input, error) {
	cfg, _, err := x.cfg.Rules.At(ctx, c.Base)
	if err != nil {
		return run.Input{}, err
	}
	tip, err := gate.SetupInputs(ctx, clean, c.Base, cfg.Worktree)
	if err != nil {
		return run.Input{}, err
	}
	now, err := gate.SetupInputs(ctx, clean, whole, cfg.Worktree)
	if err != nil {
		return run.Input{}, err
	}
	ev := c.Reply(run.CannotRun)
	ev.Reason = reason
	if tip != now {
		ev.Outcome, ev.Reason, ev.Failure = run.Red, "", gate.Clip(reason)
	}
	return ev, nil
}

// fullGate is everything: the project's checks, the feature's and those of its plan, in
// the clean worktree, nothing left out.
func (x *Executor) fullGate(ctx context.Context, c run.Command, clean *git.Repo) (gate.Request, error) {
	cfg, g, err := x.cfg.Rules.At(ctx, c.Base)
	if err != nil {
		return gate.Request{}, err
	}
	q := gate.Request{
		Dir: clean.Root(), Repo: clean, Base: c.Base, Checks: g.Checks, Services: g.Services,
		Scope: gate.Full, Slot: cleanSlot,
	}.Reviewed(cfg)
	return q, x.demand(ctx, c, &q) // judgeDue finds out which may wait
}

// workMessage is that of a work commit.
func (x *Executor) workMessage(ctx context.Context, c run.Command, j slot.Job, tree string) (string, error) {
	var of *kedge.Feature
	if c.Feature != "" {
		f, err := x.cfg.Ledger.Feature(ctx, c.Feature, "")
		if err != nil {
			return "", err
		}
		if of = &f; c.Purpose == run.TakeBack {
			return engine.UndoMessage(c, f, tree), nil
		}
	}
	left, err := x.trail(ctx, c, j, "")
	if err != nil {
		return "", err
	}
	return engine.WorkMessage(c, j, of, left.Said, tree, func() ([]string, error) {
		changes, err := x.cfg.Repo.Diff(ctx, c.Base, tree)
		return git.PathsOf(theirs(changes)), err
	})
}

// notAt answers for a branch that is not where the run left it.
func notAt(c run.Command, err error) (run.Input, error) {
	if kedge.Conflict.Is(err) || kedge.NotFound.Is(err) {
		ev := c.Reply(run.Drifted)
		ev.Reason = why(err)
		return ev, nil
	}
	return run.Input{}, err
}
