package sessions

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/app/sessions"
	"kedge/internal/cli/frame"
)

// newLong is the help of kedge new.
const newLong = `Start a session that outlives this terminal, the daemon and its upgrades.

A session is any command with a terminal of its own: an agent, a shell, a
watcher. Kedge prints the id of the session, and keeps everything that the
session prints.

With --on-limit wait, a session that reaches its provider's limit continues by
itself when the limit is over. kedge ls shows the time. kedge onlimit changes
this setting.

With --worktree, the session works in a git worktree of its own, on the branch
kedge/NAME. Kedge makes this branch at HEAD. With --worktree=BRANCH, the
session works on BRANCH instead. If BRANCH exists, it must not be checked out
anywhere. If it does not exist, Kedge makes it at HEAD. The equals sign is
required.

Kedge sets up the worktree like the worktrees of runs: it copies files, checks
out submodules and runs the set-up of [worktree] in .kedge/config.toml. It uses
the settings that are committed at HEAD of your checkout, not those of another
branch. If the branch has files that kedge approve lists, Kedge runs a set-up
only when you have approved them.

The session gets KEDGE_SLOT, a name for its own test database, and KEDGE_PORT,
a port that no other session has. If Kedge cannot make or set up the worktree,
it leaves nothing behind. If only the command does not start, the worktree
stays, and kedge resume tries again.

kedge resume and kedge fresh continue in the same worktree. kedge worktree gc
removes the worktree when the session has ended, nothing in the worktree is
uncommitted, and its commits are on another branch.`

// New is kedge new.
func New(env *frame.Env) *cobra.Command {
	var (
		dir    string
		attach bool
		limit  string
		branch string
	)
	c := &cobra.Command{
		Use:   "new NAME [flags] -- COMMAND…",
		Short: "Start a session that outlives this terminal",
		Long:  newLong,
		Example: `  kedge new auth-refactor -- claude       an agent that keeps running without you
  kedge new tests --attach -- make watch  start it and attach at once
  kedge new big --on-limit wait -- claude wait for limits overnight
  kedge new auth --worktree -- claude     in a worktree, on branch kedge/auth
  kedge new fix --worktree=fix/42 -- claude`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := checkArgs(args, c.ArgsLenAtDash(), c.Flags().Changed("worktree")); err != nil {
				return err
			}
			in := sessions.SessionNew{Name: args[0], Dir: env.Dir, Command: args[1:], Env: env.Environ, Cols: frame.DefaultCols, Rows: frame.DefaultRows}
			in.OnLimit = kedge.OnLimit(limit)
			if dir != "" {
				in.Dir = frame.Abs(env.Dir, dir)
			}
			if attach {
				in.Cols, in.Rows = env.Size()
			}
			if c.Flags().Changed("worktree") {
				wish, err := worktreeWish(branch)
				if err != nil {
					return err
				}
				wish.Attach, in.Worktree = attach, wish
			}
			var s kedge.Session
			if err := env.Call.Call(c.Context(), "session.new", in, &s, worktreeProgress(env)); err != nil {
				return err
			}
			if attach {
				return attachTo(c.Context(), env, s.Name)
			}
			return env.Show(s, func(w io.Writer) { fmt.Fprintf(w, "%s\n", s.ID) })
		},
	}
	c.Flags().StringVar(&dir, "dir", "", "run in this `folder` (default: here)")
	c.Flags().StringVar(&limit, "on-limit", "", "at a provider's limit: `wait` and continue by itself")
	_ = c.RegisterFlagCompletionFunc("on-limit", cobra.FixedCompletions([]string{string(kedge.OnLimitWait)}, cobra.ShellCompDirectiveNoFileComp)) // the flag is there
	c.Flags().BoolVar(&attach, "attach", false, "attach to the session at once")
	c.Flags().StringVar(&branch, "worktree", "", "work in a git worktree of its own, on this `branch` (default: kedge/NAME)")
	c.Flags().Lookup("worktree").NoOptDefVal = ownBranch
	frame.CompleteFlag(c, "worktree", frame.AfterArgs(branches(env)))
	return c
}
