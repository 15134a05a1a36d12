package execute

import (
	"context"

	"kedge"
	"kedge/internal/core/check"
	"kedge/internal/core/plan"
	"kedge/internal/core/run"
	"kedge/internal/engine/gate"
	"kedge/internal/git"
)

// candidateGate names the gate of a candidate.
const candidateGate = "integrate"

// judgeDue judges a merged tree in the clean worktree. A command of the plan that is red
// there waits for another feature only if it is red on the tip as well: it runs there,
// where no agent ever wrote. If it is green there, the work made it red, and is refused.
// Where the tip cannot be judged it is other that says why.
func (x *Executor) judgeDue(ctx context.Context, c run.Command, clean *git.Repo, q gate.Request, whole, env string) (ev kedge.Evidence, other run.Input, err error) {
	const what = candidateGate
	if ev, err = x.weigh(ctx, c, what, env, q); err != nil {
		return ev, other, err
	}
	red := gate.Deferred(q.Own, ev.Verdict)
	if len(red) == 0 {
		return ev, other, x.cfg.Ledger.KeepEvidence(ctx, key(c, what), ev)
	}
	before, other, err := x.redOnTip(ctx, c, clean, whole, env, red)
	if err != nil || other.Outcome != "" {
		return ev, other, err
	}
	if len(before) < len(red) {
		q.Later = only(q.Later, before)
		ev, err = x.judge(ctx, c, what+"-due", env, q)
		return ev, other, err
	}
	again := x.reuse(ctx, c, cleanSlot, env, ev.ID)
	for _, one := range red {
		again.LearnRed(whole, one, check.ShellLine(one))
	}
	return ev, other, x.cfg.Ledger.KeepEvidence(ctx, key(c, what), ev)
}

// only are the reasons why these checks may wait.
func only(later map[string]string, checks []kedge.Check) map[string]string {
	out := map[string]string{}
	for _, c := range checks {
		out[c.Name] = later[c.Name]
	}
	return out
}

// redOnTip tells which of some checks are red on the tip too. The clean worktree, which
// holds the tree whole, holds it afterwards as well.
func (x *Executor) redOnTip(ctx context.Context, c run.Command, clean *git.Repo, whole, env string, checks []kedge.Check) (red []kedge.Check, other run.Input, err error) {
	tip, err := clean.TreeOf(ctx, c.Base)
	if err != nil {
		return nil, other, err
	}
	known := x.reuse(ctx, c, cleanSlot, env, "")
	var suspects []plan.Broken
	for _, one := range checks {
		if known.KnownRed(tip, one, check.ShellLine(one)) {
			red = append(red, one)
			continue
		}
		f := kedge.Feature{Definition: kedge.Definition{ID: kedge.FeatureID(one.Name), Checks: []kedge.Check{one}}}
		suspects = append(suspects, plan.Broken{Feature: f})
	}
	if len(suspects) == 0 {
		return red, other, nil
	}
	found, other, err := x.redAt(ctx, c, clean, tip, suspects)
	if err != nil || other.Outcome != "" {
		return nil, other, err
	}
	for _, b := range found {
		red = append(red, b.Feature.Checks...)
	}
	if err := x.putClean(ctx, c, clean, whole); err != nil {
		return nil, other, err
	}
	_, reason, err := x.equip(ctx, c, clean, whole)
	if reason != "" {
		other, err = x.notEquipped(ctx, c, clean, whole, reason)
	}
	return red, other, err
}
