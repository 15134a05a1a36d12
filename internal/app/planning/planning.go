// Package planning answers the commands about plans: it lets sessions make a plan for a
// goal, takes your answers and your edits, approves and drops plans, and shows them. It
// promises that nothing you typed into plan.md is lost, that an approved plan is locked,
// and that its features and the commit with them exist before a run works on them. It
// never decides a run's next step.
package planning

import (
	"kedge/internal/app/landing"
	"kedge/internal/app/ledger"

	"kedge/internal/app/projects"
	"kedge/internal/app/runs"
	"kedge/internal/app/supply"
	"kedge/internal/app/verify"
)

// Planner answers for the projects of one KEDGE_HOME.
type Planner struct {
	home    *projects.Home
	life    *projects.Life
	book    *ledger.Ledger
	landing *landing.Landing
	supply  *supply.Supply
	runs    *runs.Runs
	verify  *verify.Verifier
}

// Parts are what a Planner asks.
type Parts struct {
	Book    *ledger.Ledger
	Landing *landing.Landing
	Supply  *supply.Supply
	Runs    *runs.Runs
	Verify  *verify.Verifier
}

// New makes one; before Use nothing may be asked of it.
func New(home *projects.Home, life *projects.Life) *Planner {
	return &Planner{home: home, life: life}
}

// Use gives it what it asks: its supply and its runs know it too.
func (s *Planner) Use(parts Parts) {
	s.book, s.landing, s.supply, s.runs, s.verify = parts.Book, parts.Landing, parts.Supply, parts.Runs, parts.Verify
}
