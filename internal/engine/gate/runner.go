package gate

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"kedge"
	"kedge/internal/process"
)

// ErrLeft is the cause to cancel a gate's context with when whoever runs it must
// go and the gate is not to end: its lines run on where the Runner can let them,
// and Run gives this error.
var ErrLeft = errors.New("Kedge stopped the checks and will finish them later")

// Runner runs the shell lines of checks and services.
type Runner interface {
	// Start starts a line, or takes up the one that was started with the same
	// log before. A context that ends stops it, unless the cause is ErrLeft.
	Start(ctx context.Context, s process.Spec) (Line, error)
	// Runs tells whether a line was started with the log before and runs.
	Runs(ctx context.Context, log string) bool
}

// Line is one started shell line.
type Line interface {
	Done() <-chan struct{}
	Wait() (process.Result, error)
	Stop() (process.Result, error)
	Since() time.Time // when it was started; zero: now
}

// direct runs lines as children of this process: they end when it does.
type direct struct{}

type child struct{ *process.Proc }

func (child) Since() time.Time { return time.Time{} }

// LineEnv is the environment of a line: what an agent wrote runs in it, so it is
// marked like that of a session, without the token of one or of an operator, and nothing
// in it starts a daemon.
func LineEnv(env []string, id kedge.SessionID) []string {
	out := slices.DeleteFunc(process.WithoutOperator(process.WithoutToken(env)), func(kv string) bool { return strings.HasPrefix(kv, "KEDGE_SESSION=") })
	return append(out, "KEDGE_SESSION="+string(id))
}

func (direct) Start(ctx context.Context, s process.Spec) (Line, error) {
	s.Env = LineEnv(s.Env, kedge.SessionID(kedge.NewID("ses", time.Now())))
	p, err := process.Start(ctx, s)
	return child{p}, err
}

func (direct) Runs(context.Context, string) bool { return false }

// left tells whether ctx ended because the gate is to be finished later.
func left(ctx context.Context) bool { return errors.Is(context.Cause(ctx), ErrLeft) }

// cause is why ctx ended; nil while it has not.
func cause(ctx context.Context) error {
	if left(ctx) {
		return ErrLeft
	}
	return ctx.Err()
}
