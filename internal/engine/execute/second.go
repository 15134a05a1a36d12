package execute

import (
	"context"
	"fmt"
	"slices"

	"kedge"
	"kedge/internal/core/check"
	"kedge/internal/core/run"
	"kedge/internal/engine/gate"
	"kedge/internal/git"
)

// oneFeature holds a green candidate in the clean worktree against the features that are
// still open: a session works on one. Work that turns the checks of another feature from
// red to green is work on that one too, and is not taken. The candidate is in the clean
// worktree again when it returns.
func (x *Executor) oneFeature(ctx context.Context, c run.Command, clean *git.Repo, candidate string, ev run.Input) (run.Input, error) {
	if c.Feature == "" || c.Scope == run.SeenByYou || c.Purpose != run.Implement && c.Purpose != run.Repair {
		return ev, nil
	}
	open, err := x.openBeside(ctx, c)
	if err != nil {
		return ev, err
	}
	_, g, err := x.cfg.Rules.At(ctx, c.Base)
	if err != nil {
		return ev, err
	}
	q := gate.Request{Dir: clean.Root(), Repo: clean, Base: c.Base, Services: g.Services, Scope: gate.Full, Slot: cleanSlot}
	for _, f := range open {
		q.Own = f.Checks
		if second, err := x.doneBy(ctx, c, clean, candidate, q, f.ID); err != nil || !second {
			if err != nil {
				return ev, err
			}
			continue
		}
		ev.Outcome = run.Outside
		ev.Reason = fmt.Sprintf("the work also does feature %q: the checks of that feature were red before this work and are green with it", f.ID)
		ev.Failure = ev.Reason + fmt.Sprintf(". A session may work on only one feature: remove the changes for %q, and keep those for %q", f.ID, c.Feature)
		return ev, nil
	}
	return ev, nil
}

// openBeside are the features that come next and have checks of their own, which fail
// before their work. Each has only those that the command's feature does not share.
func (x *Executor) openBeside(ctx context.Context, c run.Command) ([]kedge.Feature, error) {
	own, err := x.ownChecks(ctx, c)
	if err != nil {
		return nil, err
	}
	all, err := x.cfg.Ledger.Features(ctx)
	if err != nil {
		return nil, err
	}
	var out []kedge.Feature
	for _, f := range all {
		if f.ID == c.Feature || f.Status != kedge.Pending && f.Status != kedge.InProgress || len(check.Faults(f.Checks)) > 0 {
			continue
		}
		f.Checks = slices.DeleteFunc(slices.Clone(f.Checks), func(k kedge.Check) bool {
			return k.Prove == check.ProveHolds || slices.ContainsFunc(own, func(o kedge.Check) bool { return check.Same(o, k) })
		})
		if len(f.Checks) > 0 && len(out) < sampleSize {
			out = append(out, f)
		}
	}
	return out, nil
}

// doneBy tells whether the candidate makes the checks of a feature green that are red
// without it.
func (x *Executor) doneBy(ctx context.Context, c run.Command, clean *git.Repo, candidate string, q gate.Request, id kedge.FeatureID) (bool, error) {
	green, known, err := x.tells(ctx, c, q, "second-"+string(id))
	if err != nil || !green || !known {
		return false, err
	}
	if err := x.putClean(ctx, c, clean, c.Base); err != nil {
		return false, err
	}
	before, known, err := x.tells(ctx, c, q, "second-before-"+string(id))
	if err != nil {
		return false, err
	}
	return known && !before, x.putClean(ctx, c, clean, candidate)
}

// tells gives whether checks are green, without evidence: they judge no work on the
// feature that they are of. Where they cannot run, nothing is known.
func (x *Executor) tells(ctx context.Context, c run.Command, q gate.Request, what string) (green, known bool, err error) {
	c.Feature = ""
	v, err := x.verdict(ctx, c, x.gateDir(evidenceID(c, what)), q)
	switch {
	case leaving(ctx, err):
		return false, false, err
	case kedge.Blocked.Is(err) || kedge.Conflict.Is(err):
		return false, false, nil
	default:
		return v.Green(), true, err
	}
}
