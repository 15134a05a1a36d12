// Package setup sets Kedge up in a folder (`kedge init`) and removes it again. Existing
// content stays. If it cannot finish, it refuses before it writes anything. A commit of
// this package contains exactly its own changes. It never removes a file that somebody
// edited.
package setup

import (
	"sync"

	"kedge/internal/app/ledger"
	"kedge/internal/app/maintenance"
	"kedge/internal/app/projects"
	"kedge/internal/app/status"
	"kedge/internal/engine/gate"
)

// Setup answers for the projects of one KEDGE_HOME.
type Setup struct {
	home   *projects.Home
	ledger *ledger.Ledger
	status *status.Reporter
	care   *maintenance.Maintenance
	life   *projects.Life
	lines  func() gate.Runner
	with   With

	mu sync.Mutex // one folder gets its id at a time
}

// With is the path of this program, and of the folder in which the daemon and the
// holders listen.
type With struct{ Program, Sockets string }

// New makes a Setup. It reads nothing before the first call. Lines gives the runner of what
// is tried, or nil.
func New(home *projects.Home, l *ledger.Ledger, st *status.Reporter, care *maintenance.Maintenance, life *projects.Life, lines func() gate.Runner, with With) *Setup {
	return &Setup{home: home, ledger: l, status: st, care: care, life: life, lines: lines, with: with}
}
