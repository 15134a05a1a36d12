// Package runs has the commands about plans and runs, and those with which you talk to a
// run. Each file is a command. It shows a run until the run ends or waits, and never
// carries one out: the daemon does, even after the terminal is closed.
package runs
