package cli

import (
	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/service"
)

func newDeny(env *Env) *cobra.Command {
	var reason string
	c := &cobra.Command{
		Use:     "deny ID --reason WHY",
		Short:   "Set the work on a feature aside that waits for your word",
		Long:    "Sets the work on a feature aside that a run holds back because it changed paths\noutside its plan. The feature is blocked with the reason; the work is in kedge salvage.",
		Example: "  kedge deny order-entity --reason \"the schema is not to be touched\"",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			out, err := call[service.RunReply](c.Context(), env, "run.deny", service.RunDecideRequest{ID: kedge.FeatureID(args[0]), Reason: reason})
			if err != nil {
				return err
			}
			return env.showRun(out)
		},
		ValidArgsFunction: featureIDs(env, kedge.NeedsReview),
	}
	c.Flags().StringVar(&reason, "reason", "", "why")
	return c
}
