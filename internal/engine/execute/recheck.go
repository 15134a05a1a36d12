package execute

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/core/check"
	"kedge/internal/core/plan"
	"kedge/internal/core/run"
	"kedge/internal/engine/gate"
	"kedge/internal/git"
)

// sampleSize is how many completed features are looked at in turn, besides those that
// a change touches.
const sampleSize = 5

// recheck answers what an older Kedge asked for after a commit. Today completed
// features are looked at before it.
func (x *Executor) recheck(_ context.Context, c run.Command, _ func(run.Input)) (run.Input, error) {
	return c.Reply(run.OK), nil
}

// text names the feature, its check and the first failure.
func text(b plan.Broken) string {
	r := b.Result
	failure := "it is not green"
	if r.FirstFailure != nil {
		failure = gate.ExitText(r) + gate.Render(*r.FirstFailure)
	}
	return fmt.Sprintf("check %q (%s) of feature %q is red: %s", r.Name, check.Unwrapped(r.Command), b.Feature.ID, failure)
}

// holdAgainst holds a merged tree, which is green by itself, against the completed
// features that it can touch. One that is red there and green on the tip is the work's
// doing, which its repair is told; one that is red on the tip as well was broken before.
func (x *Executor) holdAgainst(ctx context.Context, c run.Command, clean *git.Repo, whole string, ev run.Input) (run.Input, error) {
	changes, err := clean.Diff(ctx, c.Base, whole)
	if err != nil || len(theirs(changes)) == 0 {
		return ev, err
	}
	features, err := x.toRecheck(ctx, c, plan.Change{Feature: c.Feature, Paths: git.PathsOf(theirs(changes))})
	if err != nil {
		return ev, err
	}
	red, other, err := x.redAmong(ctx, c, clean, whole, "recheck", features)
	if err != nil || other.Outcome != "" || len(red) == 0 {
		return orElse(other, ev), err
	}
	before, other, err := x.redAt(ctx, c, clean, c.Base, red)
	if err != nil || other.Outcome != "" {
		return other, err
	}
	if len(before) > 0 {
		return x.brokenBase(ctx, c, clean, before), nil
	}
	out := c.Reply(run.Red)
	out.Environment, out.Features = ev.Environment, plan.IDsOf(red)
	out.Failure = gate.Clip(fmt.Sprintf("this work breaks the completed feature %q: %s", red[0].Feature.ID, text(red[0])))
	if len(red) > 1 {
		out.Failure += fmt.Sprintf("\nthis work also breaks these completed features: %s", strings.Join(plan.Quoted(plan.IDsOf(red[1:])), ", "))
	}
	out.Failure += strings.TrimSuffix("\n"+ev.Altered, "\n") // which may be why
	return out, nil
}

// holdBase holds a base, whose gate is green, against completed features: those that
// what others changed since the last verified commit can touch, and some in turn.
func (x *Executor) holdBase(ctx context.Context, c run.Command, p place, ev run.Input) (run.Input, error) {
	past, err := x.cfg.Slots.PastOf(ctx, c.Base, false)
	if err != nil {
		return ev, err
	}
	var change plan.Change
	if past.Verified != "" {
		changes, err := p.tree.Diff(ctx, past.Verified, c.Base)
		if err != nil || len(theirs(changes)) == 0 {
			return ev, err
		}
		change.Paths = git.PathsOf(theirs(changes))
	}
	features, err := x.toRecheck(ctx, c, change)
	if err != nil {
		return ev, err
	}
	// A run that has moved on completed some of them since: their work is not in this base.
	if moved, err := x.cfg.Slots.IsBeyond(ctx, c.Run, c.Base); err != nil || moved {
		return ev, err
	}
	q := p.request()
	q.Checks, q.Protect = nil, nil
	red, other, err := x.redIn(ctx, c, q, p.env, "recheck", features)
	if err == nil {
		err = x.clearBase(ctx, c, p, q, features)
	}
	if err != nil || other.Outcome != "" || len(red) == 0 {
		return orElse(other, ev), err
	}
	x.clean.Lock()
	defer x.clean.Unlock()
	if err := x.endTrial(ctx, c); err != nil {
		return ev, err
	}
	clean, err := x.cfg.Slots.Clean(ctx, x.request(c, "left in the clean worktree"))
	switch {
	case kedge.Conflict.Is(err):
		clean, err = nil, nil // the run has moved on meanwhile: who broke it stays unknown
	case err != nil:
		return ev, err
	}
	out := x.brokenBase(ctx, c, clean, red)
	out.Tree, out.Environment = ev.Tree, ev.Environment
	if clean != nil {
		err = x.putClean(ctx, c, clean, "HEAD")
	}
	return out, err
}

// clearBase takes out of the slot what the checks of completed features left there.
func (x *Executor) clearBase(ctx context.Context, c run.Command, p place, q gate.Request, features []kedge.Feature) error {
	tree, err := p.tree.TreeOf(ctx, c.Base)
	if err != nil {
		return err
	}
	q.Own = plan.Together(features)
	return x.clearAway(ctx, p, q, kedge.Verdict{Tree: tree})
}

// brokenBase answers that completed features are red without the work, and since when.
func (x *Executor) brokenBase(ctx context.Context, c run.Command, clean *git.Repo, red []plan.Broken) run.Input {
	ev := c.Reply(run.Regressed)
	ev.Features = plan.IDsOf(red)
	var parts []string
	for i, b := range red {
		text := text(b)
		if clean != nil && i < mostBlamed {
			since, err := x.blame(ctx, c, clean, b)
			if err != nil {
				x.log().Warn("cannot find which commit broke a feature", "run", string(c.Run), "feature", string(b.Feature.ID), "error", err.Error())
			} else if since != "" {
				text += "; " + since
			}
		}
		parts = append(parts, text)
	}
	ev.Reason = gate.Clip(strings.Join(parts, "\n"))
	return ev
}

// redAt tells which of some features are red at a commit, in the clean worktree.
func (x *Executor) redAt(ctx context.Context, c run.Command, clean *git.Repo, commit string, suspects []plan.Broken) ([]plan.Broken, run.Input, error) {
	tree, err := clean.TreeOf(ctx, commit)
	if err != nil {
		return nil, run.Input{}, err
	}
	if err := x.putClean(ctx, c, clean, tree); err != nil {
		return nil, run.Input{}, err
	}
	features := make([]kedge.Feature, len(suspects))
	for i, b := range suspects {
		features[i] = b.Feature
	}
	return x.redAmong(ctx, c, clean, tree, "at-"+tree+"-"+strings.Join(plan.Quoted(plan.IDsOf(suspects)), "-"), features)
}

// redAmong tells which features are red in the clean worktree, which holds a tree.
func (x *Executor) redAmong(ctx context.Context, c run.Command, clean *git.Repo, tree, what string, features []kedge.Feature) ([]plan.Broken, run.Input, error) {
	if len(features) == 0 {
		return nil, run.Input{}, nil
	}
	env, reason, err := x.equip(ctx, c, clean, tree)
	if err != nil {
		return nil, run.Input{}, err
	}
	if reason != "" {
		ev := c.Reply(run.CannotRun)
		ev.Reason = reason
		return nil, ev, nil
	}
	_, g, err := x.cfg.Rules.At(ctx, c.Base)
	if err != nil {
		return nil, run.Input{}, err
	}
	q := gate.Request{Dir: clean.Root(), Repo: clean, Base: tree, Services: g.Services, Scope: gate.Full, Slot: cleanSlot}
	return x.redIn(ctx, c, q, env, what, features)
}

// redIn runs the checks of features until none that is left is red, and gives those that
// were. Where a gate gives no verdict it is other that says why.
func (x *Executor) redIn(ctx context.Context, c run.Command, q gate.Request, env, what string, features []kedge.Feature) (red []plan.Broken, other run.Input, err error) {
	reply := c
	reply.Tree = "" // a check whose script is gone is red: the feature is broken, not the machine
	c.Kind, c.Feature = run.Recheck, ""
	for i := 0; len(features) > 0; i++ {
		q.Own = plan.Together(features)
		judged, err := x.judge(ctx, c, fmt.Sprintf("%s-%d", what, i), env, q)
		if leaving(ctx, err) {
			return nil, run.Input{}, err
		}
		ev, err := x.outcome(reply, judged, err)
		switch {
		case err != nil:
			return nil, run.Input{}, err
		case ev.Outcome == run.Green:
			return red, run.Input{}, nil
		case ev.Outcome != run.Red:
			return nil, ev, nil
		}
		var more []plan.Broken
		if more, features = plan.SortOut(features, judged.Verdict); len(more) == 0 {
			return red, run.Input{}, nil // a finding, and no check
		}
		red = append(red, more...)
	}
	return red, run.Input{}, nil
}

// toRecheck are the completed features that a change is held against: those that it
// touches, and of the others as many as run.regression says. What is known to be red is
// not among them.
func (x *Executor) toRecheck(ctx context.Context, c run.Command, change plan.Change) ([]kedge.Feature, error) {
	all, err := x.cfg.Ledger.Features(ctx)
	if err != nil {
		return nil, err
	}
	cfg, _, err := x.cfg.Rules.At(ctx, c.Base)
	if err != nil {
		return nil, err
	}
	skip := func(f kedge.Feature) bool { return slices.Contains(c.Features, f.ID) || !x.canRecheck(c, f) }
	must := slices.DeleteFunc(plan.Touched(all, change), skip)
	rest := slices.DeleteFunc(plan.Checkable(all, change.Feature), func(f kedge.Feature) bool {
		return skip(f) || slices.ContainsFunc(must, func(m kedge.Feature) bool { return m.ID == f.ID })
	})
	switch cfg.Run.Regression {
	case "none":
		return must, nil
	case "all":
		return append(must, rest...), nil
	}
	turn, err := gate.InTurn(filepath.Join(x.cfg.Home, "projects", string(x.cfg.Project), "rotation.json"), key(c, "turn"), rest, sampleSize)
	return append(must, turn...), err
}

// canRecheck tells whether the feature's checks are valid. A feature that an older Kedge
// took in with another one is not looked at again: its check would not run.
func (x *Executor) canRecheck(c run.Command, f kedge.Feature) bool {
	faults := check.Faults(f.Checks)
	if len(faults) > 0 {
		x.log().Warn("cannot check a completed feature again", "run", string(c.Run), "feature", string(f.ID), "error", faults[0].What)
	}
	return len(faults) == 0
}

// orElse is the first event if it says anything, else the second.
func orElse(ev, other run.Input) run.Input {
	if ev.Outcome != "" {
		return ev
	}
	return other
}
