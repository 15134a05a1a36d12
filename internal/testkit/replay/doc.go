// Package replay plays the history of a git repository through Kedge: a fresh project at
// the start of a range. Each commit becomes a feature with the check that a careful user
// would write, and an agent whose work is that commit. Before some commits, the agent is
// dishonest: it changes nothing, does half, does something else, weakens a test. The
// package reports the result of each, and uses only the binary, its commands and git.
//
// It owns a folder for each history. It never writes into the repository that it replays.
package replay
