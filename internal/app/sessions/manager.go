// Package sessions answers the commands about sessions: it starts, finds, names, resumes
// and ends them, searches their output, and finds the session to which a process belongs.
// A session is in the journal before its program starts. Its end is recorded with the
// cause, even if nobody watched. An agent acts on its own session only. The package never
// holds a program itself; holder processes do, and they outlive the daemon.
package sessions

import (
	"context"
	"sync"

	"kedge/internal/app/projects"
	"kedge/internal/app/status"
	"kedge/internal/process/tape"
)

// Manager answers for the sessions of one KEDGE_HOME.
type Manager struct {
	home   *projects.Home
	life   *projects.Life
	status *status.Reporter
	with   Sessions

	adoptGates func(ctx context.Context, p *projects.Project) error

	retaining sync.Mutex // held by Retain
	operators sync.Mutex // held while the list of operators is changed
	worktrees sync.Mutex // held while a worktree is made, so that no two get one port
	holders   holders
	follows   follows
	spare     spare
	screens   *tape.Keeper
}

// New makes a Manager. It reads nothing before the first call. AdoptGates continues the
// gates that an earlier daemon left in a project, when the project's sessions are
// adopted.
func New(home *projects.Home, life *projects.Life, st *status.Reporter, with Sessions, adoptGates func(ctx context.Context, p *projects.Project) error) *Manager {
	return &Manager{home: home, life: life, status: st, with: with, adoptGates: adoptGates, screens: tape.NewKeeper()}
}

// KeepScreens makes snapshots of the screens of living sessions, until the service ends.
func (s *Manager) KeepScreens() {
	if s.home.ReadOnly {
		return
	}
	s.life.Go(func() {
		s.screens.Run(s.life.Context(), func(dir string, err error) {
			s.home.Log.Warn("cannot save the screen of a session", "folder", dir, "error", err.Error())
		})
	})
}
