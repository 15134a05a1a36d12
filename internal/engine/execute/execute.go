// Package execute carries out the commands of runs with git, the gate, holders and
// agents: one file per command. It owns the way from a run.Command to its effect
// and back to the run.Input that answers it, and decides nothing that run.Step
// decides. Every effect is idempotent: names, dates and parents come from the
// command, so that doing it again gives the same.
package execute

import (
	"context"
	"log/slog"
	"time"

	"kedge"
	"kedge/internal/agents"
	"kedge/internal/core/config"
	"kedge/internal/core/plan"
	"kedge/internal/core/run"
	"kedge/internal/core/watch"
	"kedge/internal/engine/gate"
	"kedge/internal/git"
	"kedge/internal/git/slot"
	"kedge/internal/insight/resume"
	"kedge/internal/process/hold"
)

// Config is what an executor of one project's runs needs from outside.
type Config struct {
	Project   kedge.ProjectID
	Home      string    // $KEDGE_HOME
	Repo      *git.Repo // the user's checkout: where a run lands, and whose files nobody else touches
	Slots     *slot.Slots
	Ledger    Records
	Briefs    Briefs
	Rules     Rules
	Approvals Approvals
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

// Approvals knows what you approved. It is required: New panics without it, since an
// executor that asks nobody would run whatever a repository or an agent brings.
type Approvals interface {
	// Trusted refuses, with kedge.Blocked, to start a session of the command in a work
	// tree that holds files which agents run or obey and which you did not approve.
	// After is the session that worked there last.
	Trusted(ctx context.Context, c run.Command, dir string, after kedge.SessionID) error
	// Brings lists what the work in a tree adds or changes of the files that programs
	// run or obey by themselves, and what was found besides that waits for your approval, as
	// far as you did not approve it, with words about it; no words: nothing.
	Brings(ctx context.Context, c run.Command, tree string, found []kedge.Finding) (items []kedge.Trusted, words string, err error)
	// Unaccepted lists the features with work that a tip has, the branch at a commit has
	// not, and you neither accepted nor let land. While there is one, nothing lands.
	Unaccepted(ctx context.Context, tip, at string) ([]kedge.FeatureID, error)
}

// Rules reads what people set, as it stands at a commit: never from a worktree
// that an agent wrote.
type Rules interface {
	At(ctx context.Context, commit string) (config.Config, config.Gate, error)
}

// Records is what a run reads and records of the project: features, verdicts, sessions,
// salvage. A key makes a write that is repeated take effect once.
type Records interface {
	// Feature gives a feature and the hash of its definition; Conflict when the
	// hash is not the one asked for (empty: any).
	Feature(ctx context.Context, id kedge.FeatureID, hash string) (kedge.Feature, error)
	// Features are all of them, in the order of the plan.
	Features(ctx context.Context) ([]kedge.Feature, error)
	// Allowed are the paths, and the existing tests, that the definition of a feature lets its work
	// change, where you wrote or approved it.
	Allowed(ctx context.Context, id kedge.FeatureID) (paths, tests []string, err error)
	// PlanDemands are the checks that its approved plan adds to the gate of a feature,
	// beside others that run there.
	PlanDemands(ctx context.Context, f kedge.Definition, others []kedge.Check) (plan.Demands, error)
	// Mark journals a status.
	Mark(ctx context.Context, key string, actor kedge.Actor, data kedge.FeatureStatusData) error
	// KeepEvidence journals a verdict.
	KeepEvidence(ctx context.Context, key string, ev kedge.Evidence) error
	// Session journals a fact about a session of the run: that it started, or
	// ended, and what it used; or what was found in its work.
	Session(ctx context.Context, key string, ev kedge.Event) error
	// Salvaged journals what was set aside.
	Salvaged(ctx context.Context, key string, s kedge.Salvage) error
	// Project writes the projections (.kedge/, AGENT_CONTEXT.md) into a worktree.
	Project(ctx context.Context, dir string) error
}

// Briefs writes what sessions are told and what they leave behind.
type Briefs interface {
	// Brief makes the text that a session of the command starts with. The same
	// command and the same facts give the same bytes.
	Brief(ctx context.Context, c run.Command, at Position) (text string, err error)
	// Checkpoint saves a checkpoint of the job; tree is the worktree's, kept the
	// salvage that holds a copy of it.
	Checkpoint(ctx context.Context, c run.Command, at Position) (kedge.CheckpointID, error)
	// Compare says what changed in a worktree, whose tree this is, since a checkpoint.
	Compare(ctx context.Context, id kedge.CheckpointID, tree string) (kedge.Compared, error)
	// Handoff saves what the next session at the work of the job's latest session has to
	// know: it ends, or ended, before that was done.
	Handoff(ctx context.Context, c run.Command, at Position) error
	// Note saves what a finished feature taught.
	Note(ctx context.Context, c run.Command, at Position) error
	// TakenBack knows that the work in the command's Text was taken back: no note
	// says any more that it is good.
	TakenBack(ctx context.Context, c run.Command) error
	// Told remembers what a person told a job that has no living session.
	Told(ctx context.Context, c run.Command) error
	// Notify tells people.
	Notify(ctx context.Context, c run.Command) error
}

// Position is the state of a job's worktree: its folder, commit, tree and changed files.
type Position struct {
	Dir     string
	Session kedge.SessionID // the latest of the job
	Commit  string
	Tree    string
	Files   []git.Change // since the base
	Salvage kedge.SalvageID
	Trail   Trail // what the session left behind
	// Conflict is that of the job's work, where its next session has to know of it; nil: none.
	Conflict *slot.Conflict
}

// Trail is what is known of a session from its own output.
type Trail struct {
	Stood resume.Summary // where it stood when it told the last
	Used  *kedge.Spend   // nil: it never said
	Said  string         // the last that its agent said, as kedge.Session.Closing
}
