package runs

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"kedge/internal/app/planning"
	"kedge/internal/app/verify"
	"kedge/internal/cli/frame"
	"kedge/internal/engine/gate"
	"kedge/internal/text/plain"
	"kedge/internal/text/words"
)

func newPlanApprove(env *frame.Env) *cobra.Command {
	var untried bool
	c := &cobra.Command{
		Use:   "approve",
		Short: "Lock the plan, add one feature per item, and commit both",
		Long: `Lock the plan in .kedge/plan.md, add one feature per item, and commit both.

The commit has only the files that Kedge writes under .kedge/. Your staged
changes stay staged. In a folder without git there is no commit. If a run made
the plan, it then continues with the work.

Each answered question becomes a locked decision, with the question as its
reason. Each entry of Risks becomes an open risk. The commands under Validation
and Invariants run together with the checks of every feature of the plan.

Kedge first runs these commands in this folder, for at most a minute, and tells
you which of them are red before the work. A command that is green must stay
green in every feature. A command that is red must be green when the last
feature of the plan is done. If a command can never be green, such as "false",
no feature can be completed. With --no-try, Kedge does not run the commands.

A plan for an empty or small repository may have the headings Structure, Set-up
and Checks. The approval adds the plan's checks to .kedge/gate.toml and the
plan's set-up to .kedge/config.toml, in the same commit. Your own settings stay
as they are.

Agents may not approve a plan. It must have no errors, and its blocking
questions must be answered.`,
		Example: "  kedge plan approve\n  kedge plan approve --no-try      do not run the plan's commands first",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			in := planning.PlanApproveRequest{Path: env.Getenv("PATH"), Try: !untried}
			if in.Try {
				in.Env = env.Environ
			}
			var reply planning.PlanApproveReply
			err := env.Call.Call(c.Context(), "plan.approve", in, &reply, tryStep(env))
			env.Running("")
			if err != nil {
				return err
			}
			env.Aside(reply.Notices)
			return env.Changed(c.Context(), env.Show(reply, func(w io.Writer) {
				fmt.Fprintf(w, "approved plan %s: it has %s\n", reply.ID, words.Count(len(reply.Features), "feature"))
				limitLines(w, reply.Limits)
				lockedLines(w, reply.Locked)
				beforeLines(w, reply.Before)
				for _, name := range reply.Checks {
					fmt.Fprintf(w, "check   %s (now in .kedge/gate.toml)\n", name)
				}
				if reply.Setup != "" {
					fmt.Fprintf(w, "set-up  %s (now worktree.setup in .kedge/config.toml)\n", plain.Line(reply.Setup))
				}
				if reply.Commit != nil {
					fmt.Fprintf(w, "commit  %s (the plan, its features and other files of Kedge)\n", *reply.Commit)
				}
			}))
		},
	}
	c.Flags().BoolVar(&untried, "no-try", false, "do not run the plan's commands before the approval")
	return c
}

// tryStep shows which command of the plan is running: the approval waits for it.
func tryStep(env *frame.Env) func(json.RawMessage) {
	said := false
	return func(b json.RawMessage) {
		var s gate.Step
		if json.Unmarshal(b, &s) != nil {
			return // the daemon is of another version
		}
		if !said {
			said = true
			env.Talk("running the plan's commands before the work, for at most %s (to skip this: kedge plan approve --no-try)", words.Age(verify.TryLimit))
		}
		if s.State == gate.Started {
			env.Running("run   " + plain.Line(s.Check.Command))
		}
	}
}

// beforeLines say which commands of the plan are not green before the work, and when they
// must be.
func beforeLines(w io.Writer, list []planning.Before) {
	for _, b := range list {
		why := b.Due
		switch b.State {
		case verify.TryGreen:
			continue
		case verify.TryUnknown:
			why = plain.Line(b.Why) + "; " + why
		case verify.TryRed:
		}
		fmt.Fprintf(w, "%-7s %s before the work: %s (%s)\n", b.State, b.Name, plain.Line(b.Command), why)
	}
}
