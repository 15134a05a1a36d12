// Package runs starts runs, passes your commands on to them, lands their work and shows
// them. It refuses a run that cannot work, before anything costs money. If a crash kept a
// command from a run, the run gets the command later. The next daemon takes over living
// runs. The package never decides a run's next step: package run does.
package runs

import (
	"context"
	"time"

	"kedge"
	"kedge/internal/app/landing"
	"kedge/internal/app/ledger"

	"kedge/internal/app/projects"
	"kedge/internal/app/sessions"
	"kedge/internal/app/status"
	"kedge/internal/app/supply"
	"kedge/internal/core/run"
	"kedge/internal/journal"
)

// Config is what runs need from outside.
type Config struct {
	Sessions sessions.Sessions
	// Engine makes the engine of a project's runs; nil: the local one.
	Engine func(ctx context.Context, p kedge.Project, st *journal.Store) (RunEngine, error)
	// EnvPatience is how long a run whose environment is unknown waits for
	// whoever watches it to say it again, before it works in the usual one.
	EnvPatience time.Duration
}

// Planning is what runs ask of whoever makes plans.
type Planning interface {
	// TakeTyped takes the answers that you wrote into plan.md, and gives the run as it
	// is then: where nothing is open that the plan needs, it continues to plan.
	TakeTyped(ctx context.Context, p *projects.Project, who projects.Caller, last run.State, env []string) (run.State, error)
	// PlanSteps are your next steps about a run that plans and rests.
	PlanSteps(ctx context.Context, p *projects.Project, id kedge.RunID) ([]kedge.NextStep, error)
	// PlanReason says why a run that plans rests.
	PlanReason(ctx context.Context, p *projects.Project, st *run.State) (string, error)
	// FinishFounding writes the settings of an approved plan that a crash kept back.
	FinishFounding(ctx context.Context, p *projects.Project, who projects.Caller) error
	// ResumeApproval takes an approval to its end that a crash cut.
	ResumeApproval(ctx context.Context, who projects.Caller) error
}

// Runs answers for the runs of one KEDGE_HOME.
type Runs struct {
	cfg  Config
	home *projects.Home
	life *projects.Life

	book     *ledger.Ledger
	status   *status.Reporter
	keeper   *sessions.Manager
	landing  *landing.Landing
	supply   *supply.Supply
	planning Planning

	engines engines
	paces   projects.Each[pace]
	prices  prices
}

// Parts are what runs ask.
type Parts struct {
	Book     *ledger.Ledger
	Status   *status.Reporter
	Sessions *sessions.Manager
	Landing  *landing.Landing
	Supply   *supply.Supply
	Planning Planning
}

// New makes one. It can be passed to others at once; before Use nothing may be asked
// of it.
func New(home *projects.Home, life *projects.Life, cfg Config) *Runs {
	return &Runs{cfg: cfg, home: home, life: life}
}

// Use gives it what it asks: some of these parts know the runs too.
func (s *Runs) Use(parts Parts) {
	s.book, s.status, s.keeper = parts.Book, parts.Status, parts.Sessions
	s.landing, s.supply, s.planning = parts.Landing, parts.Supply, parts.Planning
}
