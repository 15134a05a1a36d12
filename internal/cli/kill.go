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
			s, err := call[kedge.Session](c.Context(), env, "session.kill", in)
			if err != nil {
				return err
			}
			return env.show(s, func(io.Writer) { fmt.Fprintf(env.Err, "%s is %s\n", s.Name, stateText(s)) })
		},
		ValidArgsFunction: sessionNames(env),
	}
	c.Flags().DurationVar(&grace, "grace", 3*time.Second, "how long each step waits for the one before it to work")
	return c
}
