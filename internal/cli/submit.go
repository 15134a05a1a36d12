package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/app/verify"
	"kedge/internal/git/place"
	"kedge/internal/text/plain"
)

func newFeatureSubmit(env *Env) *cobra.Command {
	return &cobra.Command{
		Use:   "submit ID",
		Short: "Ask Kedge to verify a feature: the only way to complete it",
		Long: `Runs all of the project's checks and the feature's own on the tree as it stands.
What was changed, committed or not, is measured from the tree that was verified
last: by a full green gate of a person, or by completing a feature; before that,
from the commit that init made. Weakened tests and changed protected files since
then are red; where such a change is meant, a person runs kedge gate first.

A full green verdict completes the feature; a red one leaves it open (exit code 6).
The work is not committed by that: do it then, git add -A && git commit. A run makes
its own commits. A session of a run may submit its own feature only, and sets no
status by that: it is told the verdict, and the run decides.
A feature without checks of its own, or one that changed files outside its paths,
then waits for a person (exit code 5): kedge approve ID --reason WHY, or kedge deny.`,
		Example: "  kedge feature submit order-entity",
		Args:    cobra.ExactArgs(1),

		ValidArgsFunction: featureIDs(env, kedge.Pending, kedge.InProgress, kedge.NeedsReview, kedge.Regressed, kedge.Completed),
		RunE: func(c *cobra.Command, args []string) error {
			var out verify.FeatureSubmitReply
			in := verify.FeatureSubmitRequest{ID: kedge.FeatureID(args[0]), Env: env.Environ}
			err := env.Call.Call(c.Context(), "feature.submit", in, &out, func(b json.RawMessage) { gateStep(env, b) })
			env.running("")
			if err != nil {
				return err
			}
			if out.Verdict != nil {
				gateTalk(env, verify.GateReply{Verdict: *out.Verdict, Evidence: out.Evidence})
			}
			env.aside(out.Notices)
			for _, name := range seenRed(out) {
				env.talk("noted: check %q was seen red: green after the work, it proves it", name)
			}
			if out.Feature.Status == kedge.NeedsReview {
				env.talk("%s: %s", out.Feature.ID, plain.Line(out.Reason))
			}
			if out.Claimed {
				env.talk("%s: the run decides, by its own checks of what this session leaves", out.Feature.ID)
			}
			if err := env.show(out, func(w io.Writer) { submitText(w, out) }); err != nil {
				return err
			}
			if out.Claimed {
				return submitCode(out)
			}
			if out.Feature.Status == kedge.NeedsReview { // it comes first, whatever else waits
				env.talk("next: kedge approve %s --reason WHY", out.Feature.ID)
				env.talk("next: kedge deny %s --reason WHY", out.Feature.ID)
				return submitCode(out)
			}
			if pl, ok := place.Locate(env.Dir); ok && pl.Common != "" && out.Feature.Status == kedge.Completed && env.getenv("KEDGE_SESSION") == "" {
				env.talk("next: git add -A && git commit") // the ledger has changed at least
			}
			return env.changed(c.Context(), submitCode(out))
		},
	}
}

func submitText(w io.Writer, out verify.FeatureSubmitReply) {
	featureLine(w, out.Feature)
	if out.Verdict != nil {
		fmt.Fprintln(w, out.Verdict.Verdict)
	}
}

// seenRed are the feature's own checks that were red, as it is wanted before the work.
func seenRed(out verify.FeatureSubmitReply) []string {
	var names []string
	if out.Verdict == nil || out.Feature.Status == kedge.Regressed {
		return nil
	}
	for _, c := range out.Feature.Checks {
		if c.Prove != "holds" && slices.ContainsFunc(out.Verdict.Checks, func(r kedge.CheckResult) bool { return r.Name == c.Name && r.FirstFailure != nil }) {
			names = append(names, c.Name)
		}
	}
	return names
}

// submitCode is the exit code of a submit that was answered.
func submitCode(out verify.FeatureSubmitReply) error {
	switch {
	case out.Verdict != nil && (!out.Verdict.Green() || out.Verdict.Partial):
		return errSaid{kedge.Red}
	case out.Claimed, out.Feature.Status == kedge.Completed:
		return nil
	}
	return errSaid{kedge.Blocked}
}
