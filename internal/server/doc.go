// Package server is the room of everything through which other processes reach Kedge: the
// daemon, the hooks that agents start, MCP. This package itself carries calls: as HTTP
// over the daemon's unix socket, and in process, read only, when no daemon runs.
//
// It owns the table of calls: their names, whether they write, and whether an agent may
// make them. A new call that writes is refused to the sessions of runs until its line in
// the table allows it. A call that no agent may make is refused by its method. A call is
// POST /v1/call/<name> with an Envelope; the answer is JSON Lines: progress, then one
// result or one error. If a connection breaks, the client repeats the call with the same
// key, so that a command has one effect. This room decides nothing itself: package app
// does.
package server
