package cli

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/service"
)

func newKill(env *Env) *cobra.Command {
	var grace time.Duration
	c := &cobra.Command{
		Use:     "kill NAME",
		Short:   "End a session and everything it started",
		Example: "  kedge kill auth-refactor              asks first, then makes it\n  kedge kill auth-refactor --grace 30s  gives it more time to end by itself",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			in := service.SessionKill{Name: args[0], GraceMS: int(grace.Milliseconds())}
			env.running(fmt.Sprintf("%s is asked to end, and made to after %v at the latest", in.Name, 2*grace))
			s, err := call[kedge.Session](c.Context(), env, "session.kill", in)
			env.running("")
			if err != nil {
				return err
			}
			return env.show(s, func(io.Writer) { fmt.Fprintf(env.Err, "%s is %s\n", s.Name, stateText(s)) })
		},
		ValidArgsFunction: sessionNames(env),
	}
	c.Flags().DurationVar(&grace, "grace", 3*time.Second, "how long it may take to end by itself; it is asked twice, then made to")
	return c
}
