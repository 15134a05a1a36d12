package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"kedge/internal/app/runs"
)

func newTell(env *Env) *cobra.Command {
	return &cobra.Command{
		Use:   "tell NAME TEXT…",
		Short: "Tell the session that works on a feature something",
		Long: "Tells the session that works on a feature something; an agent that takes nothing\n" +
			"while it works is told in its next brief. NAME is a feature or a session of the run.",
		Example: "  kedge tell order-entity \"use the money type of package price\"",
		Args:    cobra.MinimumNArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			in := runs.RunTellRequest{Name: args[0], Text: strings.Join(args[1:], " ")}
			out, err := call[runs.RunTellReply](c.Context(), env, "run.tell", in)
			if err != nil {
				return err
			}
			if out.Session != "" {
				env.talk("kept: it is read in the next session of %s, if there is one", out.Feature)
			} else {
				env.talk("told %s: its next session reads it", out.Feature)
			}
			err = env.show(out, func(w io.Writer) { fmt.Fprintln(w, afterWord(out.Run)) })
			if err == nil && out.Run.Resting {
				env.nextSteps(out.Run)
			}
			return err
		},
		ValidArgsFunction: featureIDs(env),
	}
}
