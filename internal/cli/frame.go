// Package cli turns arguments into calls and answers into text. It keeps no
// state: what it knows comes from Env, what it learned goes to Env.Out (the
// answer) or Env.Err (talk). One file per command; commands.go lists them all.
// Text that comes from a repository or an agent reaches the terminal only
// through the one filter in Env.
package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/process/term"
	"kedge/internal/text/plain"
)

// Caller makes calls to the service; package main decides whether they go to
// the daemon or, for reading ones without a daemon, to a service in process.
type Caller interface {
	Call(ctx context.Context, name string, in, out any, progress func(json.RawMessage)) error
}

// Daemon is what the commands up and down need.
type Daemon interface {
	Start(ctx context.Context) (pid int, started bool, err error)
	Foreground(ctx context.Context) error
	Stop(ctx context.Context) (pid int, err error)
}

// Env is the outside world as a command sees it.
type Env struct {
	Args     []string
	In       io.Reader
	Out, Err io.Writer
	InTTY    bool
	ErrTTY   bool
	Dir      string // where the command was called; KEDGE_PROJECT overrides
	Home     string // KEDGE_HOME
	Environ  []string
	Call     Caller
	Daemon   Daemon
	Scoped   func(session kedge.SessionID, token string) Caller // calls in the name of a session, which a daemon that hangs does not hold up
	Look     func(command string) bool                          // is the command on PATH
	Zone     *time.Location                                     // of the times that people are shown; nil: UTC

	Term   *term.Terminal // the person's terminal; nil without one
	Screen *term.Terminal // the one that talk goes to; nil without one

	json   bool
	rawOut io.Writer // Out without the filter, for bytes that were asked for as they are
	rawErr io.Writer // Err likewise, for what is redrawn in place: its texts are filtered one by one
}

// errSaid is for a command that has printed its answer, findings for example,
// and only has its exit code left to give.
type errSaid struct{ kind kedge.Kind }

func (e errSaid) Error() string { return string(e.kind) }

// show prints the answer: v as one JSON object with --json, else text. It is
// printed in one piece: a table is hundreds of small ones, each a call of the system.
func (env *Env) show(v any, text func(w io.Writer)) error {
	if !env.json {
		var b bytes.Buffer
		text(&b)
		_, err := env.Out.Write(b.Bytes())
		return err
	}
	b, err := encode(v, "  ")
	if err != nil {
		return kedge.Errorf(kedge.Internal, "encode the answer: %w", err)
	}
	_, err = env.Out.Write(b)
	return err
}

// encode makes a line of JSON for a terminal or a program, not for a web page:
// "a < b && c" stays what it is.
func encode(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	err := e.Encode(v)
	return plain.JSON(b.Bytes()), err
}

// talk is a line for a person, on stderr; silent with --json.
func (env *Env) talk(format string, args ...any) {
	if !env.json {
		fmt.Fprintf(env.Err, format+"\n", args...)
	}
}

// call is Call without progress, with a typed answer.
func call[Out any](ctx context.Context, env *Env, name string, in any) (Out, error) {
	var out Out
	err := env.Call.Call(ctx, name, in, &out, nil)
	return out, err
}

// ask makes a call whose answer only has to be shown: with --json as it came,
// else as text.
func ask[Out any](ctx context.Context, env *Env, name string, in any, text func(w io.Writer, reply Out)) error {
	if env.json {
		raw, err := call[json.RawMessage](ctx, env, name, in)
		if err != nil {
			return err
		}
		return env.show(raw, nil)
	}
	reply, err := call[Out](ctx, env, name, in)
	if err != nil {
		return err
	}
	return env.show(nil, func(w io.Writer) { text(w, reply) })
}

// group is a cobra command that only holds others.
func group(use, short string, subs ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{
		Use: use, Short: short, Args: cobra.NoArgs, Annotations: map[string]string{"group": "only holds others"},
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(subs...)
	return c
}

// clock is a time of the day for people.
func (env *Env) clock(t time.Time) string {
	zone := env.Zone
	if zone == nil {
		zone = time.UTC
	}
	return t.In(zone).Format("15:04:05")
}

// getenv reads the caller's environment.
func (env *Env) getenv(name string) string {
	for _, kv := range env.Environ {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			return v
		}
	}
	return ""
}

// errExit ends this program with the exit code of the one that it ran.
type errExit int

func (e errExit) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

func abs(base, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(base, path)
}

// withoutPath is what was found in an edited file; a message that begins with
// the file's name keeps its line only, where it names one.
func withoutPath(e kedge.HandEditData) string {
	rest, named := strings.CutPrefix(e.Found, e.Path+":")
	switch {
	case !named:
		return e.Found
	case strings.IndexAny(rest, "0123456789") == 0:
		return "line " + rest
	default:
		return strings.TrimSpace(rest)
	}
}

// aside tells a person about hand edits that were found and answered, and about
// files that are behind.
func (env *Env) aside(a ledger.Aside) {
	for _, e := range a.Edits {
		env.talk("kedge: %s: %s: %s", e.Path, withoutPath(e), e.Action)
	}
	for _, f := range a.Warnings {
		env.talk("%s: %s: %s", f.Level, f.Where, f.What)
		env.talk("  fix: %s", f.Fix)
	}
}
