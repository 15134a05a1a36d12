package execute

import (
	"context"
	"errors"
	"path/filepath"

	"kedge"
	"kedge/internal/core/run"
	"kedge/internal/engine"
	"kedge/internal/engine/gate"
	"kedge/internal/process"
)

// lasting gives a context for what runs under holders: where the engine goes
// away they are left alone.
func lasting(ctx context.Context) (context.Context, func()) {
	out, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		cause := context.Cause(ctx)
		if errors.Is(cause, engine.ErrLeave) {
			cause = gate.ErrLeft
		}
		cancel(cause)
	})
	return out, func() { stop(); cancel(nil) }
}

// leaving tells whether what broke off is to be done again later.
func leaving(ctx context.Context, err error) bool {
	return err != nil && (errors.Is(context.Cause(ctx), engine.ErrLeave) || errors.Is(err, gate.ErrLeft))
}

// evidenceID is that of a verdict of the command, whoever carries it out.
func evidenceID(c run.Command, what string) kedge.EvidenceID {
	return kedge.EvidenceID(kedge.DeriveID("evd", c.At, key(c, what)))
}

// gateDir is where the logs of a gate are.
func (x *Executor) gateDir(id kedge.EvidenceID) string {
	return filepath.Join(x.cfg.Home, "projects", string(x.cfg.Project), "gate", string(id))
}

// line runs a shell line to its end, or takes up the one that was started with
// the same log before.
func (x *Executor) line(ctx context.Context, s process.Spec) (process.Result, error) {
	if x.cfg.Runner == nil {
		s.Env = gate.LineEnv(s.Env, kedge.SessionID(kedge.NewID("ses", x.cfg.Now())))
		return process.Run(ctx, s)
	}
	l, err := x.cfg.Runner.Start(ctx, s)
	if err != nil {
		return process.Result{}, err
	}
	res, err := l.Wait()
	if err == nil && res.End == process.Stopped {
		err = context.Cause(ctx)
	}
	return res, err
}

// env is the environment of the run's lines.
func (x *Executor) env(id kedge.RunID) []string {
	if x.cfg.Env == nil {
		return nil
	}
	return x.cfg.Env(id)
}

// why is an error as the reason of an event, with what to do next.
func why(err error) string { return gate.Why(err) }
