// Package status tells where the work of a project stands, and keeps what a fresh
// session or a person goes on from: status, drift, the brief of `kedge prime`, checkpoints
// and handoffs. It promises that what is not known is told as unknown, and that a
// checkpoint is in the journal before its file is written. It never changes the ledger.
package status

import (
	"context"

	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
)

// Runs is what a status has to ask whoever drives runs.
type Runs interface {
	// Status fills in the newest run, what its sessions used, and what comes next.
	Status(ctx context.Context, p *projects.Project, r *StatusReply) error
	// LastTip is the newest commit of the newest run; empty when there is none.
	LastTip(ctx context.Context, p *projects.Project) (string, error)
}

// Teller answers for the projects of one KEDGE_HOME.
type Teller struct {
	home   *projects.Home
	ledger *ledger.Ledger
	runs   Runs
	cuts   cuts
}

// New makes one; it does nothing until it is asked.
func New(home *projects.Home, l *ledger.Ledger, runs Runs) *Teller {
	return &Teller{home: home, ledger: l, runs: runs}
}
