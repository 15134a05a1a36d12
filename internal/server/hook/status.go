package hook

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"kedge"
	"kedge/internal/agents/hooks"
	"kedge/internal/app/attend"
	"kedge/internal/app/sessions"
	"kedge/internal/text/plain"
)

// status is the person's own status line, if there is one, and Kedge's behind it.
// In a session of Kedge's the figures are left for the daemon.
func (w World) status(ctx context.Context, args []string, input []byte) ([]byte, error) {
	var own []byte
	var failed error
	if len(args) > 2 && args[2] != "" {
		ctx, cancel := context.WithTimeout(ctx, w.Budget)
		defer cancel()
		own, failed = within(ctx, func() ([]byte, error) { return w.Shell(ctx, args[2], input) })
		own = bytes.TrimRight(own, "\n")
	}
	s, err := hooks.ParseStatus(input)
	if err != nil {
		return own, errors.Join(failed, err)
	}
	if len(own) > 0 {
		own = append(own, " | "...)
	}
	if w.Block != nil {
		ctx, cancel := context.WithTimeout(ctx, w.Budget)
		defer cancel()
		s.Block, _ = within(ctx, func() (*hooks.Block, error) { return w.Block(ctx, args[0]), nil }) // late is none
	}
	var from int64
	if s.Tokens != nil {
		from = w.compactFrom(w.dirOf(s), *s.Tokens)
	}
	return append(own, joined(s.Text(from), w.warnings())+"\n"...), errors.Join(failed, w.leaveUsed(args[0], s))
}

// warnings are what the session is warned of, each in a line, as the daemon left it.
func (w World) warnings() string {
	id := w.Getenv("KEDGE_SESSION")
	if w.Home == "" || !kedge.ValidID("ses", id) {
		return ""
	}
	b, err := os.ReadFile(filepath.Join(w.Home, "sessions", id, sessions.WarningFile))
	if err != nil {
		return "" // there are none
	}
	return strings.TrimSpace(plain.Text(string(b)))
}

func (w World) dirOf(s hooks.Status) string {
	if s.Dir == "" {
		return w.Dir
	}
	return s.Dir
}

func (w World) leaveUsed(agent string, s hooks.Status) error {
	id := kedge.SessionID(w.Getenv("KEDGE_SESSION"))
	if id == "" || w.Getenv("KEDGE_RUN") != "" || s.Tokens == nil && s.USD == nil {
		return nil
	}
	dir := w.dirOf(s)
	return w.put(attend.Record{
		Version: 1, Dir: dir,
		Data: kedge.HookData{Agent: agent, Event: kedge.HookStatus, Session: id, Native: s.Native, At: w.Now().UTC()},
		Used: &kedge.SessionUsedData{ID: id, Model: s.Model, ContextTokens: s.Tokens, ContextWindow: s.Window, USD: s.USD},
	})
}
