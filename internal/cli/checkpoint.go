package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/app/status"
)

func newCheckpoint(env *Env) *cobra.Command {
	c := newCheckpointSave(env)
	c.Use, c.Short = "checkpoint", "Write down where the work stands, so that a fresh session can go on"
	c.Example = "  kedge checkpoint                                  save one\n" +
		"  kedge checkpoint save --file src/parse.go         name what has to be read again\n" +
		"  kedge checkpoint show                             the latest, and which of its files changed since\n" +
		"  kedge checkpoint lint                             check .kedge/checkpoint.md"
	c.AddCommand(newCheckpointSave(env), newCheckpointShow(env), newCheckpointLint(env))
	return c
}

func newCheckpointSave(env *Env) *cobra.Command {
	var in status.CheckpointSaveRequest
	c := &cobra.Command{
		Use: "save", Short: "Save a checkpoint", Args: cobra.NoArgs,
		Example: "  kedge checkpoint save --task 'strict matcher' --resume 'Start at item p2.1.'",
		RunE: func(c *cobra.Command, _ []string) error {
			out, err := call[status.CheckpointReply](c.Context(), env, "checkpoint.save", in)
			if err != nil {
				return err
			}
			env.aside(out.Notices)
			return env.show(out, func(w io.Writer) {
				env.moved(out.Path, out.Moved)
				fmt.Fprintf(w, "%s saved in %s\n", out.ID, placeOf(out.Path, out.Unlanded, "kedge checkpoint show"))
			})
		},
	}
	c.Flags().StringVar(&in.Task, "task", "", "what the work is about (default: the next feature)")
	c.Flags().StringVar(&in.Resume, "resume", "", "how to go on (default: at what is next)")
	c.Flags().StringArrayVar(&in.Files, "file", nil, "a file to read again (default: those that changed since the last commit)")
	return c
}

// moved tells about lines that were written where Kedge writes.
func (env *Env) moved(path string, lines []string) {
	if len(lines) > 0 {
		env.talk("%s was edited above its end marker: the edited lines now stand below it", path)
	}
}

func newCheckpointShow(env *Env) *cobra.Command {
	return &cobra.Command{
		Use: "show [ID]", Short: "Show a checkpoint and which of its files changed", Args: cobra.MaximumNArgs(1),
		Example: "  kedge checkpoint show --json",
		RunE: func(c *cobra.Command, args []string) error {
			var in status.CheckpointShowRequest
			if len(args) > 0 {
				in.ID = kedge.CheckpointID(args[0])
			}
			return ask(c.Context(), env, "checkpoint.show", in, checkpointText)
		},
	}
}

func checkpointText(w io.Writer, out status.CheckpointReply) {
	fmt.Fprint(w, out.Text)
	if len(out.Files) == 0 {
		return
	}
	fmt.Fprintln(w, "\nFiles now:")
	for _, f := range out.Files {
		note := ""
		if f.State == kedge.FileChanged {
			note = "  (read it again)"
		}
		fmt.Fprintf(w, "  %-9s  %s%s\n", f.State, f.Path, note)
	}
}

func newCheckpointLint(env *Env) *cobra.Command {
	return newLint(env, "checkpoint.lint", "Check a checkpoint: size, headings, paths, resume instruction, hash")
}

// newLint is the lint of one kind of document: findings are the answer, and exit
// code 2.
func newLint(env *Env, name, short string) *cobra.Command {
	return &cobra.Command{
		Use: "lint [FILE]", Short: short, Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			var in status.LintRequest
			if len(args) > 0 {
				in.File = args[0]
			}
			out, err := call[status.LintReply](c.Context(), env, name, in)
			if err != nil {
				return err
			}
			if err := env.show(out, func(w io.Writer) { lintText(w, out) }); err != nil || out.OK {
				return err
			}
			return errSaid{kedge.Invalid}
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
