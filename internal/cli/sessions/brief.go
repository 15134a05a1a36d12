package sessions

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/agents/catalog"
	"kedge/internal/app/reports"
	"kedge/internal/cli/frame"
	"kedge/internal/insight/resume"
)

// Brief is kedge brief.
func Brief(env *frame.Env) *cobra.Command {
	var in reports.BriefRequest
	c := &cobra.Command{
		Use: "brief SESSION|FILE", Short: "Print what a fresh session needs to continue from a transcript", Args: cobra.MaximumNArgs(1),
		Long: `Print what a fresh session needs to continue from a transcript.

The brief contains, in this order:

  the goal of the session and the current request
  the next step, and what was in progress
  the last command and its result
  the files needed next, the likeliest first
  open questions, decisions, decisions that were taken back, rejected approaches

Kedge finds these by rules. It asks no model, so the same transcript always
gives the same brief. The command needs no set-up and no daemon.

FILE can be compressed with gzip. SESSION is the name or the id of a session that
Kedge started. It can also be the id of a past conversation, as kedge history
prints it, or the first characters of this id. For a session of a run, Kedge uses
what the agent reported during the run. kedge resume and the next session of a
run start from the same text.

To print the brief of a whole Kedge project instead: kedge prime.`,
		Example: `  kedge brief session.jsonl
  kedge brief session.jsonl.gz --at 1200   up to line 1200
  kedge brief 13da966e --budget 800        at most 800 tokens
  kedge brief 13da966e | claude`,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 && in.What != "" {
				return kedge.Errorf(kedge.Invalid, "you named two transcripts: %q, and the one after --transcript", args[0]).WithHint("name only one: kedge brief %s", args[0])
			}
			if len(args) == 1 {
				in.What = args[0]
			}
			if err := briefFlags(c, in); err != nil {
				return err
			}
			in.Env = frame.Named(env.Environ, catalog.Transcripts().Variables())
			return frame.Ask(c.Context(), env, "brief", in, func(w io.Writer, out reports.BriefReply) {
				fmt.Fprint(w, out.Text)
				if len(out.Cut) > 0 && env.Term == nil { // on a terminal the text has just said it
					env.Talk("left out, to stay within %d tokens: %s", out.Budget, strings.Join(out.Cut, "; "))
				}
			})
		},
	}
	c.Flags().StringVar(&in.What, "transcript", "", "the same as the argument: a `file`, or the id or name of a session")
	c.Flags().IntVar(&in.At, "at", 0, "use only the lines before this `line`, counted from 1 (default: all)")
	c.Flags().IntVar(&in.Budget, "budget", 0, fmt.Sprintf("print at most this many `tokens`, by estimate (default %d)", resume.DefaultBudget))
	_ = c.MarkFlagFilename("transcript") // refuses only what is no flag
	return c
}

func briefFlags(c *cobra.Command, in reports.BriefRequest) error {
	if in.What == "" {
		return kedge.Errorf(kedge.Invalid, "the name of a session or of a transcript is missing").
			WithHint("for the brief of a session: kedge brief SESSION; of a transcript file: kedge brief FILE; of this project: kedge prime")
	}
	if err := frame.Positive(c, "at", in.At, 1); err != nil {
		return err
	}
	return frame.Positive(c, "budget", in.Budget, resume.DefaultBudget)
}
