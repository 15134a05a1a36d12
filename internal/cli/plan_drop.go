package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"kedge/internal/app/runs"
	"kedge/internal/text/plain"
)

func newPlanDrop(env *Env) *cobra.Command {
	var in runs.PlanDropRequest
	c := &cobra.Command{
		Use:   "drop",
		Short: "Abandon the plan that is not approved; its text is kept",
		Long: `Abandon the plan that is not approved: the one that sessions make, whose run ends
with it, or the draft in .kedge/plan.md. Its text is kept and leaves the repository.
Only a person may drop a plan.`,
		Example: "  kedge plan drop --reason \"not this year\"",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return env.changed(c.Context(), ask(c.Context(), env, "plan.drop", in, func(w io.Writer, out runs.PlanDropReply) {
				fmt.Fprintf(w, "dropped %s: %s\n", out.ID, plain.Line(out.Title))
				if out.Kept != "" {
					fmt.Fprintf(w, "kept    %s\n", plain.Line(out.Kept))
				}
			}))
		},
	}
	c.Flags().StringVar(&in.Reason, "reason", "", "why")
	return c
}
