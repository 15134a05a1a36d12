// Package testkit is the room of what tests stand on: a simulator of runs, conformance
// suites, a model server, repositories that set traps. Tests and tools import it; nothing
// that is linked into kedge may. The package itself is empty.
package testkit
