package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/app/clerk"
	"kedge/internal/app/runs"
	"kedge/internal/text/plain"
)

func newPlan(env *Env) *cobra.Command {
	var in runs.PlanGoalRequest
	var detach bool
	show := newPlanShow(env)
	c := &cobra.Command{
		Use:   "plan [GOAL…]",
		Short: "Have a goal planned by read-only sessions that ask first; without one, show the plan",
		Long: `With a goal: a read-only session looks at the project and asks what it has to
know. kedge answer N TEXT answers; after the last answer the next session makes
the plan, which is checked and written to .kedge/plan.md. Nothing is worked on
before kedge plan approve. Whatever a planning session changes is undone.
A plan that waits for you is not replaced by one for another goal, nor one that you
changed in the file: --again has it planned anew, and keeps a copy of your text.
Without a goal: the plan as it stands.`,
		Example: `  kedge plan "Orders for the shop"      questions first, then a plan
  kedge answer 1 "required, not positional"
  kedge plan new "Strict matching"      a commented draft in .kedge/plan.md, to fill in yourself
  kedge plan                            the phases and their items
  kedge plan --again                    have the plan that waits made anew
  kedge plan check                      is the draft whole?
  kedge plan approve                    freeze it, make its features, commit both`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 && !in.Again {
				return show.RunE(c, args)
			}
			in.Goal, in.Env = strings.Join(args, " "), env.Environ
			return planGoal(c.Context(), env, in, detach)
		},
	}
	flags, f := &in.Flags, c.Flags()
	f.StringVar(&flags.Agent, "agent", "", "the agent of the work, or agent:model (default: [run] agent in config.toml; [route] plan plans)")
	f.Float64Var(&flags.BudgetUSD, "budget-usd", 0, "what planning and work may cost")
	f.Int64Var(&flags.BudgetTokens, "budget-tokens", 0, "how many tokens they may use")
	f.BoolVar(&in.Again, "again", false, "plan anew what waits for answers or approval, for its own goal or GOAL; a text that you changed is kept aside")
	f.BoolVar(&detach, "detach", false, "do not wait for the session")
	c.AddCommand(newPlanNew(env), show, newPlanCheck(env), newPlanApprove(env), newPlanDrop(env))
	return c
}

// planGoal starts planning and shows it until it waits for a person.
func planGoal(ctx context.Context, env *Env, in runs.PlanGoalRequest, detach bool) error {
	if len(strings.Fields(in.Goal)) < 2 && !(in.Again && in.Goal == "") {
		return kedge.Errorf(kedge.Invalid, "%q is no goal: say in words what is to be achieved", in.Goal).
			WithHint("kedge plan \"Orders for the shop\"; the commands: kedge plan --help")
	}
	out, err := call[runs.PlanGoalReply](ctx, env, "plan.goal", in)
	if err != nil {
		return err
	}
	if detach {
		return env.left(out.RunReply, out)
	}
	env.notes(out.Notes)
	return env.watchPlanning(ctx, out.RunReply)
}

// watchPlanning shows a run that plans until it rests, then what it asks.
func (env *Env) watchPlanning(ctx context.Context, from runs.RunReply) error {
	over := env.watchRun(ctx, from)
	if env.json || ctx.Err() != nil {
		return over
	}
	reply, err := call[clerk.PlanShowReply](ctx, env, "plan.show", clerk.PlanShowRequest{})
	if err == nil {
		planText(env.Err, reply)
	}
	return over
}

func newPlanNew(env *Env) *cobra.Command {
	return &cobra.Command{
		Use:   "new TITLE",
		Short: "Write a draft to .kedge/plan.md that shows every part of a plan",
		Long: `Write a draft to .kedge/plan.md that shows every part of a plan.

Fill in what its comments ask for; kedge plan check says what is still missing.
A draft that is there already is never written over. The form is described in
docs/plan.md of Kedge.`,
		Example: `  kedge plan new "Strict matching"`,
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return ask(c.Context(), env, "plan.new", clerk.PlanNewRequest{Title: args[0]}, func(w io.Writer, reply clerk.PlanNewReply) {
				fmt.Fprintf(w, "wrote   %s\nnext    fill it in, then: kedge plan check\n", reply.Path)
			})
		},
	}
}

func newPlanShow(env *Env) *cobra.Command {
	return &cobra.Command{
		Use:     "show",
		Short:   "Show the plan: its phases and items, one line each",
		Example: "  kedge plan show\n  kedge plan show --json",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return ask(c.Context(), env, "plan.show", clerk.PlanShowRequest{}, planText)
		},
	}
}

func planText(w io.Writer, r clerk.PlanShowReply) {
	fmt.Fprintf(w, "%s (%s)\n", plain.Line(r.Plan.Title), r.Plan.Status)
	for _, line := range r.Checklist {
		fmt.Fprintln(w, plain.Line(line))
	}
	for _, q := range r.Open {
		fmt.Fprintf(w, "question %d: %s\n", q.N, plain.Line(q.Text))
	}
	for _, q := range r.Optional {
		fmt.Fprintf(w, "question %d (optional, the plan does without an answer): %s\n", q.N, plain.Line(q.Text))
	}
	if open := slices.Concat(r.Open, r.Optional); len(open) > 0 {
		fmt.Fprintf(w, "to answer: kedge answer %d TEXT\n", open[0].N)
	}
	for _, path := range r.Kept {
		fmt.Fprintf(w, "a text of yours gave way to this one and is kept: %s\n", plain.Line(path))
	}
}

func newPlanCheck(env *Env) *cobra.Command {
	return &cobra.Command{
		Use:     "check",
		Short:   "Check the plan in .kedge/plan.md: fields, commands, phases and items",
		Example: "  kedge plan check",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			reply, err := call[clerk.PlanCheckReply](c.Context(), env, "plan.check", clerk.PlanCheckRequest{Path: env.getenv("PATH")})
			if err != nil {
				return err
			}
			err = env.show(reply, func(w io.Writer) {
				for _, f := range reply.Findings {
					fmt.Fprintf(w, "%s: %s: %s\n", f.Where, f.Level, plain.Line(f.What))
					if f.Fix != "" {
						fmt.Fprintf(w, "    %s\n", plain.Line(f.Fix))
					}
				}
				if reply.OK {
					fmt.Fprintln(w, "the plan is whole")
				}
				if len(reply.Findings) > 0 {
					fmt.Fprintln(w, "the form: docs/plan.md of Kedge, or a draft by kedge plan new TITLE")
				}
			})
			if err == nil && !reply.OK {
				return errSaid{kedge.Invalid}
			}
			return err
		},
	}
}

func newPlanApprove(env *Env) *cobra.Command {
	return &cobra.Command{
		Use:   "approve",
		Short: "Freeze the plan in .kedge/plan.md, make one feature of each item, and commit both",
		Long: `Freeze the plan in .kedge/plan.md, make one feature of each item, and commit both.

The commit holds the files under .kedge/ that Kedge writes and nothing else; what
is staged stays staged. A plain folder has no commit. Only a person may approve,
and only a plan without errors whose blocking questions are answered.`,
		Example: "  kedge plan approve",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			reply, err := call[clerk.PlanApproveReply](c.Context(), env, "plan.approve", clerk.PlanApproveRequest{Path: env.getenv("PATH")})
			if err != nil {
				return err
			}
			env.aside(reply.Notices)
			return env.changed(c.Context(), env.show(reply, func(w io.Writer) {
				fmt.Fprintf(w, "%s approved: %s\n", reply.ID, featureCount(len(reply.Features)))
				limitLines(w, reply.Limits)
				if reply.Commit != nil {
					fmt.Fprintf(w, "commit  %s (the plan, the features, what else Kedge wrote)\n", *reply.Commit)
				}
				if reply.Started {
					fmt.Fprintln(w, "the run goes on now: kedge run shows it, kedge run --pause holds it")
				}
			}))
		},
	}
}

// shownLimits is how many features a person is shown the paths of; --json has all.
const shownLimits = 20

// limitLines say what the work on each feature may change: what is outside waits
// for a person.
func limitLines(w io.Writer, limits []clerk.PathLimit) {
	for i, l := range limits {
		if i == shownLimits {
			fmt.Fprintf(w, "paths   and so on for %d more: kedge feature show ID\n", len(limits)-shownLimits)
			return
		}
		may := "any file"
		if len(l.Paths) > 0 {
			may = plain.Line(strings.Join(l.Paths, ", "))
		}
		if l.Where != "" {
			may += " (" + l.Where + ")"
		}
		fmt.Fprintf(w, "paths   %s may change %s\n", l.Feature, may)
	}
}

// getenv reads the caller's environment.
func (env *Env) getenv(name string) string {
	for _, kv := range env.Environ {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			return v
		}
	}
	return ""
}

func featureCount(n int) string {
	if n == 1 {
		return "1 feature"
	}
	return fmt.Sprintf("%d features", n)
}
