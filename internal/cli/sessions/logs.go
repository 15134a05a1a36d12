package sessions

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/app/sessions"
	"kedge/internal/cli/frame"
	"kedge/internal/process/hold"
	"kedge/internal/process/output"
	"kedge/internal/process/tape"
	"kedge/internal/text/plain"
)

// Logs is kedge logs.
func Logs(env *frame.Env) *cobra.Command {
	var (
		from   int64
		follow bool
		raw    bool
		tail   int
	)
	c := &cobra.Command{
		Use:   "logs NAME",
		Short: "Print the output of a session or of kedge exec",
		Long: `Print everything that a session, or a command run with kedge exec, has printed.

Escape codes are removed unless you pass --raw. There is no --json: for other
programs use kedge export.`,
		Example: `  kedge logs auth-refactor            all of it, without escape codes
  kedge logs auth-refactor -f --tail 20   the last 20 lines, then new output
  kedge logs auth-refactor --raw      byte for byte
  kedge logs exec-…                   the output of a kedge exec command`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if env.JSON {
				return noJSON(args[0])
			}
			if err := frame.Positive(c, "tail", tail, 20); err != nil {
				return err
			}
			if c.Flags().Changed("tail") && c.Flags().Changed("from") {
				return frame.UsageError(c, kedge.Errorf(kedge.Invalid, "use only one of --from and --tail"))
			}
			if kedge.ValidID("exec", args[0]) {
				if tail > 0 {
					return kedge.Errorf(kedge.Invalid, "--tail works only for sessions, and %s is the output of a command", args[0]).WithHint("use tail instead: kedge logs %s | tail -n %d", args[0], tail)
				}
				return printExec(env, args[0], from, raw)
			}
			found, err := findSession(c.Context(), env, args[0])
			if e, ok := errors.AsType[*kedge.Error](err); ok && kedge.NotFound.Is(err) && strings.HasPrefix(args[0], "exec-") {
				return e.WithHint("see the saved outputs: kedge exec --list") // ls has no commands
			}
			if err != nil {
				return err
			}
			if tail > 0 {
				from = tailFrom(found.Folder, tail)
			}
			out := io.Writer(&stripped{w: env.Out})
			if raw {
				out = env.RawOut
			}
			return keepLonger(env, printTape(c.Context(), found.Folder, from, follow && found.Session.Live(), out))
		},
		ValidArgsFunction: frame.SessionNames(env),
	}
	c.Flags().Int64Var(&from, "from", 0, "start at this `offset`, in bytes")
	c.Flags().BoolVarP(&follow, "follow", "f", false, "keep printing until the session ends")
	c.Flags().IntVar(&tail, "tail", 0, "start this number of `lines` before the end")
	c.Flags().BoolVar(&raw, "raw", false, "print the exact bytes, with escape codes")
	return c
}

// tailFrom is where the last lines of a tape begin. Where it cannot be read, copying says so.
func tailFrom(dir string, lines int) int64 {
	l := tape.Open(dir)
	first, end, err := l.Range()
	if err != nil {
		return 0
	}
	at, buf := end, make([]byte, 64<<10)
	for at > first {
		part := buf[:min(int64(len(buf)), at-first)]
		from := at - int64(len(part))
		n, _ := l.ReadAt(part, from)
		for i := n - 1; i >= 0; i-- {
			if part[i] != '\n' || from+int64(i) == end-1 { // the last line may have an end
				continue
			}
			if lines--; lines == 0 {
				return from + int64(i) + 1
			}
		}
		at = from
	}
	return first
}

// noJSON refuses --json. Only the output of a session can be exported.
func noJSON(name string) error {
	e := kedge.Errorf(kedge.Invalid, "kedge logs prints plain text and has no --json")
	if strings.HasPrefix(name, "exec-") {
		return e.WithHint("print the output as text: kedge logs %s", name)
	}
	return e.WithHint("print the output with times, as JSON lines: kedge export '%s'", name)
}

// keepLonger adds to the error of output that was removed where you set what Kedge keeps.
func keepLonger(env *frame.Env, err error) error {
	if e, ok := errors.AsType[*kedge.Error](err); ok && kedge.NotFound.Is(err) && e.Hint == "" {
		return e.WithHint("to keep output longer, set keep_days and keep_bytes under [sessions] in %s", projects.UserFile(env.Environ))
	}
	return err
}

// printExec prints the kept output of a command that exec ran.
func printExec(env *frame.Env, id string, from int64, raw bool) error {
	f, err := output.Open(env.Home, id)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	if _, err := io.CopyN(io.Discard, f, from); err != nil && !errors.Is(err, io.EOF) {
		return kedge.Errorf(kedge.Internal, "cannot read the output: %w", err)
	}
	out := io.Writer(&stripped{w: env.Out})
	if raw {
		out = env.RawOut
	}
	if _, err := io.Copy(out, f); err != nil {
		return kedge.Errorf(kedge.Internal, "cannot print the output: %w", err)
	}
	return nil
}

// printTape copies the tape from an offset to its end, and with follow to the
// session's end. The reader is a cursor of its own: however slow, it holds up
// nobody.
func printTape(ctx context.Context, dir string, from int64, follow bool, w io.Writer) error {
	at, err := copyTape(dir, from, w)
	if err != nil || !follow {
		return err
	}
	c, err := hold.Dial(ctx, dir)
	if kedge.NotFound.Is(err) {
		_, err = copyTape(dir, at, w) // it ended meanwhile
		return err
	}
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	_, err = c.Follow(ctx, func(int64) error {
		at, err = copyTape(dir, at, w)
		return err
	})
	if kedge.NotFound.Is(err) {
		_, err = copyTape(dir, at, w) // the holder was killed: what it wrote is there
	}
	return err
}

// copyTape copies what is there and gives the offset it came to.
func copyTape(dir string, from int64, w io.Writer) (int64, error) {
	l := tape.Open(dir)
	first, _, err := l.Range()
	if errors.Is(err, fs.ErrNotExist) {
		return from, output.Removed()
	}
	if err != nil {
		return from, kedge.Errorf(kedge.Internal, "cannot read the session's output: %w", err)
	}
	from = max(from, first)
	buf := make([]byte, 256<<10)
	for {
		n, err := l.ReadAt(buf, from)
		if n > 0 {
			if _, err := w.Write(buf[:n]); err != nil {
				return from, kedge.Errorf(kedge.Internal, "cannot print the output: %w", err)
			}
			from += int64(n)
		}
		if errors.Is(err, io.EOF) || err == nil && n == 0 {
			return from, nil
		}
		if err != nil {
			return from, kedge.Errorf(kedge.Internal, "cannot read the session's output: %w", err)
		}
	}
}

// stripped writes text without its escape sequences; carriage returns go in
// Env's own filter.
type stripped struct {
	w io.Writer
	s plain.Stripper
}

// Write implements io.Writer.
func (s *stripped) Write(p []byte) (int, error) {
	if _, err := s.w.Write(s.s.Strip(nil, p)); err != nil {
		return 0, err
	}
	return len(p), nil
}

func findSession(ctx context.Context, env *frame.Env, name string) (sessions.SessionFound, error) {
	return frame.Call[sessions.SessionFound](ctx, env, "session.find", sessions.SessionName{Name: name})
}
