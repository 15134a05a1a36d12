package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/app/features"
	"kedge/internal/app/runs"
	"kedge/internal/text/plain"
)

func newDeny(env *Env) *cobra.Command {
	var reason string
	c := &cobra.Command{
		Use:   "deny ID --reason WHY",
		Short: "Say no to the work on a feature that waits for your word",
		Long: "Says no to the work on a feature. What is on the run's branch and waits for your review\n" +
			"is taken back from it, and what was done later stays; the feature is pending again, and\n" +
			"its next session is told why. Where later work needs it, it stays, and you are told so\n" +
			"(exit code 4). What a run holds back because it changed paths outside its plan is set\n" +
			"aside (kedge salvage ls), and the feature is blocked with the reason; kedge feature reopen\n" +
			"has it tried again. A feature that was done by hand is pending again. Yes is: kedge\n" +
			"approve ID.",
		Example: "  kedge deny order-entity --reason \"the schema is not to be touched\"",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			out, err := call[runs.RunDenyReply](c.Context(), env, "run.deny", runs.RunDecideRequest{ID: kedge.FeatureID(args[0]), Reason: reason})
			if err != nil && reason != "" && env.reviewed(c.Context(), kedge.FeatureID(args[0]), err) { // done by hand: its work is no run's
				return featureCall(c, env, "feature.reopen", features.FeatureStatusRequest{ID: kedge.FeatureID(args[0]), Reason: reason})
			}
			if err != nil {
				return err
			}
			return env.changed(c.Context(), env.denied(out))
		},
		ValidArgsFunction: featureIDs(env, kedge.NeedsReview),
	}
	c.Flags().StringVar(&reason, "reason", "", "why")
	return c
}

// denied says what became of work that was refused.
func (env *Env) denied(out runs.RunDenyReply) error {
	env.notes(out.Notes)
	if err := env.show(out, func(w io.Writer) {
		switch {
		case out.Taken != "":
			fmt.Fprintf(w, "taken back by %s: %s is %s again\n", out.Taken, out.Feature, out.Status)
		case out.Kept == "" && out.Status != "":
			fmt.Fprintf(w, "refused: %s is %s again\n", out.Feature, out.Status)
		case out.Kept == "":
			fmt.Fprintf(w, "refused: the work on %s is set aside (kedge salvage ls), and the feature is blocked until: kedge feature reopen %s\n", out.Feature, out.Feature)
		}
	}); err != nil {
		return err
	}
	if out.Kept != "" && out.Waits() && out.Run.Halt == "" {
		env.talk("not taken back yet: %s", plain.Line(out.Kept))
		return nil
	}
	if out.Kept != "" {
		env.talk("not taken back: %s", plain.Line(out.Kept))
		if !out.Waits() {
			env.talk("next: kedge feature reopen %s --reason WHY", out.Feature)
		}
		return errSaid{kedge.Conflict}
	}
	return nil
}
