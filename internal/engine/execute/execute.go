// Package execute carries out the commands of runs with git, the gate, holders and
// agents: one file per command. It owns the way from a run.Command to its effect, and
// back to the run.Input that answers it. It leaves all decisions to run.Step. Every
// effect is idempotent: names, dates and parents come from the command, so a repeated
// command gives the same result.
package execute

import (
	"context"
	"log/slog"
	"time"

	"kedge"
	"kedge/internal/agents"
	"kedge/internal/core/run"
	"kedge/internal/core/watch"
	"kedge/internal/engine"
	"kedge/internal/engine/gate"
	"kedge/internal/git"
	"kedge/internal/git/slot"
	"kedge/internal/process/hold"
)

// Config is what an executor of one project's runs needs from outside.
type Config struct {
	Project   kedge.ProjectID
	Home      string    // $KEDGE_HOME
	Repo      *git.Repo // the user's checkout: where a run lands, and whose files nobody else touches
	Slots     *slot.Slots
	Ledger    engine.Records
	Briefs    engine.Briefs
	Rules     engine.Rules
	Approvals engine.Approvals
	Agent     func(route string) (agents.Adapter, string, error) // by "agent[:model]"; empty: the run's default
	Env       func(run kedge.RunID) []string                     // the caller's environment; never written down
	Holder    *hold.Launcher
	Sockets   string      // a private folder with a short path
	Program   string      // this program, which serves sessions Kedge's tools; empty: they get none
	Runner    gate.Runner // holds the lines of gates; nil: children of this process
	Now       func() time.Time
	Log       *slog.Logger

	// Grace is how long a program that is asked to end has; 0: some seconds.
	Grace time.Duration
	// Tick gives the moments at which living sessions are looked at; nil: by the
	// system's clock.
	Tick func(every time.Duration) (moments <-chan time.Time, stop func())
	// Holding starts the holder of a session and makes known whose it is, so that
	// what descends from it is known as the session's; forget ends that. Start may
	// also only find one that runs.
	Holding func(id kedge.SessionID, start func() (holder int, err error)) (forget func(), err error)
	// Bounds are what the session of a command must keep to beside its feature's
	// definition. Nil: nothing.
	Bounds func(ctx context.Context, c run.Command) (watch.Bounds, error)
	// Talking tells whether a living session of the project has a conversation, so that
	// nobody else may go on with it. Nil: none has.
	Talking func(ctx context.Context, conversation string) (bool, error)
	// Projected tells whether a file of the user's checkout is as Kedge wrote it,
	// so that landing may replace it. Nil: none is.
	Projected func(ctx context.Context, path string) bool
	// Sneaked is the last move of a ref, which is at a commit, to what the worktree of a
	// session has; false where there was none. Nil: unknown.
	Sneaked func(ctx context.Context, ref, at string) (kedge.RefMove, bool, error)

	// Heard is told every event of a session, in order, before the next is read.
	// An adopted session is read again from its beginning, so that an event may be
	// heard twice. Nil: nobody listens.
	Heard func(ctx context.Context, c run.Command, session kedge.SessionID, ev watch.Act) error
	// Planned says what is wrong with what a planning session gave; empty when
	// nothing is, or when it asks people first. Nil: nobody looks.
	Planned func(ctx context.Context, c run.Command) (faults string, err error)
	// Route is the agent of a session of the command, and why it has it; no agent is
	// the run's own. Nil: the command's route, else that.
	Route func(ctx context.Context, c run.Command) (kedge.Routed, error)
}
