package execute

import (
	"context"
	"fmt"
	"strings"

	"kedge"
	"kedge/internal/core/run"
	"kedge/internal/engine/gate"
)

// withPlan adds to what the feature's checks say before the work which checks of its plan
// are red there already: the work is not to blame for these. A later feature may be what
// makes them green, so nothing halts.
func (x *Executor) withPlan(ctx context.Context, c run.Command, p place, ev run.Input) (run.Input, error) {
	if ev.Outcome != run.Fails && ev.Outcome != run.NoChecks {
		return ev, nil // no session starts
	}
	all, err := x.demanded(ctx, c, p.gate.Checks)
	if err != nil {
		return ev, err
	}
	own, err := x.ownChecks(ctx, c)
	if err != nil {
		return ev, err
	}
	var red []string
	for i, one := range all[len(own):] {
		what, err := x.redBefore(ctx, c, p, one, i)
		if err != nil {
			return ev, err
		}
		if what != "" {
			red = append(red, what)
		}
	}
	if len(red) > 0 {
		ev.Text = "red before the work, by the plan: " + strings.Join(red, ", ")
	}
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
	if r, ran := resultOf(ev.Verdict); ran && r.FirstFailure != nil {
		return one.Name + " (" + r.Command + ")", nil
	}
	return "", nil
}
