// Package verify answers the commands that give verdicts: the gate, and the
// submission of a feature. It promises that a feature is completed only by a green
// verdict with its evidence in the journal, that an agent is measured by the rules of
// the base and not by its own, and that a gate which was left is brought to its verdict
// by whoever comes next. It never runs a check itself: that is package gate.
package verify

import (
	"kedge/internal/app/ledger"

	"kedge/internal/app/projects"
	"kedge/internal/engine/gate"
)

// Gater answers for the projects of one KEDGE_HOME.
type Gater struct {
	home   *projects.Home
	ledger *ledger.Ledger
	life   *projects.Life
	lines  func() gate.Runner
	with   With
}

// With is what is outside of the projects: this program, and where the daemon and
// the holders listen.
type With struct{ Program, Sockets string }

// New makes one; it does nothing until it is asked. Lines gives what holds the lines
// of gates, so that they outlive the daemon; nil where nothing can.
func New(home *projects.Home, l *ledger.Ledger, life *projects.Life, lines func() gate.Runner, with With) *Gater {
	return &Gater{home: home, ledger: l, life: life, lines: lines, with: with}
}
