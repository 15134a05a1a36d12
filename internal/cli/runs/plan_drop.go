package runs

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"kedge/internal/app/planning"
	"kedge/internal/cli/frame"
	"kedge/internal/text/plain"
	"kedge/internal/text/words"
)

func newPlanDrop(env *frame.Env) *cobra.Command {
	var in planning.PlanDropRequest
	c := &cobra.Command{
		Use:   "drop",
		Short: "Abandon a plan that is not approved, and keep its text",
		Long: `Abandon a plan that is not approved: the draft in .kedge/plan.md, or a plan
that sessions are still writing. Their run then ends.

Kedge removes the file from the repository and keeps a copy of its text.
Locked decisions and open risks stay. To withdraw a decision, use
kedge decide withdraw. To close a risk, use kedge risk close. Agents may not
drop a plan.`,
		Example: "  kedge plan drop --reason \"not this year\"",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return env.Changed(c.Context(), frame.Ask(c.Context(), env, "plan.drop", in, func(w io.Writer, out planning.PlanDropReply) {
				fmt.Fprintf(w, "dropped plan %s: %s\n", out.ID, plain.Line(out.Title))
				if out.Kept != "" {
					fmt.Fprintf(w, "kept    its text: %s\n", plain.Line(out.Kept))
				}
				if out.Decisions+out.Risks > 0 {
					fmt.Fprintf(w, "kept    %s (see them: kedge decide ls) and %s (see them: kedge risk ls)\n",
						words.Count(out.Decisions, "locked decision"), words.Count(out.Risks, "open risk"))
				}
			}))
		},
	}
	c.Flags().StringVar(&in.Reason, "reason", "", "say `why`")
	return c
}
