package ledger

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/app/status"
	"kedge/internal/cli/frame"
)

// Checkpoint is kedge checkpoint.
func Checkpoint(env *frame.Env) *cobra.Command {
	c := newCheckpointSave(env)
	c.Use, c.Short = "checkpoint", "Record where the work stands, so that a fresh session can continue"
	c.Example = "  kedge checkpoint                                  save one\n" +
		"  kedge checkpoint save --file src/parse.go         name a file to read again\n" +
		"  kedge checkpoint show                             the latest, and which of its files changed\n" +
		"  kedge checkpoint lint                             check .kedge/checkpoint.md"
	c.AddCommand(newCheckpointSave(env), newCheckpointShow(env), newCheckpointLint(env))
	return c
}

func newCheckpointSave(env *frame.Env) *cobra.Command {
	var in status.CheckpointSaveRequest
	c := &cobra.Command{
		Use: "save", Short: "Save a checkpoint: what is done, what is next, which files matter", Args: cobra.NoArgs,
		Example: "  kedge checkpoint save --task 'strict matcher' --resume 'Start at item p2.1.'",
		RunE: func(c *cobra.Command, _ []string) error {
			out, err := frame.Call[status.CheckpointReply](c.Context(), env, "checkpoint.save", in)
			if err != nil {
				return err
			}
			env.Aside(out.Notices)
			return env.Show(out, func(w io.Writer) {
				sayMoved(env, out.Path, out.Moved)
				fmt.Fprintf(w, "saved checkpoint %s in %s\n", out.ID, placeOf(out.Path, out.Unlanded, "kedge checkpoint show"))
			})
		},
	}
	c.Flags().StringVar(&in.Task, "task", "", "`what` the work is about (default: the next feature)")
	c.Flags().StringVar(&in.Resume, "resume", "", "`how` to continue (default: with what is next)")
	c.Flags().StringArrayVar(&in.Files, "file", nil, "a `file` to read again (repeatable; default: those that changed since the last commit)")
	return c
}

// sayMoved tells about lines that were written where Kedge writes.
func sayMoved(env *frame.Env, path string, lines []string) {
	if len(lines) > 0 {
		env.Talk("%s was edited above its end marker: Kedge moved the edited lines below the marker", path)
	}
}

func newCheckpointShow(env *frame.Env) *cobra.Command {
	return &cobra.Command{
		Use: "show [ID]", Short: "Show a checkpoint and which of its files changed since", Args: cobra.MaximumNArgs(1),
		Example: "  kedge checkpoint show --json",
		RunE: func(c *cobra.Command, args []string) error {
			var in status.CheckpointShowRequest
			if len(args) > 0 {
				in.ID = kedge.CheckpointID(args[0])
			}
			return frame.Ask(c.Context(), env, "checkpoint.show", in, checkpointText)
		},
	}
}

func checkpointText(w io.Writer, out status.CheckpointReply) {
	fmt.Fprint(w, out.Text)
	if len(out.Files) == 0 {
		return
	}
	fmt.Fprintln(w, "\nWhat became of the files in this checkpoint:")
	t := frame.Table{Indent: 2, Columns: []frame.Column{{}, {Least: 20, Ends: true}, {}}}
	for _, f := range out.Files {
		note := ""
		if f.State == kedge.FileChanged {
			note = "(read it again)"
		}
		t.Row(string(f.State), f.Path, note)
	}
	t.Print(w)
}

func newCheckpointLint(env *frame.Env) *cobra.Command {
	return newLint(env, "checkpoint.lint", "Check a checkpoint: size, headings, paths, resume text, hash")
}

// newLint is the lint of one kind of document: findings are the answer, and exit
// code 2.
func newLint(env *frame.Env, name, short string) *cobra.Command {
	return &cobra.Command{
		Use: "lint [FILE]", Short: short, Args: cobra.MaximumNArgs(1),
		Long:    short + ".\n\nWithout FILE, Kedge checks the file under .kedge/. The exit code is 2 if Kedge\nfinds something wrong.",
		Example: "  kedge " + strings.Replace(name, ".", " ", 1),
		RunE: func(c *cobra.Command, args []string) error {
			var in status.LintRequest
			if len(args) > 0 {
				in.File = args[0]
			}
			out, err := frame.Call[status.LintReply](c.Context(), env, name, in)
			if err != nil {
				return err
			}
			if err := env.Show(out, func(w io.Writer) { lintText(w, out) }); err != nil || out.OK {
				return err
			}
			return frame.Printed(kedge.Invalid)
		},
	}
}

func lintText(w io.Writer, out status.LintReply) {
	if out.OK {
		fmt.Fprintf(w, "%s: ok\n", out.File)
	}
	for _, f := range out.Findings {
		fmt.Fprintf(w, "%s: %s\n", f.Where, f.What)
		if f.Fix != "" {
			fmt.Fprintf(w, "  fix: %s\n", f.Fix)
		}
	}
}
