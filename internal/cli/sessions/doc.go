// Package sessions has the commands about sessions: start a session, watch it, type into
// it, end it, and search its output. Each file is a command. It decides nothing about
// sessions: internal/app/sessions does.
package sessions
