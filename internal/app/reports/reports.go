// Package reports answers the commands that look at work that was done: audit, cost,
// stats, and the brief of a session's record. It needs no set-up: what other programs
// left is read where it lies. It promises that what is not known is told as unknown,
// never as nothing; it never writes.
//
// Looker.Brief is the one way to the text with which a session goes on from a record:
// a transcript by its path or id, or a session of Kedge by its name. Commands and
// hooks call it; runs and resume take the same steps below it (package record).
package reports

import (
	"kedge/internal/app/projects"
	"kedge/internal/app/sessions"
)

// Looker answers for the projects of one KEDGE_HOME.
type Looker struct {
	home   *projects.Home
	keeper *sessions.Keeper
}

// New makes one; it does nothing until it is asked.
func New(home *projects.Home, keeper *sessions.Keeper) *Looker {
	return &Looker{home: home, keeper: keeper}
}
