// Package maintenance answers the commands with which people look after what Kedge keeps
// for them: the doctor, rebuild and backup, the list of projects, salvage, worktrees,
// git filters and what a repository brings along for agents. It promises that nothing is thrown away but by a person's command,
// and that what is to go is in the journal first, so that a request which a crash
// interrupted is finished by the same request. It never touches a work tree that
// Kedge did not make, and the doctor changes nothing but files that are behind the
// journal.
package maintenance

import (
	"context"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
)

// Work is what care has to know of sessions and runs.
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

// Care answers for the projects of one KEDGE_HOME.
type Care struct {
	home   *projects.Home
	ledger *ledger.Ledger
	work   Work
}

// New makes one; it does nothing until it is asked.
func New(home *projects.Home, l *ledger.Ledger, work Work) *Care {
	return &Care{home: home, ledger: l, work: work}
}
