package runs

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"kedge/internal/app/runs"
	"kedge/internal/cli/frame"
)

// Tell is kedge tell.
func Tell(env *frame.Env) *cobra.Command {
	return &cobra.Command{
		Use:   "tell NAME TEXT…",
		Short: "Send a message to the session that works on a feature",
		Long: `Send a message to the session that works on a feature.

NAME is a feature, or a session of the run. If the agent cannot receive
messages while it works, its next brief contains your message.`,
		Example: "  kedge tell order-entity \"use the money type of package price\"",
		Args:    cobra.MinimumNArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			in := runs.RunTellRequest{Name: args[0], Text: strings.Join(args[1:], " ")}
			out, err := frame.Call[runs.RunTellReply](c.Context(), env, "run.tell", in)
			if err != nil {
				return err
			}
			if out.Session != "" {
				env.Talk("saved: the next session of %s reads your message, if another one starts", out.Feature)
			} else {
				env.Talk("saved: the next session of %s reads your message", out.Feature)
			}
			err = env.Show(out, func(w io.Writer) { fmt.Fprintln(w, afterWord(out.Run)) })
			if err == nil && out.Run.Resting {
				nextSteps(env, out.Run)
			}
			return err
		},
		ValidArgsFunction: frame.FeatureIDs(env),
	}
}
