package sessions

import (
	"io"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/app/sessions"
	"kedge/internal/cli/frame"
	"kedge/internal/text/plain"
)

// stopWord is what says that nothing is to be done at a limit.
const stopWord = "stop"

// OnLimit is kedge onlimit.
func OnLimit(env *frame.Env) *cobra.Command {
	words := []string{string(kedge.OnLimitWait), stopWord}
	return &cobra.Command{
		Use:   "onlimit NAME wait|stop",
		Short: "Set what a session does at its provider's limit",
		Long: `Set what happens when a session reaches its provider's limit.

  wait   Kedge lets the session continue when the limit is over. If the provider
         does not say when, Kedge tries again after 15 minutes.
  stop   Kedge does nothing; you let the session continue. This is the default.
         It also cancels a wait.

kedge ls shows when Kedge lets a waiting session continue. Agents may not use
this command.`,
		Example: `  kedge onlimit auth-refactor wait
  kedge onlimit auth-refactor stop   do not continue by itself`,
		Args: cobra.ExactArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			in := sessions.SessionOnLimit{Name: args[0], OnLimit: kedge.OnLimit(args[1])}
			if args[1] == stopWord {
				in.OnLimit = kedge.OnLimitStop
			}
			s, err := frame.Call[kedge.Session](c.Context(), env, "session.on_limit", in)
			if err != nil {
				return err
			}
			return env.Show(s, func(io.Writer) {
				env.Talk("session %s will %s at its provider's limit; its state now: %s", s.Name, args[1], plain.Line(s.Summary()))
			})
		},
		ValidArgsFunction: func(c *cobra.Command, args []string, to string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 1 {
				return words, cobra.ShellCompDirectiveNoFileComp
			}
			return frame.SessionNames(env)(c, args, to)
		},
	}
}
