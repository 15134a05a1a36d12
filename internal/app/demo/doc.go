// Package demo shows a whole run with real processes and no model: it makes a small Go
// project and lets Kedge complete thirty features with a scripted agent that lies, cheats
// and hangs. It kills the daemon and an agent, and compares the result with one long
// session of the same script. It acts as the user: everything goes through the command
// line, in a folder and a KEDGE_HOME of its own. It ends only processes that it started.
package demo
