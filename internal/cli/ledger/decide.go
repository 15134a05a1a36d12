package ledger

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/memory"
	"kedge/internal/cli/frame"
	docs "kedge/internal/core/memory"
	"kedge/internal/text/plain"
)

// Decide is kedge decide.
func Decide(env *frame.Env) *cobra.Command {
	var in memory.DecisionAddRequest
	var rejected []string
	c := &cobra.Command{
		Use:   "decide TITLE --why REASON",
		Short: "Lock a decision, with its reason and what was rejected",
		Long: `Lock a decision, with its reason and what was rejected.

A locked decision is valid until another decision supersedes it, with a
reason. Kedge refuses a new decision that covers the same paths or topic,
unless it supersedes the old one.`,
		Example: `  kedge decide "Required flags, not positional" --why "scripts break when the order changes" \
    --reject "positional: order is unclear" --applies-to "cmd/**"
  kedge decide "Positional again" --why "users asked" --supersedes dec-… --reason "completion works now"
  kedge decide ls --all
  kedge decide withdraw dec-… --reason "locked by mistake"`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if !c.Flags().Changed("why") && len(frame.Similar(c, args[0])) > 0 {
				return frame.UnknownCommand(c, args[0]) // "lss" is no title
			}
			in.Title = args[0]
			for _, s := range rejected {
				r, err := docs.ParseRejected(s)
				if err != nil {
					return err
				}
				in.Rejected = append(in.Rejected, r)
			}
			out, err := frame.Call[memory.DecisionReply](c.Context(), env, "decision.add", in)
			if err != nil {
				return err
			}
			env.Aside(out.Notices)
			return env.Show(out, func(w io.Writer) {
				fmt.Fprintf(w, "%s  %s\n", out.Decision.ID, placeOf(out.File, out.Unlanded, "kedge decide show "+string(out.Decision.ID)))
			})
		},
	}
	f := c.Flags()
	f.StringVar(&in.Why, "why", "", "the `reason` for the decision")
	f.StringArrayVar(&rejected, "reject", nil, "an alternative that was rejected, as `'what: reason'` (repeatable)")
	f.StringArrayVar(&in.AppliesTo, "applies-to", nil, "a `path`, glob or topic that the decision covers (repeatable)")
	f.StringVar((*string)(&in.Supersedes), "supersedes", "", "the `id` of the decision that this one replaces")
	f.StringVar(&in.Reason, "reason", "", "`why` this decision replaces the old one")
	f.StringVar(&in.Reversibility, "reversibility", "easy", "`how` hard the decision is to reverse: easy, hard or one-way")
	frame.CompleteFlag(c, "supersedes", frame.AfterArgs(decisionIDs(env)))
	frame.CompleteFlag(c, "reversibility", frame.OneOf("easy", "hard", "one-way"))
	c.AddCommand(newDecideLs(env), newDecideShow(env), newDecideWithdraw(env))
	return c
}

// decisionIDs completes the ids of the decisions that hold.
func decisionIDs(env *frame.Env) cobra.CompletionFunc {
	return frame.CompleteOne(func(ctx context.Context) (list []cobra.Completion, err error) {
		out, err := frame.Call[memory.DecisionListReply](ctx, env, "decision.list", memory.DecisionListRequest{})
		for _, d := range out.Decisions {
			list = append(list, cobra.CompletionWithDesc(string(d.ID), plain.Line(d.Title)))
		}
		return list, err
	})
}

func newDecideWithdraw(env *frame.Env) *cobra.Command {
	var in memory.DecisionWithdrawRequest
	c := &cobra.Command{
		Use: "withdraw ID --reason WHY", Short: "Withdraw a decision that was locked by mistake", Args: cobra.ExactArgs(1),
		Long: `Withdraw a decision that was locked by mistake.

The decision stays in the history, and no other decision replaces it. Sessions
no longer receive it. Agents may not withdraw decisions.`,
		Example:           `  kedge decide withdraw dec-01k… --reason "a typo"`,
		ValidArgsFunction: decisionIDs(env),
		RunE: func(c *cobra.Command, args []string) error {
			in.ID = kedge.DecisionID(args[0])
			out, err := frame.Call[memory.DecisionReply](c.Context(), env, "decision.withdraw", in)
			if err != nil {
				return err
			}
			env.Aside(out.Notices)
			return env.Show(out, func(w io.Writer) {
				fmt.Fprintf(w, "%s  withdrawn  %s\n", out.Decision.ID, plain.Line(out.Decision.Title))
			})
		},
	}
	c.Flags().StringVar(&in.Reason, "reason", "", "`why` you withdraw the decision")
	return c
}

func newDecideLs(env *frame.Env) *cobra.Command {
	var in memory.DecisionListRequest
	c := &cobra.Command{
		Use: "ls", Short: "List the decisions that are valid", Args: cobra.NoArgs,
		Example: "  kedge decide ls\n  kedge decide ls --all --json",
		RunE: func(c *cobra.Command, _ []string) error {
			out, err := frame.Call[memory.DecisionListReply](c.Context(), env, "decision.list", in)
			if err != nil {
				return err
			}
			pendingEdits(env, out.Edits)
			if len(out.Decisions) == 0 {
				env.Talk("no decisions are locked")
			}
			return env.Show(out, func(w io.Writer) {
				t := frame.Table{Columns: []frame.Column{{}, {}, {Least: 20}}}
				for _, d := range out.Decisions {
					t.Add(frame.Cell{Text: string(d.ID), Role: frame.Quiet}, frame.Cell{Text: standing(d)}, frame.Cell{Text: d.Title, Role: frame.Name})
				}
				t.Print(w)
			})
		},
	}
	c.Flags().BoolVar(&in.All, "all", false, "also list superseded and withdrawn decisions")
	return c
}

// pendingEdits tells of hand edits that a reading command saw.
func pendingEdits(env *frame.Env, edits []kedge.HandEditData) {
	for _, e := range edits {
		env.Talk("%s was edited by hand (%s); %s",
			plain.Line(e.Path), plain.Line(frame.WithoutPath(e)), plain.Line(ledger.Settles(e.Action)))
	}
}

func newDecideShow(env *frame.Env) *cobra.Command {
	return &cobra.Command{
		Use: "show ID", Short: "Show a decision and its history", Args: cobra.ExactArgs(1),
		Example:           "  kedge decide show dec-01k…",
		ValidArgsFunction: decisionIDs(env),
		RunE: func(c *cobra.Command, args []string) error {
			in := memory.DecisionShowRequest{ID: kedge.DecisionID(args[0])}
			return frame.Ask(c.Context(), env, "decision.show", in, decisionText)
		},
	}
}

func decisionText(w io.Writer, out memory.DecisionShowReply) {
	d := out.Decision
	fmt.Fprintf(w, "%s\n\n", plain.Line(d.Title))
	fmt.Fprintf(w, "id          %s, %s, %s to reverse\n", d.ID, standing(d), reversal(d.Reversibility))
	fmt.Fprintf(w, "by          %s, %s\n", plain.Line(string(d.By)), d.Date.Format("2006-01-02 15:04"))
	if len(d.AppliesTo) > 0 {
		fmt.Fprintf(w, "applies to  %s\n", plain.Line(strings.Join(d.AppliesTo, ", ")))
	}
	fmt.Fprintf(w, "file        %s\n\nwhy: %s\n", placeOf(out.File, out.Held, ""), plain.Text(d.Why))
	for _, r := range d.Rejected {
		fmt.Fprintf(w, "rejected: %s: %s\n", plain.Line(r.What), plain.Line(r.Reason))
	}
	if d.Withdrawn != "" {
		fmt.Fprintf(w, "withdrawn because: %s\n", plain.Text(d.Withdrawn))
	}
	if len(out.History) > 1 {
		fmt.Fprint(w, "\nhistory:\n")
		for _, h := range out.History {
			fmt.Fprintf(w, "  %s  %-10s  %s\n", h.ID, standing(h), plain.Line(h.Title))
			if h.Reason != "" {
				fmt.Fprintf(w, "    superseded %s because: %s\n", h.Supersedes, plain.Line(h.Reason))
			}
		}
	}
}

// standing is a decision's status in a word that says what became of it.
func standing(d kedge.Decision) string {
	if d.Withdrawn != "" {
		return "withdrawn"
	}
	return string(d.Status)
}

// reversal reads a reversibility in a sentence.
func reversal(s string) string {
	if s == "one-way" {
		return "impossible"
	}
	return s
}
