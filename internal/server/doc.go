// Package server is the room of everything that speaks to Kedge from outside: the
// daemon, the hooks that agents start, MCP. This package itself carries calls: as HTTP
// over the daemon's unix socket, and in process, read only, when there is no daemon.
//
// It owns the table of calls: their names, whether they write, and whether an agent may
// make them. A new call that writes is refused to the sessions of runs until its line says
// otherwise; what every agent is refused, its method refuses.
// A call is POST /v1/call/<name> with an Envelope; the answer is JSON Lines: progress,
// then one result or one error. The client repeats a call whose connection broke with
// the same key, so that a command has one effect. This room decides nothing itself:
// package app does.
package server
