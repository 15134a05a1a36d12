package cli

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/app/features"
)

func newReady(env *Env) *cobra.Command {
	return &cobra.Command{
		Use:     "ready [ID]",
		Short:   "List the features whose dependencies are completed, the next one first",
		Example: "  kedge ready\n  kedge ready order-entity             can it be worked on? if not, what is in its way",
		Args:    cobra.MaximumNArgs(1),

		ValidArgsFunction: featureIDs(env),
		RunE: func(c *cobra.Command, args []string) error {
			var in features.ReadyRequest
			if len(args) == 1 {
				in.ID = kedge.FeatureID(args[0])
			}
			return ask(c.Context(), env, "ready", in, func(w io.Writer, reply featureList) {
				if len(reply.Features) == 0 {
					env.talk("nothing is ready: %s; all of them: kedge features", strings.TrimPrefix(reply.Why, "nothing is ready: "))
				}
				featuresTable(w, reply.Features)
			})
		},
	}
}
