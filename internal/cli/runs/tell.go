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

NAME is the id of a feature, or the name of a session of the run. If the agent
cannot receive messages while it works, the next session of the feature reads
your message in its brief.`,
		Example: "  kedge tell order-entity \"use the money type of package price\"",
		Args:    cobra.MinimumNArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			in := runs.RunTellRequest{Name: args[0], Text: strings.Join(args[1:], " ")}
			out, err := frame.Call[runs.RunTellReply](c.Context(), env, "run.tell", in)
			if err != nil {
				return err
			}
			if out.Session != "" {
				env.Talk("saved: if another session of feature %s starts, it reads your message", out.Feature)
			} else {
				env.Talk("saved: the next session of feature %s reads your message", out.Feature)
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
