package sessions

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/app/sessions"
	"kedge/internal/cli/frame"
)

// New is kedge new.
func New(env *frame.Env) *cobra.Command {
	var (
		dir    string
		attach bool
		limit  string
	)
	c := &cobra.Command{
		Use:   "new NAME [flags] -- COMMAND…",
		Short: "Start a session that outlives this terminal",
		Long: `Start a session that outlives this terminal, the daemon and its upgrades.

A session is any command with a terminal of its own: an agent, a shell, a
watcher. Kedge keeps everything that it prints and prints its id now.

With --on-limit wait, a session that comes to its provider's limit continues by
itself when the limit is over. kedge ls shows when; kedge onlimit changes it.`,
		Example: `  kedge new auth-refactor -- claude       an agent that stays when you log out
  kedge new tests --attach -- make watch  start it and look at once
  kedge new big --on-limit wait -- claude wait for limits overnight`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if c.ArgsLenAtDash() != 1 || len(args) < 2 {
				return kedge.Errorf(kedge.Invalid, "say what to run after --").WithHint("kedge new %s -- COMMAND", args[0])
			}
			in := sessions.SessionNew{Name: args[0], Dir: env.Dir, Command: args[1:], Env: env.Environ, Cols: frame.DefaultCols, Rows: frame.DefaultRows}
			in.OnLimit = kedge.OnLimit(limit)
			if dir != "" {
				in.Dir = frame.Abs(env.Dir, dir)
			}
			if attach {
				in.Cols, in.Rows = env.Size()
			}
			s, err := frame.Call[kedge.Session](c.Context(), env, "session.new", in)
			if err != nil {
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
	c.Flags().BoolVar(&attach, "attach", false, "attach to it at once")
	return c
}
