package runs

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"kedge/internal/app/planning"
	"kedge/internal/cli/frame"
	"kedge/internal/text/plain"
	"kedge/internal/text/words"
)

// maxPlanFile bounds the file of an amended plan, in bytes.
const maxPlanFile = 256 << 10

func newPlanAmend(env *frame.Env) *cobra.Command {
	var in planning.PlanAmendRequest
	c := &cobra.Command{
		Use:   "amend [FILE]",
		Short: "Change the approved plan: its commands, invariants or items",
		Long: `Change the approved plan: its commands, invariants or items.

Edit .kedge/plan.md, or a copy of it, and give the reason. Without FILE, Kedge
reads .kedge/plan.md. FILE can be - for the standard input. Use a copy while a
run works: Kedge may restore .kedge/plan.md before you are done. --dry-run
shows what would change.

An item keeps its feature as long as it keeps its number:

  new item        its feature is added
  changed item    its feature is amended, if it is not completed
  removed item    its feature is skipped, if it is not completed
  restored item   its feature is reopened, if it is not completed

A completed feature stays completed, and you may not change its item. Changed
commands under Validation and Invariants apply the next time that Kedge runs
checks. New answers become decisions, and Kedge opens new risks. Existing
decisions and risks stay. Changed budgets and models of phases apply from the
next kedge run on. Changes under Set-up and Checks have no effect. Kedge
informs a run that is working of all changes.

Agents may not amend a plan.`,
		Example: `  kedge plan amend --dry-run
  kedge plan amend --reason "the e2e command was wrong"
  kedge plan amend /tmp/plan.md --reason "one item more"`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			in.Path = env.Getenv("PATH")
			if len(args) == 1 {
				b, err := frame.ReadInput(env, args[0], maxPlanFile)
				if err != nil {
					return err
				}
				in.Text, in.File = string(b), args[0]
			}
			reply, err := frame.Call[planning.PlanAmendReply](c.Context(), env, "plan.amend", in)
			if err != nil {
				return err
			}
			env.Aside(reply.Notices)
			for _, n := range reply.NotGreen {
				env.Talk("note: %s", plain.Line(n.Text()))
			}
			err = env.Show(reply, func(w io.Writer) { amendText(w, reply) })
			if in.DryRun {
				return err
			}
			return env.Changed(c.Context(), err)
		},
	}
	c.Flags().StringVar(&in.Reason, "reason", "", "say `why`")
	c.Flags().BoolVar(&in.DryRun, "dry-run", false, "only show what would change")
	return c
}

func amendText(w io.Writer, r planning.PlanAmendReply) {
	word := "amended"
	if r.DryRun {
		word = "would be amended"
	}
	fmt.Fprintf(w, "plan %s %s: %s\n", r.ID, word, plain.Line(r.Title))
	for _, f := range r.Fields {
		for _, text := range f.Removed {
			fmt.Fprintf(w, "-       %s: %s\n", f.Field, plain.Line(words.Clip(text, shownField)))
		}
		for _, text := range f.Added {
			fmt.Fprintf(w, "+       %s: %s\n", f.Field, plain.Line(words.Clip(text, shownField)))
		}
	}
	for _, id := range r.Added {
		fmt.Fprintf(w, "added   feature %s\n", id)
	}
	for _, f := range r.Amended {
		fmt.Fprintf(w, "amended feature %s: %s\n", f.ID, strings.Join(f.Keys, ", "))
	}
	for _, id := range r.Skipped {
		fmt.Fprintf(w, "skipped feature %s\n", id)
	}
	for _, id := range r.Restored {
		fmt.Fprintf(w, "reopened feature %s\n", id)
	}
	lockedLines(w, r.Locked)
	if r.Told {
		fmt.Fprintln(w, "Kedge told the active run about these changes")
	}
}

// shownField is how many characters of an entry are shown; --json has all.
const shownField = 160
