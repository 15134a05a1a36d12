// Package runs has the commands that have work done: plans and runs, and what you say to
// them. Each file is a command. It shows a run until it rests, and never carries one out:
// the daemon does, also after the terminal is gone.
package runs
