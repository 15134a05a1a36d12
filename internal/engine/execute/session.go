package execute

import (
	"cmp"
	"context"
	"strconv"

	"kedge"
	"kedge/internal/agents"
	"kedge/internal/agents/catalog"
	"kedge/internal/core/run"
	"kedge/internal/engine"
	"kedge/internal/engine/follow"
	"kedge/internal/git/slot"
	"kedge/internal/process/sandbox"
)

// startSession starts the session of a job, or takes up the one that an earlier
// owner of the command started, and follows it to its end.
func (x *Executor) startSession(ctx context.Context, c run.Command, report func(run.Input)) (run.Input, error) {
	routed, err := x.route(ctx, c)
	if err != nil {
		return run.Input{}, err
	}
	adapter, model, err := x.cfg.Agent(routed.Name())
	if err != nil {
		ev := c.Reply(run.NoLogin)
		ev.Reason = err.Error()
		return ev, nil //nolint:nilerr // an agent that cannot be had is an answer to the run
	}
	if ev, err := x.refuseUntrusted(ctx, c); err != nil {
		return run.Input{}, err
	} else if ev != nil {
		return *ev, nil
	}
	var from slot.Job // as the session before left it
	j, err := x.keep(c, func(j *slot.Job) {
		from = *j
		if j.Epoch != c.Origin() || j.Session == "" {
			j.Session, j.Epoch, j.Route, j.Resume = sessionID(c), c.Origin(), routed.Name(), c.Resume
			j.Place, j.Moved = 0, false
			j.Sessions++
		}
	})
	if err != nil {
		return run.Input{}, err
	}
	routed.Model = model
	w, err := x.work(ctx, c, j, adapter)
	if err != nil {
		return run.Input{}, err
	}
	w.Route, w.Compared = routed, x.compared(from, w.Tree)
	return x.sessions.Session(ctx, w, report)
}

// compared holds a job's worktree against its last checkpoint. A worktree that was
// prepared anew since then, or never had a session, continues from none.
func (x *Executor) compared(from slot.Job, dir string) func(context.Context) (*kedge.Compared, error) {
	if from.Checkpoint == "" || from.Session == "" || from.Epoch <= from.Prepare {
		return nil
	}
	return func(ctx context.Context) (*kedge.Compared, error) {
		repo, err := x.cfg.Repo.In(ctx, dir)
		if err != nil {
			return nil, err
		}
		tree, err := repo.Tree(ctx)
		if err != nil {
			return nil, err
		}
		done, err := x.cfg.Briefs.Compare(ctx, from.Checkpoint, tree)
		done.At = x.cfg.Now().UTC()
		return &done, err
	}
}

// sessionID is the same for every owner of the command.
func sessionID(c run.Command) kedge.SessionID {
	return kedge.SessionID(kedge.DeriveID("ses", c.At, string(c.Run)+"-"+strconv.FormatInt(c.Origin(), 10)))
}

// work says what the session of a job is given.
func (x *Executor) work(ctx context.Context, c run.Command, j slot.Job, adapter agents.Adapter) (follow.Work, error) {
	repo, err := x.cfg.Slots.Open(ctx, j)
	if err != nil {
		return follow.Work{}, err
	}
	limits, err := x.limits(ctx, c)
	return follow.Work{
		Command: c, Session: j.Session, Number: cmp.Or(c.Number, j.Sessions), Tree: repo.Root(), Adapter: adapter,
		Limits: limits, Saved: j.Place,
		Env:   func() []string { return x.env(c.Run) },
		Brief: func() (string, error) { return x.briefText(c) },
		Tools: func(ctx context.Context) ([]string, error) { return x.tools(ctx, c) },
		Offer: func(ctx context.Context, agent string) (agents.Offer, error) { return x.offer(ctx, c, agent) },
		Box: func(ctx context.Context) (sandbox.Box, error) {
			return x.box(ctx, c, repo.Root(), catalog.Of(adapter.Kind()).Writes)
		},
	}, err
}

// tools is the command that serves Kedge's tools to a session; nil where the settings
// at its base do not want them.
func (x *Executor) tools(ctx context.Context, c run.Command) ([]string, error) {
	conf, err := x.configAt(ctx, c)
	if err != nil || !conf.Run.MCP || x.cfg.Program == "" {
		return nil, err
	}
	return []string{x.cfg.Program, "mcp"}, nil
}

// offer is what of an agent's tools a session gets, by the settings at its base.
func (x *Executor) offer(ctx context.Context, c run.Command, agent string) (agents.Offer, error) {
	conf, err := x.configAt(ctx, c)
	row, _ := conf.ToolsFor(agent, string(c.Purpose))
	return agents.Offer{Only: row.Only, Without: row.Without, Servers: row.Servers}, err
}

// tell passes on what you say: to the living session, where it can hear, and into the
// next brief in any case, since a session may end before it acts on it. A session that is
// held or let go reads nothing.
func (x *Executor) tell(ctx context.Context, c run.Command, _ func(run.Input)) (run.Input, error) {
	if c.Scope == run.Held || c.Scope == run.Going {
		x.sessions.Tell(ctx, c)
		return c.Reply(run.OK), engine.Left(ctx)
	}
	if err := x.cfg.Briefs.Told(ctx, c); err != nil {
		return run.Input{}, err
	}
	x.sessions.Tell(ctx, c)
	return c.Reply(run.OK), engine.Left(ctx)
}

// nextTurn waits for the end of the session: to the run a session is one turn, and
// its end withdraws the command.
func (x *Executor) nextTurn(ctx context.Context, c run.Command, _ func(run.Input)) (run.Input, error) {
	<-ctx.Done()
	return c.Reply(run.OK), engine.Left(ctx)
}

// endSession asks the job's session to end, with everything that it started. Who
// follows it reports when that is done.
func (x *Executor) endSession(_ context.Context, c run.Command, _ func(run.Input)) (run.Input, error) {
	x.sessions.End(c)
	return c.Reply(run.OK), nil
}
