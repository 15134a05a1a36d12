package ledger

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/cli/frame"
	"kedge/internal/insight/condense"
	"kedge/internal/insight/failure"
	"kedge/internal/process"
	"kedge/internal/process/output"
	"kedge/internal/text/words"
)

// execReply is what `exec --json` prints.
type execReply struct {
	ID           string         `json:"id"`
	Command      []string       `json:"command"`
	Exit         int            `json:"exit"`
	MS           int64          `json:"ms"`
	Bytes        int64          `json:"bytes"`
	Lines        int            `json:"lines"`
	Shown        int            `json:"shown"`
	Cut          []condense.Cut `json:"cut"`
	Log          string         `json:"log"`
	FirstFailure *kedge.Failure `json:"first_failure"`
	Text         string         `json:"text"`
}

// Exec is kedge exec.
func Exec(env *frame.Env) *cobra.Command {
	var raw, list, gain bool
	c := &cobra.Command{
		Use:   "exec [--raw] -- COMMAND... | --list | --gain",
		Short: "Run a command, keep its whole output, print what matters",
		Long: `Run a command, keep its whole output, and print the part that matters.

The command gets your input, folder and environment. When it has ended, Kedge
prints failures, errors, warnings, places (path:line) and totals. Among many
similar lines, Kedge prints the one that differs. Of passing tests, progress,
installed packages, stack frames of libraries and repeated lines, Kedge prints
only the number. It groups problems from ESLint by rule, and problems from tsc
by file.

Source files stay unchanged, and so does other output of fewer than 40 lines.
Kedge always leaves out progress lines that the command has overwritten. While
the command runs in a terminal, a line on stderr shows the elapsed time, the
amount of output and its latest line.

Kedge keeps stdout and stderr in their order and without secrets, in
$KEDGE_HOME/exec: the last 200 commands, at most 512 MB. kedge logs exec-…
prints the whole output of one command. --list lists the commands, newest
first. --gain shows how many tokens each command saved. If Kedge cannot keep the
output, it prints an error on stderr.

The exit code is that of the command. It is 126 or 127 if the command could not
start, and 128+N after signal N. You need no daemon and no project.`,
		Example: `  kedge exec -- go test ./...
  kedge exec -- npm ci
  kedge exec --raw -- make        print everything, and keep it
  kedge exec --list               the commands whose output is kept, of all projects
  kedge exec --gain               how many tokens each command saved
  kedge logs exec-…               the whole output`,
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			switch {
			case list && gain:
				return kedge.Errorf(kedge.Invalid, "--list and --gain cannot be combined").WithHint("kedge exec --gain")
			case list:
				return listExecs(env, args)
			case gain:
				return showGain(env, args)
			}
			if len(args) == 0 {
				return kedge.Errorf(kedge.Invalid, "the command to run is missing").WithHint("write it like this: kedge exec -- go test ./...")
			}
			if raw && env.JSON {
				return kedge.Errorf(kedge.Invalid, "--raw and --json cannot be combined").WithStep(execStep(args, "--json"))
			}
			return runExec(env, args, raw)
		},
	}
	c.Flags().BoolVar(&raw, "raw", false, "print the output live and uncondensed")
	c.Flags().BoolVar(&list, "list", false, "list the commands whose output is kept")
	c.Flags().BoolVar(&gain, "gain", false, "show how many tokens kedge exec saved, by command")
	c.Flags().SetInterspersed(false)
	return c
}

// execStep is kedge exec with flags, for a whole command.
func execStep(command []string, flags ...string) kedge.NextStep {
	return kedge.Step("kedge", slices.Concat([]string{"exec"}, flags, []string{"--"}, command)...)
}

// execFlags are the flags that were given.
func execFlags(env *frame.Env, raw bool) []string {
	switch {
	case raw:
		return []string{"--raw"}
	case env.JSON:
		return []string{"--json"}
	}
	return nil
}

func runExec(env *frame.Env, args []string, raw bool) error {
	if env.Home == "" {
		return kedge.Errorf(kedge.Invalid, "neither KEDGE_HOME nor HOME is set, so Kedge cannot keep the output").
			WithHint("name a folder: KEDGE_HOME=/some/folder %s", execStep(args, execFlags(env, raw)...))
	}
	started := time.Now()
	kept, err := output.Keep(env.Home, started)
	if err != nil {
		return err
	}
	cmd := execCommand(env, args, kept.Output, raw)
	stop := func() {}
	if !raw {
		stop = showProgress(env, kept.Output, started)
	}
	code, failed := frame.RunForwarding(cmd, env.InTTY)
	stop()
	if failed != nil {
		fmt.Fprintf(kept.Output, "kedge: %s: %s\n", args[0], failed)
	}
	bytes, text, unread := readKept(kept.Output)
	record := output.Record{
		Session: kedge.SessionID(process.Getenv(env.Environ, "KEDGE_SESSION")), Dir: env.Dir, Command: args,
		StartedAt: started.UTC(), MS: time.Since(started).Milliseconds(), Exit: code, Bytes: bytes,
	}
	switch {
	case raw && failed != nil:
		env.Talk("kedge: %s: %s", args[0], failed)
	case !raw && unread == nil:
		err = showExec(env, record, kept, text)
	}
	for _, trouble := range []error{unread, endKept(env, kept, record, !raw && strings.HasSuffix(text, "\n"))} {
		if trouble != nil { // of Kedge's own: the command's answer is given all the same
			fmt.Fprintf(env.Err, "kedge: %s\n", trouble)
		}
	}
	if err == nil && code != 0 {
		return frame.ExitCode(code)
	}
	return err
}

// execCommand is the command with this program's input. Condensed, it writes into
// the file itself: nothing of it is lost when this program dies.
func execCommand(env *frame.Env, args []string, out *os.File, raw bool) *exec.Cmd {
	cmd := exec.Command(args[0], args[1:]...) //nolint:gosec,noctx // to run it is what was asked for; signals end it
	if errors.Is(cmd.Err, exec.ErrDot) {
		cmd.Err = nil // as a shell would
	}
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = env.Environ, env.In, out, out
	if raw {
		cmd.Stdout, cmd.Stderr = io.MultiWriter(out, env.RawOut), io.MultiWriter(out, env.RawErr)
	}
	return cmd
}

// mostRead bounds what is looked at of an output, half of it from each end.
const mostRead = 64 << 20

// readKept gives the size and the text of an output.
func readKept(f *os.File) (int64, string, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, "", kedge.Errorf(kedge.Internal, "cannot find out the size of the saved output: %w", err)
	}
	size := info.Size()
	head, err := io.ReadAll(io.NewSectionReader(f, 0, min(size, mostRead/2)))
	if err != nil {
		return 0, "", kedge.Errorf(kedge.Internal, "cannot read the saved output: %w", err)
	}
	from := max(size-mostRead/2, int64(len(head)))
	tail, err := io.ReadAll(io.NewSectionReader(f, from, size-from))
	if err != nil {
		return 0, "", kedge.Errorf(kedge.Internal, "cannot read the saved output: %w", err)
	}
	if gap := from - int64(len(head)); gap > 0 {
		return size, fmt.Sprintf("%s\n… %d bytes that Kedge did not read\n%s", head, gap, tail), nil
	}
	return size, string(head) + string(tail), nil
}

// showExec prints the condensed output and where the whole one is.
func showExec(env *frame.Env, r output.Record, kept *output.Kept, text string) error {
	line := shellLine(r.Command)
	if env.JSON {
		c := condense.Condense(line, text)
		noteGain(env, r, text, c.Text)
		reply := execReply{
			ID: kept.ID, Command: r.Command, Exit: r.Exit, MS: r.MS, Bytes: r.Bytes,
			Lines: c.Lines, Shown: c.Shown, Cut: append([]condense.Cut{}, c.Cut...), Log: kept.Path(), Text: c.Text,
		}
		if f, ok := failure.First(line, text); ok && r.Exit != 0 {
			reply.FirstFailure = &f
		}
		return env.Show(reply, nil)
	}
	c := condense.Pointing(line, text, "[all of it: kedge logs "+kept.ID+"]\n")
	noteGain(env, r, text, c.Text)
	if _, err := io.WriteString(env.RawOut, c.Text); err != nil {
		return kedge.Errorf(kedge.Internal, "cannot print the output: %w", err)
	}
	return nil
}

// noteGain writes down what was saved. That it cannot is no reason to say anything: the
// command's answer is given all the same.
func noteGain(env *frame.Env, r output.Record, whole, shown string) {
	_ = output.AddGain(env.Home, output.Gain{At: r.StartedAt, Command: condense.Name(shellLine(r.Command)), Tokens: words.Tokens(whole), Shown: words.Tokens(shown)})
}

// shellLine is the command as a person would type it; of a shell with -c, what it
// was told to run.
func shellLine(args []string) string {
	switch filepath.Base(args[0]) {
	case "sh", "bash", "zsh", "dash":
		for i, a := range args[1:] {
			if strings.HasPrefix(a, "-") && strings.HasSuffix(a, "c") && i+2 < len(args) {
				return args[i+2]
			}
		}
	}
	return strings.Join(args, " ")
}
