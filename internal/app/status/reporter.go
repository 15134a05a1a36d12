// Package status reports the state of a project, and saves what a fresh session or you
// need to continue: status, drift, the brief of `kedge prime`, checkpoints and handoffs.
// It reports what it cannot find out as unknown. A checkpoint is in the journal before
// its file is written. The package never changes features, plan or memory.
package status

import (
	"context"

	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	"kedge/internal/insight/stats"
)

// Runs is what this package needs from the runs of a project.
type Runs interface {
	// Status fills in the newest run, what its sessions used, and what comes next.
	Status(ctx context.Context, p *projects.Project, r *Reply) error
	// LastTip is the newest commit of the newest run; empty when there is none.
	LastTip(ctx context.Context, p *projects.Project) (string, error)
}

// Reporter answers for the projects of one KEDGE_HOME.
type Reporter struct {
	home   *projects.Home
	ledger *ledger.Ledger
	runs   Runs
	cuts   projects.Each[cut]
}

// New makes a Reporter. It reads nothing before the first call.
func New(home *projects.Home, l *ledger.Ledger, runs Runs) *Reporter {
	return &Reporter{
		home: home, ledger: l, runs: runs,
		cuts: projects.Each[cut]{New: func() *cut { return &cut{journal: stats.NewJournal()} }},
	}
}
