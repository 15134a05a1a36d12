// Package setup makes a project of a folder (`kedge init`) and takes Kedge out of it
// again. It promises that what is there stays, that what cannot be finished is refused
// before anything is written, and that a commit of its holds exactly its own changes.
// It never removes a file that somebody wrote into.
package setup

import (
	"sync"

	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	"kedge/internal/app/status"
)

// Enroller answers for the projects of one KEDGE_HOME.
type Enroller struct {
	home     *projects.Home
	ledger   *ledger.Ledger
	standing *status.Teller

	mu sync.Mutex // one folder gets its id at a time
}

// New makes one; it does nothing until it is asked.
func New(home *projects.Home, l *ledger.Ledger, standing *status.Teller) *Enroller {
	return &Enroller{home: home, ledger: l, standing: standing}
}
