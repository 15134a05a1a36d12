// Package sessions has the commands about sessions: start one, look at it, speak to it,
// end it, find what it printed, and report what sessions did and cost. Each file is a
// command. It decides nothing about sessions: internal/app/sessions and
// internal/app/reports do.
package sessions
