// Package verify answers the commands that give verdicts: the gate, and the submission of
// a feature. Only a green verdict with its evidence in the journal completes a feature.
// For an agent, the last verified settings apply, not those that the agent changed. If a
// gate is interrupted, the next daemon finishes it. The package never runs a check
// itself; package gate does.
package verify

import (
	"kedge/internal/app/ledger"

	"kedge/internal/app/projects"
	"kedge/internal/engine/gate"
)

// Verifier answers for the projects of one KEDGE_HOME.
type Verifier struct {
	home   *projects.Home
	ledger *ledger.Ledger
	life   *projects.Life
	lines  func() gate.Runner
	with   With
}

// With is the path of this program, and of the folder in which the daemon and the
// holders listen.
type With struct{ Program, Sockets string }

// New makes a Verifier. It reads nothing before the first call. Lines gives the runner
// that lets the commands of a gate outlive the daemon, or nil.
func New(home *projects.Home, l *ledger.Ledger, life *projects.Life, lines func() gate.Runner, with With) *Verifier {
	return &Verifier{home: home, ledger: l, life: life, lines: lines, with: with}
}
