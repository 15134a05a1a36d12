package execute

import (
	"context"

	"kedge"
	"kedge/internal/core/config"

	"kedge/internal/core/run"
)

// inspectAll is inspect, and for a planning session that left the tree alone
// also whether its plan has faults.
func (x *Executor) inspectAll(ctx context.Context, c run.Command, report func(run.Input)) (run.Input, error) {
	ev, err := x.inspect(ctx, c, report)
	quiet := ev.Outcome == run.Empty || ev.Outcome == run.Clean
	if err != nil || c.Purpose != run.MakePlan || !quiet || x.cfg.Planned == nil {
		return ev, err
	}
	faults, err := x.cfg.Planned(ctx, c)
	if err != nil {
		return run.Input{}, err
	}
	if faults != "" {
		ev.Outcome, ev.Failure = run.Red, faults
	}
	return ev, nil
}

// route is the agent of a session: the one that the run fell back to, else the
// one for this kind of work.
func (x *Executor) route(ctx context.Context, c run.Command) (kedge.Routed, error) {
	if x.cfg.Route != nil {
		return x.cfg.Route(ctx, c)
	}
	return config.ChooseAgent(config.Route{}, config.RoutedWork{Purpose: string(c.Purpose), Fallback: c.Route}), nil
}
