package execute

import (
	"context"
	"fmt"
	"strings"

	"kedge"
	"kedge/internal/core/brief"
	"kedge/internal/core/run"
	"kedge/internal/engine/gate"
	"kedge/internal/git"
	"kedge/internal/git/slot"
	"kedge/internal/text/words"
)

// integrate merges the job's work onto the tip in the clean worktree, where no
// agent ever wrote, and runs every check there, also those of completed features that
// it can touch: the verdict that can complete a feature. A candidate that is not green
// does not stay there.
func (x *Executor) integrate(ctx context.Context, c run.Command, _ func(run.Input)) (run.Input, error) {
	if err := x.endCorners(ctx, c); err != nil {
		return run.Input{}, err
	}
	clean, err := x.cfg.Slots.Clean(ctx, x.request(c, "left in the clean worktree"))
	if err != nil {
		return badPlace(c, err)
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
	if c.Purpose == run.TakeBack {
		m.Merged, err = slot.Without(ctx, clean, c.Base, strings.Split(c.Commit, ","), c.At)
		return m, err
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
	cfg, err := x.mergeRules(ctx, c)
	if err != nil {
		return m, err
	}
	m.Merged, err = clean.Merge(ctx, git.MergeRequest{
		Base: m.base, Ours: m.tip, Theirs: c.Tree, Date: c.At, Union: cfg.Merge.Unites, Keep: cfg.Merge.Regenerates,
	})
	if err != nil || len(m.Kept) == 0 || len(m.Conflicts) > 0 {
		return m, err
	}
	return m, x.regenerate(ctx, c, clean, cfg, &m)
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

// subject is the first line of a commit message.
func subject(text string) string {
	const most = 72
	return words.Clip(strings.Join(strings.Fields(text), " "), most)
}

// workMessage is that of a work commit.
func (x *Executor) workMessage(ctx context.Context, c run.Command, j slot.Job, tree string) (string, error) {
	if c.Purpose == run.TakeBack {
		return x.undoMessage(ctx, c, tree)
	}
	title := "mend the baseline"
	var of *kedge.Feature
	var trailers []string
	if c.Feature != "" {
		f, err := x.cfg.Ledger.Feature(ctx, c.Feature, "")
		if err != nil {
			return "", err
		}
		of = &f
		if title = subject(f.Name); title == "" {
			title = string(c.Feature)
		}
		trailers = append(trailers, "Kedge-Feature: "+string(c.Feature))
	}
	for _, t := range []struct{ name, value string }{
		{"Kedge-Session", string(j.Session)},
		{"Kedge-Checkpoint", string(j.Checkpoint)},
		{"Kedge-Validated", validated(c, tree)},
		{"Kedge-Run", string(c.Run)},
	} {
		if t.value != "" {
			trailers = append(trailers, t.name+": "+t.value)
		}
	}
	left, err := x.trail(ctx, c, j, "")
	if err != nil {
		return "", err
	}
	text, err := brief.CommitText(title, left.Said, of, func() ([]string, error) {
		changes, err := x.cfg.Repo.Diff(ctx, c.Base, tree)
		return git.PathsOf(theirs(changes)), err
	})
	return fmt.Sprintf("%s\n\n%s", text, strings.Join(trailers, "\n")), err
}

// validated is the tree that was checked; empty where there was no check.
func validated(c run.Command, tree string) string {
	if c.Evidence == "" {
		return ""
	}
	return tree
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
