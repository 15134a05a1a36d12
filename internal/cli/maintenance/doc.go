// Package maintenance has the commands that set Kedge up and look after it: init, hooks,
// the daemon, doctor, backup, projects, worktrees and salvage. Each file is a command.
package maintenance
