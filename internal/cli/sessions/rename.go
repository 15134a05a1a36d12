package sessions

import (
	"io"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/app/sessions"
	"kedge/internal/cli/frame"
)

// Rename is kedge rename.
func Rename(env *frame.Env) *cobra.Command {
	return &cobra.Command{
		Use:   "rename NAME NEW",
		Short: "Give a session another name",
		Long: `Give a session another name.

Two running sessions of a project cannot have the same name.`,
		Example: "  kedge rename auth-refactor auth-done",
		Args:    cobra.ExactArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			s, err := frame.Call[kedge.Session](c.Context(), env, "session.rename", sessions.SessionRename{Name: args[0], New: args[1]})
			if err != nil {
				return err
			}
			return env.Show(s, func(io.Writer) { env.Talk("the session is now called %s", s.Name) })
		},
		ValidArgsFunction: frame.SessionNames(env),
	}
}
