// Package memory answers the commands about what a project remembers: decisions, risks,
// notes, the rules in rules.md, and recall, which searches all of them. A locked decision
// never changes: another one supersedes it, or you withdraw it with a reason. A risk
// stays open until you or an agent closes it with a reason. The package never judges
// work; package verify does.
package memory

import (
	"context"

	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
)

// Runs is what this package needs from the runs of a project.
type Runs interface {
	// Save saves a checkpoint of the run that is going on, with the reason for it.
	Save(ctx context.Context, who projects.Caller, reason string)
}

// Memory answers for the projects of one KEDGE_HOME.
type Memory struct {
	home   *projects.Home
	ledger *ledger.Ledger
	runs   Runs
}

// New makes a Memory. It reads nothing before the first call.
func New(home *projects.Home, l *ledger.Ledger, runs Runs) *Memory {
	return &Memory{home: home, ledger: l, runs: runs}
}
