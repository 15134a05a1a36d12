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
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/process/term"
	"kedge/internal/server"
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

// exitCodes is the whole contract with scripts.
var exitCodes = map[kedge.Kind]int{
	kedge.Internal:    1,
	kedge.Invalid:     2,
	kedge.NotFound:    3,
	kedge.Conflict:    4,
	kedge.Blocked:     5,
	kedge.Red:         6,
	kedge.OverBudget:  7,
	kedge.Interrupted: 130,
}

// errSaid is for a command that has printed its answer, findings for example,
// and only has its exit code left to give.
type errSaid struct{ kind kedge.Kind }

func (e errSaid) Error() string { return string(e.kind) }

// Main runs one command and returns its exit code.
func Main(ctx context.Context, env Env) int {
	out, talk := env.Out, env.Err
	env.rawOut, env.rawErr = out, talk
	env.Out, env.Err = &plain.Writer{W: out}, &plain.Writer{W: talk}
	root := newRoot(&env)
	root.SetArgs(env.Args)
	root.SetIn(env.In)
	root.SetOut(env.Out)
	root.SetErr(env.Err)
	namedShells(root, env.Args)
	namedTopics(root, env.Args)
	c, err := root.ExecuteContextC(ctx)
	if err == nil {
		return 0
	}
	if said, ok := errors.AsType[errSaid](err); ok {
		return exitCodes[said.kind]
	}
	if code, ok := errors.AsType[errExit](err); ok {
		return int(code)
	}
	report(ctx, &env, c.CommandPath(), err)
	if code, ok := exitCodes[kedge.KindOf(err)]; ok {
		return code
	}
	return exitCodes[kedge.Internal]
}

// report is the only place that shows an error to a person. Who pressed Ctrl-C
// knows why the command ended: one word says that it did.
func report(ctx context.Context, env *Env, command string, err error) {
	w := server.ToWire(err)
	if w.Hint == "" {
		w.Hint = usualHint(kedge.KindOf(err), command)
	}
	if env.json {
		b, _ := encode(map[string]any{"error": w}, "") // three strings always encode
		fmt.Fprintf(env.Err, "%s", b)
		return
	}
	if ctx.Err() != nil && kedge.Interrupted.Is(err) {
		fmt.Fprintln(env.Err, "interrupted")
		return
	}
	fmt.Fprintf(env.Err, "kedge: %s\n", w.Message)
	if w.Hint != "" {
		fmt.Fprintf(env.Err, "hint: %s\n", w.Hint)
	}
}

// usualHint is what to do about an error that does not say it itself.
func usualHint(kind kedge.Kind, command string) string {
	switch kind {
	case kedge.Interrupted:
		return ""
	case kedge.Invalid:
		return command + " --help"
	case kedge.NotFound, kedge.Conflict, kedge.Blocked, kedge.Red, kedge.OverBudget:
		return "where things stand: kedge status; how it is called: " + command + " --help"
	default:
		return "see what is damaged: kedge doctor"
	}
}

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
