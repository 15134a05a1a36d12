// Package frame has the code that all commands share. It owns Env, which is everything
// that a command sees of the world, and its input and output: calls, answers as text or
// JSON, messages on stderr, errors of usage, completion, tables and figures.
//
// It promises that text from a repository or an agent reaches the terminal only through
// the one filter in Env, and that --json prints one object and nothing else. It knows no
// command.
package frame

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
	"kedge/internal/process"
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
	Args      []string
	In        io.Reader
	Out, Err  io.Writer
	InTTY     bool
	ErrTTY    bool
	Dir       string // where the command was called; KEDGE_PROJECT overrides
	Home      string // KEDGE_HOME
	Environ   []string
	Call      Caller
	Daemon    Daemon
	Operating func(token string) Caller                          // calls with the token of an operator
	Scoped    func(session kedge.SessionID, token string) Caller // calls in the name of a session, which a daemon that hangs does not hold up
	Look      func(command string) bool                          // is the command on PATH
	Damage    func() error                                       // why an answer that was given may lack something; nil: it does not
	Zone      *time.Location                                     // of the times that people are shown; nil: UTC

	Term   *process.Terminal // the person's terminal; nil without one
	Screen *process.Terminal // the one that talk goes to; nil without one

	JSON   bool
	RawOut io.Writer // Out without the filter, for bytes that were asked for as they are
	RawErr io.Writer // Err likewise, for what is redrawn in place: its texts are filtered one by one
}

// Printed is for a command that has printed its answer, findings for example,
// and only has its exit code left to give.
type Printed kedge.Kind

func (p Printed) Error() string { return string(p) }

// Show prints the answer: v as one JSON object with --json, else text. It is
// printed in one piece: a table is hundreds of small ones, each a call of the system.
func (env *Env) Show(v any, text func(w io.Writer)) error {
	if !env.JSON {
		p := newPage(env)
		text(p)
		_, err := env.answer().Write(p.text.Bytes())
		return err
	}
	raw, ok := v.(json.RawMessage)
	if !ok {
		var err error
		if raw, err = encoded(v); err != nil {
			return kedge.Errorf(kedge.Internal, "Kedge cannot print the answer as JSON: %w", err)
		}
	}
	d := env.Printing()
	_, _ = d.Write(raw) // Close tells
	return d.Close()
}

// answer is where a page goes, whose texts have passed the filter already.
func (env *Env) answer() io.Writer {
	if env.RawOut != nil {
		return env.RawOut
	}
	return env.Out
}

// Encode makes a line of JSON for a terminal or a program, not for a web page:
// "a < b && c" stays what it is.
func Encode(v any) ([]byte, error) {
	b, err := encoded(v)
	return plain.JSON(b), err
}

func encoded(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return b.Bytes(), err
}

// Talk is a line for a person, on stderr; silent with --json.
func (env *Env) Talk(format string, args ...any) {
	if !env.JSON {
		_, _ = io.WriteString(env.Err, env.Signs(fmt.Sprintf(format, args...))+"\n") // to the filter, whose errors show at its end
	}
}

// Call is Call without progress, with a typed answer.
func Call[Out any](ctx context.Context, env *Env, name string, in any) (Out, error) {
	var out Out
	err := env.Call.Call(ctx, name, in, &out, nil)
	return out, err
}

// Ask makes a call whose answer only has to be shown: with --json as it came,
// else as text.
func Ask[Out any](ctx context.Context, env *Env, name string, in any, text func(w io.Writer, reply Out)) error {
	if env.JSON {
		raw, err := Call[json.RawMessage](ctx, env, name, in)
		if err != nil {
			return err
		}
		return env.Show(raw, nil)
	}
	reply, err := Call[Out](ctx, env, name, in)
	if err != nil {
		return err
	}
	return env.Show(nil, func(w io.Writer) { text(w, reply) })
}

// Group is a cobra command that only holds others.
func Group(use, short string, subs ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{
		Use: use, Short: short, Args: cobra.NoArgs, Annotations: map[string]string{"group": "only holds others"},
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(subs...)
	return c
}

// Clock is a time of the day for people.
func (env *Env) Clock(t time.Time) string {
	zone := env.Zone
	if zone == nil {
		zone = time.UTC
	}
	return t.In(zone).Format("15:04:05")
}

// Getenv reads the caller's environment.
func (env *Env) Getenv(name string) string {
	for _, kv := range env.Environ {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			return v
		}
	}
	return ""
}

// ExitCode ends this program with the exit code of the one that it ran.
type ExitCode int

func (e ExitCode) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// Abs is a path that was given as seen from the folder base.
func Abs(base, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(base, path)
}

// WithoutPath is what was found in an edited file; a message that begins with
// the file's name keeps its line only, where it names one.
func WithoutPath(e kedge.HandEditData) string {
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

// Aside tells a person about hand edits that were found and answered, and about
// files that are behind.
func (env *Env) Aside(a ledger.Notices) {
	for _, e := range a.Edits {
		env.Talk("kedge: %s: %s: %s", e.Path, WithoutPath(e), e.Action)
	}
	for _, f := range a.Warnings {
		env.Talk("%s: %s: %s", f.Level, f.Where, f.What)
		env.Talk("  fix: %s", f.Fix)
	}
}
