// Package sessions has the commands about sessions: start one, look at it, speak to it,
// end it, and find what it printed. Each file is a command. It decides nothing about
// sessions: internal/app/sessions does.
package sessions
