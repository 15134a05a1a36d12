package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/plain"
	"kedge/internal/service"
)

func newPlan(env *Env) *cobra.Command {
	c := newPlanShow(env)
	c.Use = "plan"
	c.Example = "  kedge plan                            the phases and their items\n  kedge plan check                      is the draft in .kedge/plan.md whole?\n  kedge plan approve                    freeze it and make its features"
	c.AddCommand(newPlanShow(env), newPlanCheck(env), newPlanApprove(env))
	return c
}

func newPlanShow(env *Env) *cobra.Command {
	return &cobra.Command{
		Use:     "show",
		Short:   "Show the plan: its phases and items, one line each",
		Example: "  kedge plan show\n  kedge plan show --json",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			reply, err := call[service.PlanShowReply](c.Context(), env, "plan.show", service.PlanShowRequest{})
			if err != nil {
				return err
			}
			return env.show(reply, func(w io.Writer) { planText(w, reply) })
		},
	}
}

func planText(w io.Writer, r service.PlanShowReply) {
	fmt.Fprintf(w, "%s (%s)\n", plain.Line(r.Plan.Title), r.Plan.Status)
	for _, line := range r.Checklist {
		fmt.Fprintln(w, plain.Line(line))
	}
	for _, q := range r.Open {
		fmt.Fprintf(w, "question %d: %s\n", q.N, plain.Line(q.Text))
	}
}

func newPlanCheck(env *Env) *cobra.Command {
	return &cobra.Command{
		Use:     "check",
		Short:   "Check the plan in .kedge/plan.md: fields, commands, phases and items",
		Example: "  kedge plan check",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			reply, err := call[service.PlanCheckReply](c.Context(), env, "plan.check", service.PlanCheckRequest{Path: env.getenv("PATH")})
			if err != nil {
				return err
			}
			err = env.show(reply, func(w io.Writer) {
				for _, f := range reply.Findings {
					fmt.Fprintf(w, "%s: %s: %s\n", f.Where, f.Level, plain.Line(f.What))
				}
				if reply.OK {
					fmt.Fprintln(w, "the plan is whole")
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
		Use:     "approve",
		Short:   "Freeze the plan in .kedge/plan.md and make one feature of each item",
		Example: "  kedge plan approve",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			reply, err := call[service.PlanApproveReply](c.Context(), env, "plan.approve", service.PlanApproveRequest{Path: env.getenv("PATH")})
			if err != nil {
				return err
			}
			env.edits(reply.Edits)
			return env.show(reply, func(w io.Writer) {
				fmt.Fprintf(w, "%s approved: %d features\n", reply.ID, len(reply.Features))
			})
		},
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
