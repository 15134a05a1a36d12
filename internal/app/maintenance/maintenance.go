// Package maintenance answers the commands that look after Kedge's own data: doctor,
// rebuild, backup, the list of projects, salvage, worktrees, git filters, and trust in
// files that run code or steer agents. Only your own command deletes anything. The
// journal first records what the command will delete, so that the same request, repeated
// after a crash, finishes the work. The package never touches a worktree that Kedge did
// not make. The doctor changes only files that are behind the journal.
package maintenance

import (
	"context"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
)

// Work is what this package needs from sessions and runs.
type Work interface {
	// Living are the project's sessions whose program runs.
	Living(ctx context.Context, p *projects.Project) ([]kedge.Session, error)
	// Going is a run of the project that does something by itself, or has a session
	// that lives; empty for none.
	Going(ctx context.Context, p *projects.Project) (kedge.RunID, error)
	// CheckRuns says what is wrong with the project's runs.
	CheckRuns(ctx context.Context, p *projects.Project) []kedge.Finding
	// CheckAgents says what is known of the agents that the project names, as they are
	// found in an environment.
	CheckAgents(ctx context.Context, p *projects.Project, env []string) []kedge.Finding
}

// Maintenance answers for the projects of one KEDGE_HOME.
type Maintenance struct {
	home   *projects.Home
	ledger *ledger.Ledger
	work   Work
}

// New makes a Maintenance. It reads nothing before the first call.
func New(home *projects.Home, l *ledger.Ledger, work Work) *Maintenance {
	return &Maintenance{home: home, ledger: l, work: work}
}
