package runs

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/agents/trust"
	"kedge/internal/app/features"
	"kedge/internal/app/maintenance"
	"kedge/internal/app/runs"
	"kedge/internal/cli/frame"
	"kedge/internal/cli/ledger"
	"kedge/internal/core/run"
	"kedge/internal/git"
	"kedge/internal/text/plain"
)

// Approve is kedge approve.
func Approve(env *frame.Env) *cobra.Command {
	var reason string
	c := &cobra.Command{
		Use: "approve [ID | files@HASH | env:NAME@HASH | filter:NAME@HASH]", Short: "Approve work that a run holds back, or files that run code", Args: cobra.MaximumNArgs(1),
		Long: `Approve the work on a feature, or files and settings of the repository that run
code or steer agents. Without an argument, list these files and
settings.

Work on a feature (ID) waits for your review in two cases:

  held back by a run   the work changed files outside its paths, existing tests,
                       or files that run code by themselves (.envrc, settings of
                       agents, git hooks). If you approve, the run merges the
                       work unchanged, checks it and completes the feature.
  not proved           the work is on the run's branch or in your folder, but no
                       check proves it. --reason is required. Your decision
                       completes the feature, as with kedge feature accept.

To refuse the work, use kedge deny.

The files and settings are those that run code or steer agents. Until you
approve them, Kedge starts no session of a run (exit code 5):

  files@HASH         settings, hooks, MCP servers and other files that agents
                     run or obey
  env:NAME@HASH      a variable that sends keys elsewhere or loads code
  filter:NAME@HASH   a git filter that files need, such as an encryption

You approve exactly the content that has this hash. If the content changes,
Kedge asks again. To refuse files, remove them from the repository, or do
nothing.`,
		Example: `  kedge approve order-entity                                   accept the work
  kedge approve landing-page --reason "looked at it"           complete the feature
  kedge approve                                                list files and settings
  kedge approve files@9b1d0c4e77aa52f3c6018e2d5b94f0a1         agents may use these files
  kedge approve filter:crypt@4f1c2ab09d3e7712c05be9d186a4f3b0  this filter may run`,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return listApprovable(c, env)
			}
			return env.Changed(c.Context(), approve(c, env, args[0], reason))
		},
		ValidArgsFunction: frame.FeatureIDs(env, kedge.NeedsReview),
	}
	c.Flags().StringVar(&reason, "reason", "", "say `why` you accept the work; required if no run holds the work back")
	return c
}

// approve does what the one argument says.
func approve(c *cobra.Command, env *frame.Env, what, reason string) error {
	if kedge.ValidName(what) {
		return approveWork(c, env, kedge.FeatureID(what), reason)
	}
	name, hash, ok := cutLast(what, "@")
	kind, name, named := strings.Cut(name, ":")
	switch {
	case ok && kind == "filter" && name != "":
		return frame.Ask(c.Context(), env, "filter.approve", maintenance.FilterApproveRequest{Name: name, Hash: hash}, func(w io.Writer, out maintenance.FilterApproveReply) {
			fmt.Fprintf(w, "approved the git filter %s\n", plain.Line(out.Filter.Name))
		})
	case ok && (kind == "env" && name != "" || kind == "files" && !named):
		return frame.Ask(c.Context(), env, "trust.approve", maintenance.TrustApproveRequest{Name: name, Hash: hash}, func(w io.Writer, out maintenance.TrustApproveReply) {
			for _, t := range out.Items {
				what := "approved the file " + plain.Line(t.Path)
				if t.Name != "" {
					what = "approved the variable " + plain.Line(t.Name) + " in " + plain.Line(t.Path)
				}
				fmt.Fprintln(w, what)
			}
		})
	default:
		return frame.UsageError(c, kedge.Errorf(kedge.Invalid, "Kedge cannot approve %q: the argument must be the id of a feature, files@HASH, env:NAME@HASH or filter:NAME@HASH", what))
	}
}

// cutLast cuts around the last separator.
func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// approveWork says yes to the work on a feature: to what a run holds back, or to
// what waits for a review, which takes a reason.
func approveWork(c *cobra.Command, env *frame.Env, id kedge.FeatureID, reason string) error {
	out, err := frame.Call[runs.RunReply](c.Context(), env, "run.approve", runs.RunDecideRequest{ID: id, Reason: reason})
	if err == nil {
		sayNotes(env, out.Notes)
		return env.Show(out, func(w io.Writer) {
			fmt.Fprintf(w, "approved the work on feature %q: Kedge merges and checks it%s\n", id, whenHalted(out.Run))
		})
	}
	if !waitsForReview(c.Context(), env, id, err) && !(kedge.NotFound.Is(err) && strings.HasPrefix(kedge.HintOf(err), "kedge feature accept ")) {
		return err
	}
	if reason == "" {
		return kedge.Errorf(kedge.Invalid, "the work on feature %q waits for your review: say why you accept it", id).WithHint("give the reason: kedge approve %s --reason WHY", id)
	}
	return ledger.MoveFeature(c.Context(), env, "feature.accept", features.FeatureStatusRequest{ID: id, Reason: reason})
}

// whenHalted is when a run does what it was told: not as long as it is halted.
func whenHalted(v runs.RunView) string {
	if v.Halt == run.Paused || v.Halt == run.Stopped {
		return " when the run continues"
	}
	return " now"
}

// waitsForReview tells whether a feature waits for a review where no run holds its work
// back: err is what the run said.
func waitsForReview(ctx context.Context, env *frame.Env, id kedge.FeatureID, err error) bool {
	if !kedge.NotFound.Is(err) {
		return false
	}
	f, err := frame.Call[features.FeatureShowReply](ctx, env, "feature.show", features.FeatureShowRequest{ID: id})
	return err == nil && f.Feature.Status == kedge.NeedsReview
}

func listApprovable(c *cobra.Command, env *frame.Env) error {
	out, err := frame.Call[maintenance.FilterListReply](c.Context(), env, "filter.list", maintenance.FilterListRequest{})
	if err != nil {
		return err
	}
	if len(out.Filters)+len(out.Files)+len(out.Variables) == 0 {
		env.Talk("the repository has no files that need your approval")
	}
	return env.Show(out, func(w io.Writer) {
		for _, f := range out.Files {
			fileLines(w, f)
		}
		if out.Hash != "" {
			fmt.Fprintf(w, "to approve these files with exactly this content: kedge approve files@%s\nto refuse: remove them from the repository (git rm FILE); until you do one or the other, no session of a run starts\n", out.Hash[:trust.Digits])
		}
		for _, v := range out.Variables {
			fmt.Fprintf(w, "env:%s@%s  %s\n  %s%s: %s\n", plain.Line(v.Name), v.SHA256[:trust.Digits], approvedWord(v.Approved), plain.Line(v.Path), inDir(v.Dir), v.Why)
		}
		for _, f := range out.Filters {
			filterLines(w, f)
		}
	})
}

func approvedWord(approved bool) string {
	if approved {
		return "approved"
	}
	return "not approved"
}

// inDir says in which worktree something is, where it is not simply committed.
func inDir(dir string) string {
	if dir == "" {
		return ""
	}
	return " in " + plain.Line(dir)
}

func fileLines(w io.Writer, f maintenance.TrustFile) {
	fmt.Fprintf(w, "%s%s  %s  (%s, %d bytes)\n", plain.Line(f.Path), inDir(f.Dir), approvedWord(f.Approved), f.Who, f.Bytes)
	for _, r := range f.Runs {
		fmt.Fprintf(w, "  runs     %s\n", plain.Line(r))
	}
}

func filterLines(w io.Writer, f git.Filter) {
	fmt.Fprintf(w, "filter:%s@%s  %s\n", plain.Line(f.Name), f.Hash[:git.FilterDigits], approvedWord(f.Approved))
	for _, c := range []struct{ name, command string }{{"clean", f.Clean}, {"smudge", f.Smudge}, {"process", f.Process}} {
		if c.command != "" {
			fmt.Fprintf(w, "  %-8s %s\n", c.name, plain.Line(c.command))
		}
	}
}
