// Package landing compares the work of runs with your branch: the commit on which a run
// begins, the work that has not landed or that you have not accepted, the files that
// landing may replace, and the commits that came to your branch while a session worked.
// It promises that work which you removed from your branch does not come back, and that
// Kedge's own files never block a merge. It never moves your branch: the executor does.
package landing

import (
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
)

// Landing answers for the projects of one KEDGE_HOME.
type Landing struct {
	home *projects.Home
	book *ledger.Ledger
}

// New makes one. Before UseBook only FilesWait may be asked.
func New(home *projects.Home) *Landing { return &Landing{home: home} }

// UseBook gives it the files that follow the journal, which ask FilesWait themselves.
func (s *Landing) UseBook(book *ledger.Ledger) { s.book = book }
