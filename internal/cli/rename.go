package cli

import (
	"io"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/app/sessions"
)

func newRename(env *Env) *cobra.Command {
	return &cobra.Command{
		Use:     "rename NAME NEW",
		Short:   "Give a session another name",
		Example: "  kedge rename auth-refactor auth-done",
		Args:    cobra.ExactArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			s, err := call[kedge.Session](c.Context(), env, "session.rename", sessions.SessionRename{Name: args[0], New: args[1]})
			if err != nil {
				return err
			}
			return env.show(s, func(io.Writer) { env.talk("now %s", s.Name) })
		},
		ValidArgsFunction: sessionNames(env),
	}
}
