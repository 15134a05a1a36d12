// Package reports answers the commands about past work: audit, cost, stats, and the brief
// of a session's record. It needs no set-up: it reads the files that other programs left,
// in their places. It reports unknown figures as unknown, never as zero. It never writes.
//
// Reports.Brief makes the text with which a session continues from a record: a transcript
// by its path or id, or a session of Kedge by its name. Commands and hooks call it. Runs
// and resume use the same steps of package record.
package reports

import (
	"kedge/internal/app/projects"
	"kedge/internal/app/sessions"
)

// Reports answers for the projects of one KEDGE_HOME.
type Reports struct {
	home     *projects.Home
	sessions *sessions.Manager
}

// New makes a Reports. It reads nothing before the first call.
func New(home *projects.Home, m *sessions.Manager) *Reports {
	return &Reports{home: home, sessions: m}
}
