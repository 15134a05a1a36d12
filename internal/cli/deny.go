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
		Short:   "Say no to the work on a feature that a run holds back",
		Long:    "Says no to the work on a feature that a run holds back because it changed paths\noutside its plan: it is set aside (kedge salvage ls), and the feature is blocked with\nthe reason; kedge feature reopen has it tried again. A feature that was done by hand and\nwaits for your review is pending again. Yes is: kedge approve ID.",
		Example: "  kedge deny order-entity --reason \"the schema is not to be touched\"",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			out, err := call[service.RunReply](c.Context(), env, "run.deny", service.RunDecideRequest{ID: kedge.FeatureID(args[0]), Reason: reason})
			if err != nil && reason != "" && env.reviewed(c.Context(), kedge.FeatureID(args[0]), err) { // done by hand: its work is no run's
				return featureCall(c, env, "feature.reopen", service.FeatureStatusRequest{ID: kedge.FeatureID(args[0]), Reason: reason})
			}
			if err != nil {
				return err
			}
			return env.changed(c.Context(), env.showWord(out))
		},
		ValidArgsFunction: featureIDs(env, kedge.NeedsReview),
	}
	c.Flags().StringVar(&reason, "reason", "", "why")
	return c
}
