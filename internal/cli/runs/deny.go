package runs

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/app/features"
	"kedge/internal/app/runs"
	"kedge/internal/cli/frame"
	"kedge/internal/cli/ledger"
	"kedge/internal/text/plain"
)

// Deny is kedge deny.
func Deny(env *frame.Env) *cobra.Command {
	var reason string
	c := &cobra.Command{
		Use:   "deny ID --reason WHY",
		Short: "Refuse the work on a feature that waits for you",
		Long: `Refuse the work on a feature that waits for you. What Kedge does depends on
where the work is:

  on the run's branch,   Kedge reverts the work and keeps later work. The
  waiting for review     feature is pending again, and its next session
                         receives your reason. A run that is working does
                         this as soon as it can. If later work needs this
                         work, nothing is reverted (exit code 4).
  held back by the run   Kedge sets the work aside (kedge salvage ls), and blocks
                         the feature. To try again: kedge feature reopen.
  done by hand           the feature is pending again

To agree instead: kedge approve.`,
		Example: "  kedge deny order-entity --reason \"the schema is not to be touched\"",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			out, err := frame.Call[runs.RunDenyReply](c.Context(), env, "run.deny", runs.RunDecideRequest{ID: kedge.FeatureID(args[0]), Reason: reason})
			if err != nil && reason != "" && waitsForReview(c.Context(), env, kedge.FeatureID(args[0]), err) { // done by hand: its work is no run's
				return ledger.ChangeFeature(c, env, "feature.reopen", features.FeatureStatusRequest{ID: kedge.FeatureID(args[0]), Reason: reason})
			}
			if err != nil {
				return err
			}
			return env.Changed(c.Context(), showDenied(env, out))
		},
		ValidArgsFunction: frame.FeatureIDs(env, kedge.NeedsReview),
	}
	c.Flags().StringVar(&reason, "reason", "", "`why`; the next session receives it")
	return c
}

// showDenied says what became of work that was refused.
func showDenied(env *frame.Env, out runs.RunDenyReply) error {
	sayNotes(env, out.Notes)
	if err := env.Show(out, func(w io.Writer) {
		switch {
		case out.Taken != "":
			fmt.Fprintf(w, "reverted the work with commit %s: feature %q is %s again\n", out.Taken, out.Feature, out.Status)
		case out.Kept == "" && out.Status != "":
			fmt.Fprintf(w, "refused: feature %q is %s again\n", out.Feature, out.Status)
		case out.Kept == "":
			fmt.Fprintf(w, "refused: Kedge set aside the work (see it: kedge salvage ls); feature %q stays blocked; to try again: kedge feature reopen %s\n", out.Feature, out.Feature)
		}
	}); err != nil {
		return err
	}
	if out.Kept != "" && out.Waits() && out.Run.Halt == "" {
		env.Talk("not reverted yet: %s", plain.Line(out.Kept))
		return nil
	}
	if out.Kept != "" {
		env.Talk("not reverted: %s", plain.Line(out.Kept))
		if !out.Waits() {
			env.Next(kedge.Step("kedge", "feature", "reopen", string(out.Feature), "--reason", "WHY"))
		}
		return frame.Printed(kedge.Conflict)
	}
	return nil
}
