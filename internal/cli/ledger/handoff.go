package ledger

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/app/status"
	"kedge/internal/cli/frame"
	"kedge/internal/core/brief"
)

// Handoff is kedge handoff.
func Handoff(env *frame.Env) *cobra.Command {
	c := newHandoffSave(env)
	c.Use, c.Short = "handoff", "Record what this session knows, for the next one"
	c.Example = "  kedge handoff save --percent 60 --state 'auth module' --approach 'JWT instead of sessions' \\\n" +
		"      --ruled-out 'OAuth2: too complex' --next 'refresh tokens in the user model'\n" +
		"  kedge handoff show\n" +
		"  kedge handoff lint"
	c.AddCommand(newHandoffSave(env), newHandoffShow(env), newHandoffLint(env))
	return c
}

func newHandoffSave(env *frame.Env) *cobra.Command {
	var in status.HandoffSaveRequest
	var ruledOut []string
	c := &cobra.Command{
		Use: "save --percent N --state TEXT --approach TEXT", Short: "Save a handoff: what is done, how, and what was ruled out", Args: cobra.NoArgs,
		Example: "  kedge handoff save --percent 60 --state 'auth module' --approach 'JWT instead of sessions'",
		RunE: func(c *cobra.Command, _ []string) error {
			if !c.Flags().Changed("percent") {
				return kedge.Errorf(kedge.Invalid, "--percent is missing: say how much of the work is done").WithHint("%s", brief.SaveCommand("handoff"))
			}
			var err error
			if in.RuledOut, err = whatAndWhy(ruledOut); err != nil {
				return err
			}
			out, err := frame.Call[status.HandoffReply](c.Context(), env, "handoff.save", in)
			if err != nil {
				return err
			}
			env.Aside(out.Notices)
			return env.Show(out, func(w io.Writer) {
				sayMoved(env, out.Path, out.Moved)
				fmt.Fprintf(w, "saved handoff %s in %s\n", out.ID, placeOf(out.Path, out.Unlanded, "kedge handoff show"))
			})
		},
	}
	f := c.Flags()
	f.IntVar(&in.Percent, "percent", 0, "how much is done, as a `number` from 0 to 100")
	f.StringVar(&in.State, "state", "", "`what` is done")
	f.StringVar(&in.Approach, "approach", "", "`how` the work is done")
	f.StringVar(&in.Next, "next", "", "the next `step` (default: what is next)")
	f.StringVar(&in.BlockedOn, "blocked-on", "", "`what` the work waits for (default: nothing)")
	f.StringArrayVar(&in.Files, "file", nil, "a `file` that was modified (repeatable; default: those that differ from the last commit)")
	f.StringArrayVar(&in.Constraints, "constraint", nil, "a `rule` that the work must still keep, such as \"no new dependency\" (repeatable)")
	f.StringArrayVar(&ruledOut, "ruled-out", nil, "what was tried or dropped, and why, as `'what: reason'` (repeatable)")
	return c
}

// whatAndWhy reads "what: reason".
func whatAndWhy(list []string) ([]kedge.Rejected, error) {
	var out []kedge.Rejected
	for _, s := range list {
		what, reason, ok := strings.Cut(s, ":")
		what, reason = strings.TrimSpace(what), strings.TrimSpace(reason)
		if !ok || what == "" || reason == "" {
			return nil, kedge.Errorf(kedge.Invalid, "--ruled-out %q has no reason", s).WithHint("add the reason after a colon: --ruled-out 'what: reason'")
		}
		out = append(out, kedge.Rejected{What: what, Reason: reason})
	}
	return out, nil
}

func newHandoffShow(env *frame.Env) *cobra.Command {
	return &cobra.Command{
		Use: "show [ID]", Short: "Show a handoff", Args: cobra.MaximumNArgs(1),
		Example: "  kedge handoff show --json",
		RunE: func(c *cobra.Command, args []string) error {
			var in status.HandoffShowRequest
			if len(args) > 0 {
				in.ID = kedge.CheckpointID(args[0])
			}
			return frame.Ask(c.Context(), env, "handoff.show", in, func(w io.Writer, out status.HandoffReply) { fmt.Fprint(w, out.Text) })
		},
	}
}

func newHandoffLint(env *frame.Env) *cobra.Command {
	return newLint(env, "handoff.lint", "Check a handoff: its fields, size, hash")
}
