package execute

import (
	"context"

	"kedge"

	"kedge/internal/agents"
	"kedge/internal/agents/record"
	"kedge/internal/core/run"
	"kedge/internal/core/watch"
	"kedge/internal/engine"
	"kedge/internal/engine/follow"
	"kedge/internal/git/slot"
	"kedge/internal/insight/resume"
)

// trail reads what a session that worked in dir left behind from its own output:
// whoever asks, and however often, gets the same. A session without output left
// nothing.
func (x *Executor) trail(ctx context.Context, c run.Command, j slot.Job, dir string) (engine.Trail, error) {
	id := j.Session
	if id == "" || x.cfg.Agent == nil {
		return engine.Trail{}, nil
	}
	route, err := x.routeOf(ctx, c, j)
	if err != nil {
		return engine.Trail{}, err
	}
	adapter, _, err := x.cfg.Agent(route)
	if err != nil {
		return engine.Trail{}, nil //nolint:nilerr // an agent that is gone from the configuration: what it did is unknown
	}
	var t engine.Trail
	reader := adapter.Reader(agents.Task{Session: id, ReadOnly: c.Purpose == run.MakePlan, Resume: j.Resume})
	var last follow.Closing
	p, err := record.Output(x.sessionDir(id), dir, reader, func(ev watch.Act) { count(&t, ev); last.Take(ev) })
	t.Said = last.Text()
	if err == nil && !p.Empty() {
		t.Stood = p.Brief(dir, resume.DefaultBudget)
	}
	return t, err
}

// routeOf is the route of the job's last session, which need not be that of the
// next one.
func (x *Executor) routeOf(ctx context.Context, c run.Command, j slot.Job) (string, error) {
	if j.Route != "" {
		return j.Route, nil
	}
	r, err := x.route(ctx, c)
	return r.Name(), err
}

// count takes what an event says was used into the sum.
func count(t *engine.Trail, ev watch.Act) {
	s, ok := follow.Spent(ev.Used)
	if ev.Kind != watch.Usage || !ok {
		return
	}
	if t.Used == nil {
		t.Used = &kedge.Spend{}
	}
	t.Used.Tokens += s.Tokens
	t.Used.USD += s.USD
}
