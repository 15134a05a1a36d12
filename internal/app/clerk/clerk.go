// Package clerk answers the commands that look into the book and enter into it:
// features, decisions, risks, notes, rules and recall. It promises that a
// locked definition changes only by a person's word with a reason, that a locked
// decision is only ever superseded or withdrawn, and that a run which lives is told of
// what a person changed. It never gives a verdict.
package clerk

import (
	"context"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	"kedge/internal/core/run"
)

// Runs is what the clerk needs from whoever drives runs.
type Runs interface {
	// Tell lets a run that lives know what a person did to the ledger.
	Tell(ctx context.Context, p *projects.Project, who projects.Caller, ev run.Event) error
	// Accept accepts a feature of a run that lives; done is false when no run has it.
	Accept(ctx context.Context, who projects.Caller, in FeatureStatusRequest) (reply FeatureReply, done bool, err error)
	// Holds tells whether a run has work on a feature that nobody accepted and that has
	// not landed, whatever the feature is by now.
	Holds(ctx context.Context, who projects.Caller, id kedge.FeatureID) (bool, error)
	// Save has a checkpoint saved of the work under way, and says why.
	Save(ctx context.Context, who projects.Caller, reason string)
}

// Clerk answers for the projects of one KEDGE_HOME.
type Clerk struct {
	home *projects.Home
	book *ledger.Book
	runs Runs
}

// New makes one; it does nothing until it is asked.
func New(home *projects.Home, book *ledger.Book, runs Runs) *Clerk {
	return &Clerk{home: home, book: book, runs: runs}
}
