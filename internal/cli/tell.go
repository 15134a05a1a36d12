package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"kedge/internal/service"
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
			in := service.RunTellRequest{Name: args[0], Text: strings.Join(args[1:], " ")}
			out, err := call[service.RunReply](c.Context(), env, "run.tell", in)
			if err != nil {
				return err
			}
			env.talk("told %s", args[0])
			return env.showRun(out)
		},
		ValidArgsFunction: featureIDs(env),
	}
}
