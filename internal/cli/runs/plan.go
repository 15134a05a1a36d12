package runs

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/app/planning"
	"kedge/internal/app/runs"
	"kedge/internal/cli/frame"
	"kedge/internal/text/plain"
	"kedge/internal/text/words"
)

// Plan is kedge plan.
func Plan(env *frame.Env) *cobra.Command {
	var in planning.PlanGoalRequest
	var detach bool
	show := newPlanShow(env)
	c := &cobra.Command{
		Use:   "plan [GOAL…]",
		Short: "Plan a goal with an agent that asks first, or show the plan",
		Long: `Plan a goal with an agent that asks first. Without a goal, show the plan.

A read-only session looks at the project and asks you what it needs to know.
You answer with kedge answer. After the last answer, the next session writes
the plan. Kedge checks the plan and saves it in .kedge/plan.md. The command
ends with exit code 5 when it waits for your answers or your approval. Work
starts only after kedge plan approve, in the same run. If a planning session
changes files, Kedge undoes the changes.

If you give the same goal again and its plan is ready, Kedge shows the plan and
starts no session. For another goal, Kedge does not replace a plan that waits
for you or that you edited (exit code 4). --again makes a new plan and keeps a
copy of your text.`,
		Example: `  kedge plan "Orders for the shop"      questions first, then a plan
  kedge answer 1 "required, not positional"
  kedge plan new "Strict matching"      a draft to fill in yourself
  kedge plan                            the phases and their items
  kedge plan --again                    make a new plan for the same goal
  kedge plan check                      is the draft complete?
  kedge plan approve                    lock it, add its features, commit
  kedge plan amend --reason WHY         change it after that`,
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
	f.StringVar(&flags.Agent, "agent", "", "the `agent` that does the work, or agent:model (default: [run] agent in config.toml); [route] plan in config.toml names the agent that plans")
	f.Float64Var(&flags.BudgetUSD, "budget-usd", 0, "the most that planning and work may cost, in `dollars`")
	f.Int64Var(&flags.BudgetTokens, "budget-tokens", 0, "the most `tokens` that planning and work may use")
	f.BoolVar(&in.Again, "again", false, "make a new plan for the same goal, or for GOAL; keep a copy of your text")
	f.BoolVar(&detach, "detach", false, "do not wait for the planning session")
	c.AddCommand(newPlanNew(env), show, newPlanCheck(env), newPlanApprove(env), newPlanAmend(env), newPlanDiff(env), newPlanDrop(env))
	return c
}

// planGoal starts planning and shows it until it waits for a person.
func planGoal(ctx context.Context, env *frame.Env, in planning.PlanGoalRequest, detach bool) error {
	if len(strings.Fields(in.Goal)) < 2 && !(in.Again && in.Goal == "") {
		return kedge.Errorf(kedge.Invalid, "%q is not a goal: say in a few words what you want to achieve", in.Goal).
			WithHint("write it like this: kedge plan \"Orders for the shop\"; see the commands: kedge plan --help")
	}
	out, err := frame.Call[planning.PlanGoalReply](ctx, env, "plan.goal", in)
	if err != nil {
		return err
	}
	if detach {
		return leaveRunning(env, out.RunReply, out)
	}
	sayNotes(env, out.Notes)
	return watchPlanning(ctx, env, out.RunReply)
}

// watchPlanning shows a run that plans until it rests, then what it asks.
func watchPlanning(ctx context.Context, env *frame.Env, from runs.RunReply) error {
	over := watchRun(ctx, env, from)
	if env.JSON || ctx.Err() != nil {
		return over
	}
	reply, err := frame.Call[planning.PlanShowReply](ctx, env, "plan.show", planning.PlanShowRequest{})
	if err == nil {
		planLines(env.Err, reply) // the run printed how to answer it
	}
	return over
}

func newPlanNew(env *frame.Env) *cobra.Command {
	return &cobra.Command{
		Use:   "new TITLE",
		Short: "Write a commented draft to .kedge/plan.md, to fill in yourself",
		Long: `Write a commented draft to .kedge/plan.md, to fill in yourself.

The comments say what belongs where; kedge plan check lists what is missing.
Kedge never overwrites an existing draft. The format is described in
docs/reference/plan-format.md of Kedge.`,
		Example: `  kedge plan new "Strict matching"`,
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return frame.Ask(c.Context(), env, "plan.new", planning.PlanNewRequest{Title: args[0]}, func(w io.Writer, reply planning.PlanNewReply) {
				fmt.Fprintf(w, "wrote   %s\nnext    fill in this file, then: kedge plan check\n", reply.Path)
			})
		},
	}
}

func newPlanShow(env *frame.Env) *cobra.Command {
	return &cobra.Command{
		Use:     "show",
		Short:   "Show the plan: its phases and items, one line each",
		Example: "  kedge plan show\n  kedge plan show --json",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return frame.Ask(c.Context(), env, "plan.show", planning.PlanShowRequest{}, planText)
		},
	}
}

// planText is a plan, and how to answer its questions.
func planText(w io.Writer, r planning.PlanShowReply) {
	planLines(w, r)
	if open := slices.Concat(r.Open, r.Optional); len(open) > 0 {
		fmt.Fprintf(w, "to answer question %d: kedge answer %[1]d TEXT\n", open[0].N)
	}
}

func planLines(w io.Writer, r planning.PlanShowReply) {
	fmt.Fprintf(w, "%s (%s)\n", plain.Line(r.Plan.Title), words.Spaced(r.Plan.Status))
	for _, line := range r.Checklist {
		fmt.Fprintln(w, plain.Line(line))
	}
	for _, q := range r.Open {
		fmt.Fprintf(w, "question %d: %s\n", q.N, plain.Line(q.Text))
	}
	for _, q := range r.Optional {
		fmt.Fprintf(w, "question %d (optional): %s\n", q.N, plain.Line(q.Text))
	}
	for _, path := range r.Kept {
		fmt.Fprintf(w, "Kedge replaced your text and kept a copy: %s\n", plain.Line(path))
	}
}

func newPlanCheck(env *frame.Env) *cobra.Command {
	return &cobra.Command{
		Use:   "check",
		Short: "Check .kedge/plan.md: fields, commands, phases and items",
		Long: `Check .kedge/plan.md: fields, commands, phases and items.

The exit code is 2 if something is missing or wrong.`,
		Example: "  kedge plan check",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			reply, err := frame.Call[planning.PlanCheckReply](c.Context(), env, "plan.check", planning.PlanCheckRequest{Path: env.Getenv("PATH")})
			if err != nil {
				return err
			}
			err = env.Show(reply, func(w io.Writer) {
				for _, f := range reply.Findings {
					fmt.Fprintf(w, "%s: %s: %s\n", f.Where, f.Level, plain.Line(f.What))
					if f.Fix != "" {
						fmt.Fprintf(w, "    %s\n", plain.Line(f.Fix))
					}
				}
				if reply.OK {
					fmt.Fprintln(w, "the plan is complete")
				}
				if len(reply.Findings) > 0 {
					fmt.Fprintln(w, "the format of .kedge/plan.md is in docs/reference/plan-format.md of Kedge; when you have changed the file: kedge plan check")
				}
			})
			if err == nil && !reply.OK {
				return frame.Printed(kedge.Invalid)
			}
			return err
		},
	}
}

// lockedLines say what the approval decided and which risks it opened.
func lockedLines(w io.Writer, l planning.Locked) {
	for _, d := range l.Decisions {
		fmt.Fprintf(w, "locked  decision %s: %s\n", d.ID, plain.Line(d.Title))
	}
	for _, r := range l.Risks {
		fmt.Fprintf(w, "opened  risk %s: %s\n", r.ID, plain.Line(r.Text))
	}
}

// shownLimits is how many features a person is shown the paths of; --json has all.
const shownLimits = 20

// limitLines say what the work on each feature may change: what is outside waits
// for a person.
func limitLines(w io.Writer, limits []planning.PathLimit) {
	for i, l := range limits {
		if i == shownLimits {
			fmt.Fprintf(w, "paths   (%d more features; to see one of them: kedge feature show ID)\n", len(limits)-shownLimits)
			return
		}
		may := "any file"
		if len(l.Paths) > 0 {
			may = plain.Line(strings.Join(l.Paths, ", "))
		}
		if l.Where != "" {
			may += " (" + l.Where + ")"
		}
		fmt.Fprintf(w, "paths   feature %s may change %s\n", l.Feature, may)
	}
}
