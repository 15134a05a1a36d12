// Package clerk answers the commands about the plan in plan.md: write a draft, show it,
// check it, approve it. Only a user approves a plan. Approval freezes the text, makes
// one feature of each item, and lets the run that planned continue.
package clerk

import (
	"context"

	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	"kedge/internal/git"
)

// Runs is what the clerk needs from whoever drives runs.
type Runs interface {
	// PlanMayGo refuses what keeps the run that planned from going on with the work.
	PlanMayGo(ctx context.Context, p *projects.Project) error
	// PlanApproved lets the run that planned go on with the work.
	PlanApproved(ctx context.Context, p *projects.Project, who projects.Caller) (started bool, err error)
	// Uncommitted are the files of the checkout that are Kedge's alone and differ
	// from the last commit.
	Uncommitted(ctx context.Context, p *projects.Project, repo *git.Repo) ([]string, error)
}

// Clerk answers for the projects of one KEDGE_HOME.
type Clerk struct {
	home *projects.Home
	book *ledger.Ledger
	runs Runs
}

// New makes one; it does nothing until it is asked.
func New(home *projects.Home, book *ledger.Ledger, runs Runs) *Clerk {
	return &Clerk{home: home, book: book, runs: runs}
}
