// Package replay plays the history of a git repository through Kedge: a fresh project at the
// base of a range, each commit a feature with the check that a person would give it, and an
// agent whose work is the change of that commit. Before some commits the agent is dishonest:
// it changes nothing, does half, does something else, weakens a test. The package says what came
// of each, and promises that nothing but the binary, its commands and git is asked.
//
// It owns a folder of its own per history. It never writes into the repository that it replays.
package replay
