package engine

import (
	"context"

	"kedge"
	"kedge/internal/core/config"
	"kedge/internal/core/plan"
	"kedge/internal/core/run"
	"kedge/internal/git"
	"kedge/internal/git/slot"
	"kedge/internal/insight/resume"
)

// What an executor needs of the project.

// Approvals knows what you approved. It is required, since an
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
