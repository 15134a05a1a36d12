package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/app/reports"
	"kedge/internal/insight/resume"
	"kedge/internal/insight/transcript"
)

func newBrief(env *Env) *cobra.Command {
	var in reports.BriefRequest
	c := &cobra.Command{
		Use: "brief --transcript FILE", Short: "What a fresh session needs to go on from a transcript", Args: cobra.NoArgs,
		Long: `Reads the transcript that a coding program left and says what a fresh session needs
to go on from there: the ask in force, the next step, what was in flight, the last
command and its result, the files needed next, the likeliest first, and what was
decided, ruled out and left open. By rule: no model is asked, and the same
transcript gives the same brief. It needs no set-up and no daemon.

A session of Kedge stands for the transcript that its program left, and a session of a
run for what it told Kedge itself. Runs and kedge resume go on from the same text.

The brief of a project that Kedge looks after is: kedge prime`,
		Example: "  kedge brief --transcript session.jsonl\n" +
			"  kedge brief --transcript session.jsonl.gz --at 1200   as it stood before line 1200\n" +
			"  kedge brief --transcript 13da966e --budget 800       a session by its id, in at most 800 tokens\n" +
			"  kedge brief --transcript session.jsonl | claude",
		RunE: func(c *cobra.Command, _ []string) error {
			if err := briefFlags(c, in); err != nil {
				return err
			}
			in.Env = named(env.Environ, transcript.Variables)
			return ask(c.Context(), env, "brief", in, func(w io.Writer, out reports.BriefReply) {
				fmt.Fprint(w, out.Text)
				if len(out.Cut) > 0 && env.Term == nil { // on a terminal the text has just said it
					env.talk("left out to keep to %d tokens: %s", out.Budget, strings.Join(out.Cut, "; "))
				}
			})
		},
	}
	c.Flags().StringVar(&in.What, "transcript", "", "the transcript: a file (gzip too), or the id or name of a session that has one")
	c.Flags().IntVar(&in.At, "at", 0, "see only the lines before this one, counted from 1 (default: all)")
	c.Flags().IntVar(&in.Budget, "budget", 0, fmt.Sprintf("the most tokens it may take, by estimate (default %d)", resume.DefaultBudget))
	_ = c.MarkFlagFilename("transcript") // refuses only what is no flag
	return c
}

func briefFlags(c *cobra.Command, in reports.BriefRequest) error {
	if in.What == "" {
		return kedge.Errorf(kedge.Invalid, "no transcript is named").
			WithHint("kedge brief --transcript FILE; the brief of this project is: kedge prime")
	}
	if err := positive(c, "at", in.At, 1); err != nil {
		return err
	}
	return positive(c, "budget", in.Budget, resume.DefaultBudget)
}
