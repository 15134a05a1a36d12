package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/service"
)

func newResume(env *Env) *cobra.Command {
	var attach bool
	c := &cobra.Command{
		Use:   "resume NAME",
		Short: "Start the command of an ended session again",
		Long: `Start the command of an ended session again: in the same folder, with the same
name, as a new session that names the old one. What the old one printed stays
where it is; kedge search finds it under the same name.`,
		Example: "  kedge resume auth-refactor            after a reboot, for example\n" +
			"  kedge resume auth-refactor --attach   and look at it at once",
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			in := service.SessionResume{Name: args[0], Env: env.Environ, Cols: defaultCols, Rows: defaultRows}
			if attach {
				in.Cols, in.Rows = env.size()
			}
			s, err := call[kedge.Session](c.Context(), env, "session.resume", in)
			if err != nil {
				return err
			}
			if attach {
				return attachTo(c.Context(), env, s.Name)
			}
			return env.show(s, func(w io.Writer) { fmt.Fprintf(w, "%s\n", s.ID) })
		},
		ValidArgsFunction: sessionNames(env),
	}
	c.Flags().BoolVar(&attach, "attach", false, "attach to it at once")
	return c
}
