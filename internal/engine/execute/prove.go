package execute

import (
	"context"
	"fmt"

	"kedge"
	"kedge/internal/core/check"
	"kedge/internal/core/run"
	"kedge/internal/engine/gate"
	"kedge/internal/git/slot"
)

// prove runs the feature's own checks before any work, each by itself: one that
// must fail is red for the right reason, one that must hold is green.
func (x *Executor) prove(ctx context.Context, c run.Command, _ func(run.Input)) (run.Input, error) {
	p, err := x.place(ctx, c)
	if err != nil {
		return badPlace(c, err)
	}
	own, err := x.ownChecks(ctx, c)
	if err != nil {
		return run.Input{}, err
	}
	if len(own) == 0 {
		return x.withPlan(ctx, c, p, c.Reply(run.NoChecks))
	}
	ev := c.Reply(run.Fails)
	ev.Environment = p.env
	if ev.Tree, err = p.tree.TreeWithout(ctx, c.Base, slot.Kedges...); err != nil {
		return run.Input{}, err
	}
	green, holding := []kedge.Check{}, 0
	for i, one := range own {
		pr, err := x.proveOne(ctx, c, p, one, i)
		if err != nil {
			return run.Input{}, err
		}
		if pr.outcome == run.CannotRun || pr.outcome == run.Broken {
			ev.Outcome, ev.Reason, ev.Evidence = pr.outcome, pr.reason, pr.evidence
			return ev, nil
		}
		if one.Prove == check.ProveHolds {
			holding++
		} else if pr.outcome == run.Green {
			green = append(green, one)
		}
	}
	if ev, err = x.greenBefore(c, p, ev, green, len(green)+holding == len(own)); err != nil {
		return ev, err
	}
	return x.withPlan(ctx, c, p, ev)
}

// greenBefore says what it means that checks are green before the work, which are to fail there:
// they show nothing of it, unless new tests can. Those are remembered.
func (x *Executor) greenBefore(c run.Command, p place, ev run.Input, green []kedge.Check, all bool) (run.Input, error) {
	var held []string
	for _, one := range green {
		if gate.CanBeTested(one, p.gate.Checks) {
			held = append(held, one.Name)
		}
	}
	switch {
	case len(green) == 0 || !all:
	case len(held) > 0:
		ev.Outcome, ev.Reason = run.Tests, "its checks are green before the work: new tests must show that the work does something"
	default:
		ev.Outcome, ev.Reason = run.Green, "its checks are green before any work"
	}
	_, err := x.keep(c, func(j *slot.Job) { j.Held = held })
	return ev, err
}

// proof is what one check says before the work: Fails or Green as it may,
// Broken or CannotRun with the reason.
type proof struct {
	outcome  run.Outcome
	reason   string
	evidence kedge.EvidenceID
}

func (x *Executor) proveOne(ctx context.Context, c run.Command, p place, own kedge.Check, i int) (proof, error) {
	if f := check.Validate(own); f != nil { // an older Kedge let it in
		return proof{outcome: run.Broken, reason: fmt.Sprintf("%s (next: kedge feature amend %s --definition FILE --reason WHY)", f.What, c.Feature)}, nil
	}
	q := p.request()
	q.Checks, q.Own = nil, []kedge.Check{own}
	ev, err := x.judge(ctx, c, fmt.Sprintf("prove-%d", i), p.env, q)
	if err == nil {
		err = x.clearAway(ctx, p, q, ev.Verdict)
	}
	switch {
	case leaving(ctx, err):
		return proof{}, err
	case kedge.Blocked.Is(err):
		return proof{outcome: run.CannotRun, reason: why(err)}, nil
	case kedge.Conflict.Is(err):
		return proof{outcome: run.Broken, reason: fmt.Sprintf("check %q: %s", own.Name, why(err))}, nil
	case err != nil:
		return proof{}, err
	}
	return judgeProof(own, ev), nil
}

// judgeProof says what a check's result means before any work.
func judgeProof(own kedge.Check, ev kedge.Evidence) proof {
	pr := proof{outcome: run.Green, evidence: ev.ID}
	r, ran := resultOf(ev.Verdict)
	if !ran {
		pr.outcome, pr.reason = run.Broken, fmt.Sprintf("check %q did not run", own.Name)
		return pr
	}
	if r.FirstFailure == nil {
		return pr
	}
	what := fmt.Sprintf("check %q (%s): %s", own.Name, check.Unwrapped(r.Command), gate.Render(*r.FirstFailure))
	switch {
	case gate.Unfit(own, r):
		pr.outcome, pr.reason = run.Broken, gate.Clip(what)
	case own.Prove == check.ProveHolds:
		pr.outcome, pr.reason = run.Broken, gate.Clip("this check must be green before the work, and it is red: "+what)
	default:
		pr.outcome = run.Fails
	}
	return pr
}

// resultOf is the one check of a verdict that ran.
func resultOf(v kedge.Verdict) (kedge.CheckResult, bool) {
	for _, r := range v.Checks {
		if r.Skipped == "" {
			return r, true
		}
	}
	return kedge.CheckResult{}, false
}

var _ gate.Repo = candidate{}
