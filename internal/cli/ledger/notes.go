package ledger

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/app/memory"
	"kedge/internal/cli/frame"
	"kedge/internal/text/plain"
	"kedge/internal/text/words"
)

// Notes is kedge notes.
func Notes(env *frame.Env) *cobra.Command {
	c := &cobra.Command{
		Use: "notes", Short: "Show contexts of running sessions, notes, and summarised commits", Args: cobra.NoArgs,
		Example: "  kedge notes\n  kedge notes show not-01k…\n  kedge notes lint",
		RunE: func(c *cobra.Command, _ []string) error {
			out, err := frame.Call[memory.NotesReply](c.Context(), env, "note.list", memory.NotesRequest{})
			if err != nil {
				return err
			}
			pendingEdits(env, out.Edits)
			return env.Show(out, func(w io.Writer) { notesText(w, out) })
		},
	}
	c.AddCommand(newNotesShow(env), newNotesLint(env))
	return c
}

func newNotesShow(env *frame.Env) *cobra.Command {
	return &cobra.Command{
		Use: "show ID", Short: "Show a note", Args: cobra.ExactArgs(1),
		Example:           "  kedge notes show not-01k…",
		ValidArgsFunction: noteIDs(env),
		RunE: func(c *cobra.Command, args []string) error {
			in := memory.NoteShowRequest{ID: kedge.NoteID(args[0])}
			return frame.Ask(c.Context(), env, "note.show", in, func(w io.Writer, out memory.NoteShowReply) { fmt.Fprint(w, out.Text) })
		},
	}
}

// noteIDs completes the ids of notes.
func noteIDs(env *frame.Env) cobra.CompletionFunc {
	return frame.CompleteOne(func(ctx context.Context) (list []cobra.Completion, err error) {
		out, err := frame.Call[memory.NotesReply](ctx, env, "note.list", memory.NotesRequest{})
		for _, n := range out.Notes {
			list = append(list, cobra.CompletionWithDesc(string(n.ID), plain.Line(n.Title)))
		}
		return list, err
	})
}

func notesText(w io.Writer, out memory.NotesReply) {
	fmt.Fprintln(w, "contexts of running sessions")
	for _, l := range out.Live {
		fmt.Fprintf(w, "  %s  %s  %s of %s tokens\n", l.Session, plain.Line(l.Name), figure(l.ContextTokens), figure(l.ContextWindow))
	}
	if len(out.Live) == 0 {
		fmt.Fprintln(w, "  none: no session is running")
	}
	fmt.Fprintln(w, "notes")
	for _, n := range out.Notes {
		fmt.Fprintf(w, "  %s  %s  %s, %s\n", n.ID, plain.Line(n.Title), words.Count(n.Tokens, "token"), words.Count(len(n.Commits), "commit"))
	}
	if len(out.Notes) == 0 {
		fmt.Fprintln(w, "  none")
	}
	fmt.Fprintln(w, "commits that notes summarise")
	for _, c := range out.Commits {
		fmt.Fprintf(w, "  %s  %s\n", words.Hash(c.Commit), commitText(c))
	}
	if len(out.Commits) == 0 {
		fmt.Fprintln(w, "  none")
	}
}

// figure shows a number, or that it is unknown.
func figure(n *int64) string {
	if n == nil {
		return "unknown"
	}
	return fmt.Sprint(*n)
}

func commitText(c memory.NoteCommit) string {
	s := fmt.Sprintf("%d notes", len(c.Notes))
	if len(c.Notes) == 1 {
		s = string(c.Notes[0])
	}
	if c.Found != nil && !*c.Found {
		s += " (not in this repository)"
	}
	return s
}

func newNotesLint(env *frame.Env) *cobra.Command {
	return &cobra.Command{
		Use: "lint", Short: "Find notes that teach nothing or cannot be read",
		Long: "Find notes that teach nothing or cannot be read. If there are any, the exit code\nis 2.", Args: cobra.NoArgs,
		Example: "  kedge notes lint\n  kedge notes lint --json",
		RunE: func(c *cobra.Command, _ []string) error {
			out, err := frame.Call[memory.NotesLintReply](c.Context(), env, "note.lint", memory.NotesLintRequest{})
			if err != nil {
				return err
			}
			err = env.Show(out, func(w io.Writer) {
				findingsText(w, out.Findings)
				fmt.Fprintf(w, "%s, %s\n", words.Count(out.Notes, "note"), words.Count(len(out.Findings), "finding"))
			})
			if err != nil || out.OK {
				return err
			}
			return frame.Printed(kedge.Invalid)
		},
	}
}

// findingsText shows findings, each with what to do about it.
func findingsText(w io.Writer, findings []kedge.Finding) {
	for _, f := range findings {
		fmt.Fprintf(w, "%s: %s\n", plain.Line(f.Where), plain.Line(f.What))
		if f.Fix != "" {
			fmt.Fprintf(w, "  fix: %s\n", plain.Line(f.Fix))
		}
	}
}
