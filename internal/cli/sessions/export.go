package sessions

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/app/sessions"
	"kedge/internal/cli/frame"
	"kedge/internal/process/atomicfile"
	"kedge/internal/process/output"
	"kedge/internal/process/tape"
)

// exportReply is `export --json`, for an export into a file.
type exportReply struct {
	Session kedge.SessionID `json:"session"`
	Format  string          `json:"format"`
	File    string          `json:"file"`
	Bytes   int64           `json:"bytes"`
}

// Export is kedge export.
func Export(env *frame.Env) *cobra.Command {
	var format, out string
	c := &cobra.Command{
		Use:   "export NAME",
		Short: "Write a session's output as an asciicast or as text",
		Long: `Write a session's output as an asciicast or as text.

An asciicast (version 3) replays the session at its own pace. If a part of the
output is missing, the file says so at that place.`,
		Example: `  kedge export auth-refactor --format asciicast --out auth.cast
  kedge export auth-refactor --format text | less`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if format != "asciicast" && format != "text" {
				return kedge.Errorf(kedge.Invalid, "unknown format %q", format).WithHint("repeat your command with: --format asciicast, or --format text")
			}
			if env.JSON && out == "" {
				return kedge.Errorf(kedge.Invalid, "--json needs --out: without --out the export itself goes to standard output").WithHint("kedge export %s --format %s --out FILE --json", args[0], format)
			}
			found, err := findSession(c.Context(), env, args[0])
			if err != nil {
				return err
			}
			if out == "" {
				return keepLonger(env, export(c.Context(), env.Out, found, format))
			}
			return exportFile(c.Context(), env, found, format, frame.Abs(env.Dir, out))
		},
		ValidArgsFunction: frame.SessionNames(env),
	}
	c.Flags().StringVar(&format, "format", "asciicast", "the `format`: asciicast or text")
	frame.CompleteFlag(c, "format", frame.OneOf("asciicast", "text"))
	c.Flags().StringVar(&out, "out", "", "write to this `file` (default: stdout)")
	return c
}

func export(ctx context.Context, w io.Writer, found sessions.SessionFound, format string) error {
	l := tape.Open(found.Folder)
	if format == "text" {
		return output.Text(ctx, w, l)
	}
	return output.Asciicast(ctx, w, l, found.Session)
}

// exportFile makes a file that is whole or not there; one that exists is not
// overwritten.
func exportFile(ctx context.Context, env *frame.Env, found sessions.SessionFound, format, path string) error {
	if _, err := os.Lstat(path); err == nil {
		return kedge.Errorf(kedge.Conflict, "the file %q exists already", path).WithHint("repeat your command with a new file: --out FILE")
	}
	n, err := writeNew(path, func(w io.Writer) error { return export(ctx, w, found, format) })
	if err != nil {
		return keepLonger(env, err)
	}
	r := exportReply{Session: found.Session.ID, Format: format, File: path, Bytes: n}
	return env.Show(r, func(w io.Writer) { fmt.Fprintf(w, "wrote %s, %s\n", path, frame.Bytes(n)) })
}

// writeNew writes a new file by way of a temporary one; unlike atomicfile it
// does not need to hold it in memory.
func writeNew(path string, write func(io.Writer) error) (n int64, err error) {
	f, err := os.CreateTemp(filepath.Dir(path), atomicfile.TempPrefix)
	if err != nil {
		return 0, kedge.Errorf(kedge.Invalid, "cannot write %q: %w", path, err).WithHint("make sure that %q is a folder that you may write to", filepath.Dir(path))
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close(), os.Remove(f.Name()))
		}
	}()
	if err := write(f); err != nil {
		return 0, err
	}
	if n, err = f.Seek(0, io.SeekCurrent); err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = os.Link(f.Name(), path) // unlike a rename it never replaces a file that came meanwhile
	}
	if err != nil {
		return 0, kedge.Errorf(kedge.Internal, "cannot write %q: %w", path, err)
	}
	return n, errors.Join(f.Close(), os.Remove(f.Name()), syncFolder(filepath.Dir(path)))
}

func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return kedge.Errorf(kedge.Internal, "cannot open %q: %w", dir, err)
	}
	return errors.Join(d.Sync(), d.Close())
}
