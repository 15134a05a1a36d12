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
		Use: "brief --transcript FILE", Short: "Print what a fresh session needs to continue from a transcript", Args: cobra.NoArgs,
		Long: `Print what a fresh session needs to continue from a transcript.

The brief contains the request, the next step, what was in progress, the last
command and its result, the files needed next with the likeliest first, and
what was decided, ruled out and left open. Kedge works this out by rules. It
asks no model, so the same transcript gives the same brief. It needs no set-up
and no daemon.

FILE can be compressed with gzip. Instead of a file you can give the id or
name of a session, as in kedge audit. For a session of a run, Kedge uses what
the agent reported to it. kedge resume and the next session of a run start
from the same text.

To print the brief of a whole Kedge project instead: kedge prime.`,
		Example: `  kedge brief --transcript session.jsonl
  kedge brief --transcript session.jsonl.gz --at 1200   up to line 1200
  kedge brief --transcript 13da966e --budget 800        at most 800 tokens
  kedge brief --transcript session.jsonl | claude`,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := briefFlags(c, in); err != nil {
				return err
			}
			in.Env = named(env.Environ, catalog.Transcripts().Variables())
			return frame.Ask(c.Context(), env, "brief", in, func(w io.Writer, out reports.BriefReply) {
				fmt.Fprint(w, out.Text)
				if len(out.Cut) > 0 && env.Term == nil { // on a terminal the text has just said it
					env.Talk("left out to keep to %d tokens: %s", out.Budget, strings.Join(out.Cut, "; "))
				}
			})
		},
	}
	c.Flags().StringVar(&in.What, "transcript", "", "the transcript: a `file`, or the id or name of a session")
	c.Flags().IntVar(&in.At, "at", 0, "use only the lines before this `line`, counted from 1 (default: all)")
	c.Flags().IntVar(&in.Budget, "budget", 0, fmt.Sprintf("print at most this many `tokens`, by estimate (default %d)", resume.DefaultBudget))
	_ = c.MarkFlagFilename("transcript") // refuses only what is no flag
	return c
}

func briefFlags(c *cobra.Command, in reports.BriefRequest) error {
	if in.What == "" {
		return kedge.Errorf(kedge.Invalid, "--transcript is missing").
			WithHint("kedge brief --transcript FILE; for the brief of this project: kedge prime")
	}
	if err := frame.Positive(c, "at", in.At, 1); err != nil {
		return err
	}
	return frame.Positive(c, "budget", in.Budget, resume.DefaultBudget)
}
