package runs

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"kedge/internal/app/planning"
	"kedge/internal/cli/frame"
	"kedge/internal/text/plain"
	"kedge/internal/text/words"
)

// phaseNumbers completes the phases of the plan.
func phaseNumbers(env *frame.Env) cobra.CompletionFunc {
	return frame.CompleteOne(func(ctx context.Context) ([]cobra.Completion, error) {
		r, err := frame.Call[planning.PlanShowReply](ctx, env, "plan.show", planning.PlanShowRequest{})
		var out []cobra.Completion
		for i, ph := range r.Plan.Phases {
			out = append(out, cobra.CompletionWithDesc(strconv.Itoa(i+1), ph.Title))
		}
		return out, err
	})
}

func newPlanDiff(env *frame.Env) *cobra.Command {
	c := &cobra.Command{
		Use:   "diff PHASE",
		Short: "Show what one phase of the plan changed, with a summary",
		Long: `Show what the work on one phase of the approved plan changed: a summary and a
diff. PHASE is the number, id or title of the phase.

The diff contains the verified commits of the phase's features, landed or not.
It leaves out the files that Kedge writes.`,
		Example: "  kedge plan diff 1\n  kedge plan diff 1 --json",
		Args:    cobra.ExactArgs(1),

		ValidArgsFunction: phaseNumbers(env),
		RunE: func(c *cobra.Command, args []string) error {
			return frame.Ask(c.Context(), env, "plan.diff", planning.PlanDiffRequest{Phase: args[0]}, func(w io.Writer, r planning.PlanDiffReply) {
				fmt.Fprintf(w, "%s: %s\n", plain.Line(r.Title), plain.Line(r.Summary))
				fmt.Fprintf(w, "%s, %s\n", words.Count(len(r.Commits), "commit"), words.Count(len(r.Files), "file"))
				if r.Patch != "" {
					fmt.Fprintf(w, "\n%s", plain.Text(r.Patch))
				}
				if !r.Whole {
					fmt.Fprintln(w, "(Kedge cuts the diff here; to see a whole commit: git show COMMIT)")
				}
			})
		},
	}
	return c
}
