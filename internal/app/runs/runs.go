// Package runs answers the commands of runs, and of the planning that comes before
// them: it begins them, says people's words to them, shows them, and gives the engine
// what it needs of the project: ledger, briefs, settings, sessions. It promises that
// nothing is paid for before what cannot work is refused, that a word which a crash
// kept from a run is said again, and that a run is adopted by whoever comes next. It
// never decides a run's next step: that is package run.
package runs

import (
	"context"
	"time"

	"kedge"
	"kedge/internal/app/clerk"
	"kedge/internal/app/ledger"
	"kedge/internal/app/lifecycle"
	"kedge/internal/app/projects"
	"kedge/internal/app/sessions"
	"kedge/internal/app/status"
	"kedge/internal/journal"
)

// Config is what runs need from outside.
type Config struct {
	Sessions sessions.Sessions
	// Engine makes the engine of a project's runs; nil: the local one.
	Engine func(ctx context.Context, p kedge.Project, st *journal.Store) (RunEngine, error)
	// EnvPatience is how long a run whose environment nobody knows waits for
	// whoever watches it to say it again, before it works in the usual one.
	EnvPatience time.Duration
}

// Driver answers for the runs of one KEDGE_HOME.
type Driver struct {
	cfg  Config
	home *projects.Home
	life *lifecycle.Life

	book     *ledger.Ledger
	clerk    *clerk.Clerk
	standing *status.Teller
	keeper   *sessions.Keeper

	engines engines
	paces   paces
}

// New makes one. It can be named to others at once; before Bind nothing may be
// asked of it.
func New(home *projects.Home, life *lifecycle.Life, cfg Config) *Driver {
	return &Driver{cfg: cfg, home: home, life: life}
}

// Bind gives it those who answer the other commands, which know it too.
func (s *Driver) Bind(book *ledger.Ledger, clerk *clerk.Clerk, standing *status.Teller, keeper *sessions.Keeper) {
	s.book, s.clerk, s.standing, s.keeper = book, clerk, standing, keeper
}
