package runs

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/app/runs"
	"kedge/internal/cli/frame"
	"kedge/internal/text/plain"
)

// Land is kedge land.
func Land(env *frame.Env) *cobra.Command {
	var in runs.RunLandRequest
	c := &cobra.Command{
		Use:   "land",
		Short: "Move your branch to the work that a run has verified",
		Long: `Move your branch to the verified work of the newest run that has not landed.

Runs land their work by themselves if they can. Use this command if a run could
not. If your branch has new commits, Kedge merges the work with them in the
run's clean worktree and runs all checks. If all checks are green, Kedge lands
the merge. Your uncommitted changes stay.

Kedge changes nothing (exit code 4) if your uncommitted changes are in the way,
or if the merge conflicts or a check is red. It also changes nothing if your
branch no longer has the commits that the work is based on. Kedge then names
the files or the check, and prints commands that help. Work that you merged,
rebased or squashed yourself counts as landed (exit code 0). Kedge deletes the
run's branch when the work has landed.

While work waits for your review, nothing lands (exit code 5), unless you pass
--unreviewed. While a completed feature is red again, nothing lands either
(exit code 5), unless you pass --regressed. If earlier runs also have unlanded
work, Kedge names them. The next kedge land lands that work.`,
		Example: `  kedge land
  kedge land --unreviewed   also what you have not reviewed
  kedge land --regressed    although a completed feature is red again`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			out, err := frame.Call[runs.RunLandReply](c.Context(), env, "run.land", in)
			if err != nil {
				return err
			}
			if err := env.Show(out, func(w io.Writer) { landText(w, out) }); err != nil {
				return err
			}
			sayNotes(env, out.Notes)
			if out.Refused == "" {
				env.AfterChange(c.Context())
				return nil
			}
			env.Talk("not landed: %s", plain.Line(out.Refused))
			for _, r := range out.Review {
				env.Talk("next: %s", plain.Line(r.Look))
				env.Talk("next: %s", plain.Line(r.Accept))
				env.Talk("next: %s", plain.Line(r.Deny))
			}
			if len(out.Review) == 0 {
				env.Next(out.Run.NextSteps...)
			}
			if len(out.Review) > 0 || len(out.Regressed) > 0 {
				return frame.Printed(kedge.Blocked)
			}
			return frame.Printed(kedge.Conflict)
		},
	}
	c.Flags().BoolVar(&in.PR, "pr", false, "open a pull request instead (not built yet)")
	c.Flags().BoolVar(&in.Regressed, "regressed", false, "land although a completed feature is red again")
	c.Flags().BoolVar(&in.Unreviewed, "unreviewed", false, "also land work that waits for your review")
	return c
}

func landText(w io.Writer, out runs.RunLandReply) {
	branch := plain.Line(out.Branch)
	elsewhere := ""
	if out.Elsewhere {
		elsewhere = "; this branch is not checked out here: git switch " + branch
	}
	switch {
	case out.Refused != "":
	case out.Already:
		fmt.Fprintf(w, "nothing to land: branch %q already has commit %s%s\n", branch, out.Commit, elsewhere)
	case out.Merged:
		fmt.Fprintf(w, "landed commit %s on branch %q: it merges the work with your new commits, and all checks are green%s\n", out.Commit, branch, elsewhere)
	default:
		fmt.Fprintf(w, "landed commit %s on branch %q%s\n", out.Commit, branch, elsewhere)
	}
}
