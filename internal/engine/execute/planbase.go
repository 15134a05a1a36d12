package execute

import (
	"context"
	"fmt"

	"kedge"
	"kedge/internal/core/check"
	"kedge/internal/core/run"
	"kedge/internal/engine"
	"kedge/internal/engine/gate"
)

// withPlan adds to what the feature's checks say before the work which checks of its plan
// are red there already: the work is not to blame for these. Nothing halts: the work may
// make them green, or a later feature, if there is one. It never decides what is completed.
func (x *Executor) withPlan(ctx context.Context, c run.Command, p place, ev run.Input) (run.Input, error) {
	if ev.Outcome != run.Fails && ev.Outcome != run.NoChecks && ev.Outcome != run.Tests {
		return ev, nil // no session starts
	}
	q := p.request()
	if err := x.demand(ctx, c, &q); err != nil {
		return ev, err
	}
	own, err := x.ownChecks(ctx, c)
	if err != nil {
		return ev, err
	}
	red := map[string]string{}
	for i, one := range q.Own[len(own):] {
		if red[one.Name], err = x.redBefore(ctx, c, p, one, i); err != nil {
			return ev, err
		}
	}
	ev.Text = engine.RedBefore(q.Own, q.Later, red)
	return ev, nil
}

// redBefore names a check of the plan that is red, or cannot run, on the base.
func (x *Executor) redBefore(ctx context.Context, c run.Command, p place, one kedge.Check, i int) (string, error) {
	c.Feature = "" // it says nothing about the feature
	q := p.request()
	q.Checks, q.Own = nil, []kedge.Check{one}
	ev, err := x.judge(ctx, c, fmt.Sprintf("plan-%d", i), p.env, q)
	if err == nil {
		err = x.clearAway(ctx, p, q, ev.Verdict)
	}
	switch {
	case leaving(ctx, err):
		return "", err
	case kedge.Blocked.Is(err), kedge.Conflict.Is(err):
		return gate.Clip(one.Name + " (" + why(err) + ")"), nil
	case err != nil:
		return "", err
	}
	r, ran := resultOf(ev.Verdict)
	if ran && r.FirstFailure == nil {
		return "", nil
	}
	return one.Name + " (" + check.ShellLine(one) + ")", nil
}
