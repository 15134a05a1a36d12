// Package supply gives a run what it needs: its rules, made of settings and flags; the
// ledger, to read features and to record what happened; briefs, checkpoints and notes;
// the agent of each session; and the decisions and limits that sessions must keep to. It
// promises to record a fact once, even if two daemons carry out the same command, and to
// read settings and rules at a commit, where no agent can change them. It never decides a
// run's next step.
package supply

import (
	"kedge/internal/app/landing"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	"kedge/internal/app/sessions"
	"kedge/internal/app/status"
)

// Supply answers for the projects of one KEDGE_HOME.
type Supply struct {
	home    *projects.Home
	book    *ledger.Ledger
	status  *status.Reporter
	keeper  *sessions.Manager
	landing *landing.Landing
	planner Planning
	program string
}

// Parts are what a Supply asks.
type Parts struct {
	Book     *ledger.Ledger
	Status   *status.Reporter
	Sessions *sessions.Manager
	Landing  *landing.Landing
	Planning Planning
	Program  string // kedge itself, which a sandbox must let run
}

// New makes one; it does nothing until it is asked.
func New(home *projects.Home, parts Parts) *Supply {
	return &Supply{
		home: home, book: parts.Book, status: parts.Status, keeper: parts.Sessions, landing: parts.Landing,
		planner: parts.Planning, program: parts.Program,
	}
}
