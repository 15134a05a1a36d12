// Package kedge holds the nouns of Kedge and the contracts between its parts:
// projects, features, plans, checkpoints, decisions, verdicts, events, ids and
// the one error type. It imports the standard library only, does no I/O, starts
// no goroutine and reads no clock; every other package may import it.
package kedge

// Version is what `kedge --version` and the daemon's hello say.
const Version = "0.1.0"
