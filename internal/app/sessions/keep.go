// Package sessions answers the commands of sessions: it starts, finds, names, resumes and
// ends them, searches what they printed, and says whose process something is. It
// promises that a session is in the journal before its program starts, that its end is
// written down with its cause, also when nobody watched, and that an agent acts on its
// own session only. It never holds a program itself: holders do, and they outlive it.
package sessions

import (
	"context"
	"sync"

	"kedge/internal/app/projects"
	"kedge/internal/app/status"
)

// Keeper answers for the sessions of one KEDGE_HOME.
type Keeper struct {
	home     *projects.Home
	life     *projects.Life
	standing *status.Teller
	with     Sessions

	adoptGates func(ctx context.Context, p *projects.Project) error

	retaining sync.Mutex // held by Retain
	holders   holders
	spare     spare
}

// New makes one; it does nothing until it is asked. AdoptGates takes up the gates
// that an earlier daemon left in a project, when its sessions are.
func New(home *projects.Home, life *projects.Life, standing *status.Teller, with Sessions, adoptGates func(ctx context.Context, p *projects.Project) error) *Keeper {
	return &Keeper{home: home, life: life, standing: standing, with: with, adoptGates: adoptGates}
}
