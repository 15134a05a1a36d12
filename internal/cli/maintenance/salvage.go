package maintenance

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/app/maintenance"
	"kedge/internal/cli/frame"
	"kedge/internal/text/plain"
	"kedge/internal/text/words"
)

// Salvage is kedge salvage.
func Salvage(env *frame.Env) *cobra.Command {
	c := frame.Group("salvage", "List, restore or delete work that Kedge set aside",
		newSalvageLs(env), newSalvageRestore(env), newSalvageGC(env))
	c.Example = "  kedge salvage ls\n  kedge salvage restore sal-01k…"
	return c
}

func newSalvageLs(env *frame.Env) *cobra.Command {
	return &cobra.Command{
		Use: "ls", Short: "List work that Kedge set aside, oldest first", Args: cobra.NoArgs,
		Example: "  kedge salvage ls\n  kedge salvage ls --json",
		RunE: func(c *cobra.Command, _ []string) error {
			out, err := frame.Call[maintenance.SalvageListReply](c.Context(), env, "salvage.list", maintenance.SalvageListRequest{})
			if err != nil {
				return err
			}
			if len(out.Salvages) == 0 {
				env.Talk("no work is set aside")
			}
			return env.Show(out, func(w io.Writer) { frame.Folded(env, 2, salvageLines)(w, out.Salvages) })
		},
	}
}

func salvageLines(w io.Writer, list []kedge.Salvage) {
	t := frame.Table{Columns: []frame.Column{{}, {Drop: 1}, {}, {}}}
	for _, s := range list {
		files := words.Count(s.Files, "file")
		if n := len(s.Attic); n > 0 {
			files += fmt.Sprintf(" (%d kept by Kedge outside git)", n)
		}
		t.Row(string(s.ID), s.At.Local().Format("2006-01-02 15:04"), files, s.Reason+pathsText(s))
	}
	t.Print(w)
}

// pathsText names the first files of a salvage; empty where its reason says enough.
func pathsText(s kedge.Salvage) string {
	if len(s.Paths) == 0 {
		return ""
	}
	text := plain.Line(strings.Join(s.Paths, ", "))
	if n := s.Files - len(s.Paths); n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return " (" + text + ")"
}

func newSalvageRestore(env *frame.Env) *cobra.Command {
	return &cobra.Command{
		Use: "restore ID", Short: "Restore work that was set aside, in this worktree", Args: cobra.ExactArgs(1),
		Long: `Restore work that Kedge set aside, in this worktree.

Kedge applies the changes to the files, even if the branch has new commits. If
one of these files has other changes, Kedge changes nothing and names the file.
Kedge keeps its own copy of the work until kedge salvage gc deletes it.`,
		Example: "  kedge salvage restore sal-01k…",
		RunE: func(c *cobra.Command, args []string) error {
			in := maintenance.SalvageRestoreRequest{ID: kedge.SalvageID(args[0])}
			return frame.Ask(c.Context(), env, "salvage.restore", in, func(w io.Writer, out maintenance.SalvageRestoreReply) {
				fmt.Fprintf(w, "restored %s into %s\n", words.Count(out.Salvage.Files, "file"), plain.Line(out.Dir))
			})
		},
	}
}

func newSalvageGC(env *frame.Env) *cobra.Command {
	in := maintenance.SalvageGCRequest{OlderThan: "30d"}
	var dry bool
	c := &cobra.Command{
		Use: "gc [--older-than AGE]", Short: "Delete old work that was set aside, for good", Args: cobra.NoArgs,
		Example: `  kedge salvage gc --dry-run            what would be deleted
  kedge salvage gc --older-than 90d     delete it`,
		RunE: func(c *cobra.Command, _ []string) error {
			name, verb := "salvage.gc", "deleted"
			if dry {
				name, verb = "salvage.old", "would delete"
			}
			out, err := frame.Call[maintenance.SalvageGCReply](c.Context(), env, name, in)
			if err != nil {
				return err
			}
			env.Talk("%s %s of set-aside work older than %s", verb, words.Count(len(out.Dropped), "piece"), in.OlderThan)
			return env.Show(out, func(w io.Writer) { frame.Folded(env, 2, salvageLines)(w, out.Dropped) })
		},
	}
	c.Flags().StringVar(&in.OlderThan, "older-than", in.OlderThan, "delete work that was set aside longer ago than this `age`, such as 30d, 2w or 12h")
	c.Flags().BoolVar(&dry, "dry-run", false, "only print what would be deleted")
	return c
}
