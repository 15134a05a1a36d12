package ledger

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/app/features"
	"kedge/internal/cli/frame"
)

// Ready is kedge ready.
func Ready(env *frame.Env) *cobra.Command {
	return &cobra.Command{
		Use:   "ready [ID]",
		Short: "List features whose dependencies are completed, next one first",
		Example: `  kedge ready
  kedge ready order-entity   can it start? if not, what is in its way`,
		Args: cobra.MaximumNArgs(1),

		ValidArgsFunction: frame.FeatureIDs(env),
		RunE: func(c *cobra.Command, args []string) error {
			var in features.ReadyRequest
			if len(args) == 1 {
				in.ID = kedge.FeatureID(args[0])
			}
			return frame.Ask(c.Context(), env, "ready", in, func(w io.Writer, reply featureList) {
				if len(reply.Features) == 0 {
					env.Talk("no feature is ready: %s; see all features: kedge features", strings.TrimPrefix(reply.Why, "nothing is ready: "))
				}
				featuresTable(w, reply.Features)
			})
		},
	}
}
