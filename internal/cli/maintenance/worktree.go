package maintenance

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/app/maintenance"
	"kedge/internal/cli/frame"
	"kedge/internal/text/plain"
	"kedge/internal/text/words"
)

// Worktree is kedge worktree.
func Worktree(env *frame.Env) *cobra.Command {
	c := frame.Group("worktree", "List and clean up the worktrees of this repository", newWorktreeLs(env), newWorktreeGC(env))
	c.Example = "  kedge worktree ls\n  kedge worktree gc --dry-run"
	return c
}

func newWorktreeLs(env *frame.Env) *cobra.Command {
	return &cobra.Command{
		Use: "ls", Short: "List worktrees with size, age, owner and state", Args: cobra.NoArgs,
		Long: `List worktrees with size, age, owner and state.

  AGE      how long ago something in the worktree last changed
  OWNER    the id of the running process that works in the worktree, or for
           which Kedge made the worktree; none if no such process runs
  STATE    dirty: has uncommitted changes; clean: has none; merged: its commits
           are on another branch too; main: the repository's own checkout;
           gone: its folder is missing or broken
  SESSION  the last session that worked in the worktree, if Kedge made the
           worktree for a session`,
		Example: "  kedge worktree ls\n  kedge worktree ls --json",
		RunE: func(c *cobra.Command, _ []string) error {
			return frame.Ask(c.Context(), env, "worktree.list", maintenance.WorktreeListRequest{}, func(w io.Writer, out maintenance.WorktreeListReply) { worktreeTable(w, out.Worktrees) })
		},
	}
}

func worktreeTable(w io.Writer, list []maintenance.WorktreeInfo) {
	t := frame.Table{Columns: []frame.Column{
		{Title: "BRANCH", Least: 20},
		{Title: "SIZE", Right: true, Drop: 2},
		{Title: "AGE", Right: true},
		{Title: "OWNER", Drop: 1},
		{Title: "STATE"},
		{Title: "SESSION", Least: 12},
		{Title: "PATH"},
	}}
	own := slices.ContainsFunc(list, func(x maintenance.WorktreeInfo) bool { return x.Session != nil })
	for _, x := range list {
		session := ""
		if own {
			session = sessionText(x.Session)
		}
		t.Row(branchText(x.Worktree), knownBytes(x.Bytes), ageText(x.Age), ownerText(x.OwnerPID), worktreeState(x.Worktree), session, x.Path)
	}
	t.Print(w)
}

// sessionText is the session that a worktree was made for; a dash for none.
func sessionText(s *maintenance.WorktreeSession) string {
	if s == nil {
		return "-"
	}
	return plain.Line(s.Name) + " (" + string(s.State) + ")"
}

func branchText(w kedge.Worktree) string {
	if w.Branch == "" {
		return "(detached)"
	}
	return plain.Line(w.Branch)
}

func knownBytes(n int64) string {
	if n < 0 {
		return "unknown"
	}
	return frame.Bytes(n)
}

// ageText shows the largest unit that fits.
func ageText(seconds int64) string {
	if seconds < 0 {
		return "unknown"
	}
	return words.Age(time.Duration(seconds) * time.Second)
}

func ownerText(pid int) string {
	switch {
	case pid < 0:
		return "unknown"
	case pid == 0:
		return "none"
	}
	return strconv.Itoa(pid)
}

func worktreeState(w kedge.Worktree) string {
	words := []string{"clean"}
	if w.Dirty {
		words[0] = "dirty"
	}
	switch {
	case w.Main:
		words = append(words, "main")
	case w.Merged:
		words = append(words, "merged")
	}
	if w.Bytes < 0 {
		words = []string{"gone"}
	}
	return strings.Join(words, ", ")
}

func newWorktreeGC(env *frame.Env) *cobra.Command {
	var dry bool
	c := &cobra.Command{
		Use: "gc", Short: "Remove worktrees that are no longer needed", Args: cobra.NoArgs,
		Long: `Remove worktrees that are no longer needed.

Kedge removes only worktrees that it made. A worktree stays if it has changes
or ignored files, if its commits are on no other branch, or if a process works
in it. It also stays if a run or a session still needs it, or if its session is
pinned.

The worktree of a session (kedge new --worktree) may contain ignored files that
Kedge copied or that the set-up made. Kedge removes these files with the
worktree when the session has ended. If ignored files are newer than the
set-up, the worktree stays.

If no run needs the worktree of a run any more, Kedge removes it with
everything in it. First Kedge sets uncommitted work aside (kedge salvage ls).

Branches stay, with two exceptions. Kedge removes the branches of runs that
have landed. It also removes the branch kedge/NAME of a session if the branch
from which Kedge made it has all its commits.`,
		Example: `  kedge worktree gc --dry-run     show what would be removed, and why the rest stays
  kedge worktree gc`,
		RunE: func(c *cobra.Command, _ []string) error {
			name, verb := "worktree.gc", "removed"
			if dry {
				name, verb = "worktree.old", "would remove"
			}
			out, err := frame.Call[maintenance.WorktreeGCReply](c.Context(), env, name, maintenance.WorktreeGCRequest{})
			if err != nil {
				return err
			}
			for _, k := range out.Kept {
				env.Talk("kept worktree %s: %s", plain.Line(k.Path), plain.Line(k.Why))
			}
			for _, k := range out.KeptBranches {
				env.Talk("kept branch %s: %s", plain.Line(k.Branch), plain.Line(k.Why))
			}
			if len(out.Removed)+len(out.Branches) == 0 {
				env.Talk("%s nothing", verb)
			}
			return env.Show(out, func(w io.Writer) {
				for _, x := range out.Removed {
					fmt.Fprintf(w, "%s %s (%s)\n", verb, plain.Line(x.Path), knownBytes(x.Bytes))
				}
				for _, b := range out.Branches {
					fmt.Fprintf(w, "%s branch %s\n", verb, plain.Line(b))
				}
			})
		},
	}
	c.Flags().BoolVar(&dry, "dry-run", false, "only print what would be removed")
	return c
}
