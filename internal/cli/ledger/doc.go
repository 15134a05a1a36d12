// Package ledger has the commands about the work itself: features, checks, commands that
// are run for it (exec), decisions, risks, notes and rules, and where you left off. Each
// file is a command. It decides nothing about the work: packages of internal/app do.
package ledger
