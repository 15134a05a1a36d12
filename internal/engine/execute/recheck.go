package execute

import (
	"context"
	"slices"

	"kedge"
	"kedge/internal/core/check"
	"kedge/internal/core/run"
	"kedge/internal/engine/gate"
	"kedge/internal/git"
	"kedge/internal/text/glob"
)

// sampleSize is how many features are looked at again in turn, besides those
// whose files changed.
const sampleSize = 5

// recheck runs the checks of features that were completed before, in the clean
// worktree, and says which are red now.
func (x *Executor) recheck(ctx context.Context, c run.Command, _ func(run.Input)) (run.Input, error) {
	features, err := x.toRecheck(ctx, c)
	if err != nil {
		return run.Input{}, err
	}
	ev := c.Reply(run.OK)
	if len(features) == 0 {
		return ev, nil
	}
	clean, err := x.cfg.Slots.Clean(ctx, x.request(c, "left in the clean worktree"))
	if err != nil {
		return notAt(c, err)
	}
	if err := x.putClean(ctx, c, clean, c.Base); err != nil {
		return notAt(c, err)
	}
	_, g, err := x.cfg.Rules.At(ctx, c.Base)
	if err != nil {
		return run.Input{}, err
	}
	q := gate.Request{Dir: clean.Root(), Repo: clean, Base: c.Base, Services: g.Services, Scope: gate.Full, Slot: "clean"}
	red, err := x.stillGreen(ctx, c, q, features)
	if err != nil || !red {
		return ev, err
	}
	for _, f := range features {
		q.Own = f.Checks
		red, err := x.isRed(ctx, c, q, f.ID, "recheck-"+string(f.ID))
		if err != nil {
			return run.Input{}, err
		}
		if red {
			ev.Features = append(ev.Features, f.ID)
		}
	}
	return ev, nil
}

// stillGreen looks at all of them at once, which is all there is to do as long
// as none is red. It gives whether one is. A check that features share runs once.
func (x *Executor) stillGreen(ctx context.Context, c run.Command, q gate.Request, features []kedge.Feature) (red bool, err error) {
	for _, f := range features {
		for _, c := range f.Checks {
			if !slices.ContainsFunc(q.Own, func(o kedge.Check) bool { return check.Same(o, c) }) {
				q.Own = append(q.Own, c)
			}
		}
	}
	return x.isRed(ctx, c, q, "", "recheck")
}

// isRed runs a gate. Where its surroundings or a moving tree give no verdict,
// nothing is known to be red.
func (x *Executor) isRed(ctx context.Context, c run.Command, q gate.Request, id kedge.FeatureID, what string) (bool, error) {
	c.Feature = id
	ev, err := x.judge(ctx, c, what, "", q)
	switch {
	case leaving(ctx, err):
		return false, err
	case kedge.Blocked.Is(err) || kedge.Conflict.Is(err):
		x.log().Warn("completed features were not looked at again", "run", string(c.Run), "feature", string(id), "error", err.Error())
		return false, nil
	case err != nil:
		return false, err
	}
	return !ev.Verdict.Green(), nil
}

// toRecheck are the completed features with checks: all, or those that the
// newest commit may have touched and a few others in turn.
func (x *Executor) toRecheck(ctx context.Context, c run.Command) ([]kedge.Feature, error) {
	all, err := x.cfg.Ledger.Features(ctx)
	if err != nil {
		return nil, err
	}
	done := slices.DeleteFunc(slices.Clone(all), func(f kedge.Feature) bool {
		return f.Status != kedge.Completed || f.ID == c.Feature || len(f.Checks) == 0 || !x.canRecheck(c, f)
	})
	if c.Scope == "all" || len(done) <= sampleSize {
		return done, nil
	}
	info, err := x.cfg.Repo.ReadCommit(ctx, c.Base)
	if err != nil {
		return nil, err
	}
	changes, err := x.changesOf(ctx, info)
	if err != nil {
		return nil, err
	}
	start := int(c.Origin()) % len(done)
	var out []kedge.Feature
	for i, f := range done {
		turn := (i-start+len(done))%len(done) < sampleSize
		if turn || touches(f, changes) {
			out = append(out, f)
		}
	}
	return out, nil
}

// canRecheck tells whether the feature's checks are valid. A feature that an older Kedge
// took in with another one is not looked at again: its check would not run.
func (x *Executor) canRecheck(c run.Command, f kedge.Feature) bool {
	faults := check.Faults(f.Checks)
	if len(faults) > 0 {
		x.log().Warn("a completed feature was not looked at again", "run", string(c.Run), "feature", string(f.ID), "error", faults[0].What)
	}
	return len(faults) == 0
}

// touches tells whether a change may concern a feature.
func touches(f kedge.Feature, changes []git.Change) bool {
	return slices.ContainsFunc(changes, func(c git.Change) bool {
		return slices.Contains(f.Files, c.Path) || slices.ContainsFunc(f.Paths, func(p string) bool { return glob.Match(p, c.Path) })
	})
}
