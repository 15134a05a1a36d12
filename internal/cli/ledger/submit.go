package ledger

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/app/verify"
	"kedge/internal/cli/frame"
	"kedge/internal/core/check"
	"kedge/internal/git"
	"kedge/internal/text/plain"
)

func newFeatureSubmit(env *frame.Env) *cobra.Command {
	return &cobra.Command{
		Use:   "submit ID",
		Short: "Ask Kedge to verify a feature, and complete it if it is green",
		Long: `Ask Kedge to verify a feature, and complete it if it is green.

Kedge runs all of the project's checks and the feature's checks on the current
files. If all are green, the feature is completed. If one is red, the feature
stays open (exit code 6). Submit the feature once before the work, too: a check
that is red before the work and green after it proves the work. Therefore the
feature's checks run even if a check of the project is red.

Kedge commits nothing here. Commit the work yourself:
git add -A && git commit. A run makes its own commits.

Kedge also inspects all changes, committed or not, since it last verified the
files: in your last full green kedge gate, in the last completed feature, or
else in kedge init.

A feature waits for you (exit code 5) if it has no checks, or if the work
changed files outside its paths. It also waits if the work deleted, skipped or
weakened existing tests that --changes-tests does not name. The same holds for
changed protected files, and for new executables, archives and big files that
the paths do not name. Then use kedge approve ID --reason WHY, or kedge deny.

In a run, a session may submit only its own feature. The session receives the
verdict, and the run sets the status.`,
		Example: "  kedge feature submit order-entity",
		Args:    cobra.ExactArgs(1),

		ValidArgsFunction: frame.FeatureIDs(env, kedge.Pending, kedge.InProgress, kedge.NeedsReview, kedge.Regressed, kedge.Completed),
		RunE: func(c *cobra.Command, args []string) error {
			var out verify.FeatureSubmitReply
			in := verify.FeatureSubmitRequest{ID: kedge.FeatureID(args[0]), Env: env.Environ}
			err := env.Call.Call(c.Context(), "feature.submit", in, &out, func(b json.RawMessage) { gateStep(env, b) })
			env.Running("")
			if err != nil {
				return err
			}
			if out.Verdict != nil {
				gateTalk(env, verify.GateReply{Verdict: *out.Verdict, Evidence: out.Evidence})
			}
			env.Aside(out.Notices)
			for _, name := range seenRed(out) {
				env.Talk("noted: check %q fails now; if it passes after the work, that proves the feature", name)
			}
			if out.Feature.Status == kedge.NeedsReview {
				env.Talk("%s: %s", out.Feature.ID, plain.Line(out.Reason))
			}
			if out.Claimed {
				env.Talk("feature %s: when this session ends, the run itself checks the work and sets the status", out.Feature.ID)
			}
			if err := env.Show(out, func(w io.Writer) { submitText(w, out) }); err != nil {
				return err
			}
			if out.Claimed {
				return submitCode(out)
			}
			if out.Feature.Status == kedge.NeedsReview { // it comes first, whatever else waits
				env.Next(kedge.Step("kedge", "approve", string(out.Feature.ID), "--reason", "WHY"))
				env.Next(kedge.Step("kedge", "deny", string(out.Feature.ID), "--reason", "WHY"))
				return submitCode(out)
			}
			if pl, ok := git.Locate(env.Dir); ok && pl.Common != "" && out.Feature.Status == kedge.Completed && env.Getenv("KEDGE_SESSION") == "" {
				env.Next(kedge.Step("git", "add", "-A").AndThen(kedge.Step("git", "commit"))) // the ledger has changed at least
			}
			return env.Changed(c.Context(), submitCode(out))
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
		if c.Prove != check.ProveHolds && slices.ContainsFunc(out.Verdict.Checks, func(r kedge.CheckResult) bool { return r.Name == c.Name && r.FirstFailure != nil }) {
			names = append(names, c.Name)
		}
	}
	return names
}

// submitCode is the exit code of a submit that was answered.
func submitCode(out verify.FeatureSubmitReply) error {
	switch {
	case out.Verdict != nil && (!out.Verdict.Green() || out.Verdict.Partial):
		return frame.Printed(kedge.Red)
	case out.Claimed, out.Feature.Status == kedge.Completed:
		return nil
	}
	return frame.Printed(kedge.Blocked)
}
