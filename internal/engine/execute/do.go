package execute

import (
	"context"
	"sync"

	"kedge"
	"kedge/internal/core/run"
	"kedge/internal/engine"
	"kedge/internal/engine/follow"
	"kedge/internal/engine/gate"
)

// Executor carries out the commands of one project's runs.
type Executor struct {
	cfg Config
	do  map[run.CommandKind]method

	sessions *follow.Follower

	clean sync.Mutex // held by who uses the clean worktree of a run
	seen  gate.Verdicts
	turns gate.Turns

	here   context.Context // until Leave
	leave  context.CancelFunc
	sweeps sync.WaitGroup
}

// method carries out one kind of command.
type method func(ctx context.Context, c run.Command, report func(run.Input)) (run.Input, error)

// New gives an executor.
func New(cfg Config) *Executor {
	if cfg.Approvals == nil || cfg.Holding == nil {
		panic("execute: an executor needs Approvals and Holding")
	}
	x := &Executor{cfg: cfg, sessions: follow.New(cfg.following())}
	x.here, x.leave = context.WithCancel(context.Background())
	x.do = map[run.CommandKind]method{
		run.Prepare:      x.prepare,
		run.Gate:         x.gate,
		run.Prove:        x.prove,
		run.Brief:        x.brief,
		run.StartSession: x.startSession,
		run.NextTurn:     x.nextTurn,
		run.Tell:         x.tell,
		run.EndSession:   x.endSession,
		run.Checkpoint:   x.checkpoint,
		run.Park:         x.park,
		run.Inspect:      x.inspectAll,
		run.Integrate:    x.inClean(x.integrate),
		run.Commit:       x.inClean(x.commit),
		run.Recheck:      x.recheck,
		run.Note:         x.note,
		run.Mark:         x.mark,
		run.Ledger:       x.inClean(x.ledger),
		run.Revert:       x.revert,
		run.Land:         x.land,
		run.Notify:       x.notify,
	}
	return x
}

// inClean keeps the clean worktree to a method: a baseline of another job may look into
// the past there.
func (x *Executor) inClean(do method) method {
	return func(ctx context.Context, c run.Command, report func(run.Input)) (run.Input, error) {
		x.clean.Lock()
		defer x.clean.Unlock()
		return do(ctx, c, report)
	}
}

// Do implements engine.Executor.
func (x *Executor) Do(ctx context.Context, c run.Command, report func(run.Input)) (run.Input, error) {
	do, ok := x.do[c.Kind]
	if !ok {
		return run.Input{}, kedge.Errorf(kedge.Internal, "this version of Kedge does not know the step %q of the run", string(c.Kind)).WithHint("a newer version of Kedge may have begun the run; see which version this is: kedge version")
	}
	var ev run.Input
	err := x.unpark(ctx, c)
	if err == nil {
		ev, err = do(ctx, c, report)
	}
	if err == nil {
		err = x.letGo(ctx, c, ev)
	}
	if leaving(ctx, err) {
		return run.Input{}, engine.ErrLeave
	}
	return ev, err
}

// following is what the sessions of this project's runs need.
func (cfg Config) following() follow.Config {
	return follow.Config{
		Project: cfg.Project, Home: cfg.Home, Sockets: cfg.Sockets, Holder: cfg.Holder, Now: cfg.Now, Log: cfg.Log,
		Grace: cfg.Grace, Tick: cfg.Tick, Holding: cfg.Holding, Heard: cfg.Heard, Journal: cfg.Ledger.Session,
	}
}
