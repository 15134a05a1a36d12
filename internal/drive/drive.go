// Package drive answers the commands of runs, and of the planning that comes before
// them: it begins them, says people's words to them, shows them, and gives the engine
// what it needs of the project: ledger, briefs, settings, sessions. It promises that
// nothing is paid for before what cannot work is refused, that a word which a crash
// kept from a run is said again, and that a run is adopted by whoever comes next. It
// never decides a run's next step: that is package run.
package drive

import (
	"context"
	"time"

	"kedge"
	"kedge/internal/book"
	"kedge/internal/clerk"
	"kedge/internal/keep"
	"kedge/internal/life"
	"kedge/internal/project"
	"kedge/internal/standing"
	"kedge/internal/store"
)

// Config is what runs need from outside.
type Config struct {
	Sessions keep.Sessions
	// Engine makes the engine of a project's runs; nil: the local one.
	Engine func(ctx context.Context, p kedge.Project, st *store.Store) (RunEngine, error)
	// EnvPatience is how long a run whose environment nobody knows waits for
	// whoever watches it to say it again, before it works in the usual one.
	EnvPatience time.Duration
}

// Driver answers for the runs of one KEDGE_HOME.
type Driver struct {
	cfg  Config
	home *project.Home
	life *life.Life

	book     *book.Book
	clerk    *clerk.Clerk
	standing *standing.Teller
	keeper   *keep.Keeper

	engines engines
	paces   paces
}

// New makes one. It can be named to others at once; before Bind nothing may be
// asked of it.
func New(home *project.Home, life *life.Life, cfg Config) *Driver {
	return &Driver{cfg: cfg, home: home, life: life}
}

// Bind gives it those who answer the other commands, which know it too.
func (s *Driver) Bind(book *book.Book, clerk *clerk.Clerk, standing *standing.Teller, keeper *keep.Keeper) {
	s.book, s.clerk, s.standing, s.keeper = book, clerk, standing, keeper
}
