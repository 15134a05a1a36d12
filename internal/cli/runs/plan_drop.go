package runs

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"kedge/internal/app/planning"
	"kedge/internal/cli/frame"
	"kedge/internal/text/plain"
)

func newPlanDrop(env *frame.Env) *cobra.Command {
	var in planning.PlanDropRequest
	c := &cobra.Command{
		Use:   "drop",
		Short: "Abandon a plan that is not approved, and keep its text",
		Long: `Abandon a plan that is not approved: the draft in .kedge/plan.md, or one that
sessions are writing, whose run then ends.

The file leaves the repository; Kedge keeps its text. Agents may not drop a
plan.`,
		Example: "  kedge plan drop --reason \"not this year\"",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return env.Changed(c.Context(), frame.Ask(c.Context(), env, "plan.drop", in, func(w io.Writer, out planning.PlanDropReply) {
				fmt.Fprintf(w, "dropped %s: %s\n", out.ID, plain.Line(out.Title))
				if out.Kept != "" {
					fmt.Fprintf(w, "kept    %s\n", plain.Line(out.Kept))
				}
			}))
		},
	}
	c.Flags().StringVar(&in.Reason, "reason", "", "`why`")
	return c
}
