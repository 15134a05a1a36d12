package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"kedge/internal/app/runs"
	"kedge/internal/text/plain"
)

func newAnswer(env *Env) *cobra.Command {
	return &cobra.Command{
		Use:   "answer N|FEATURE TEXT",
		Short: "Answer a question of the plan by its number, or of a feature's session",
		Long: `Answer a question of the plan by its number (kedge plan shows them), or the
question of the session that works on a feature. After the last answer that
planning waits for, the next planning session starts by itself. What was answered
is in the next brief. A plan that you changed in .kedge/plan.md is not made anew:
the answer is put into your text, and kedge plan --again has it planned with it.`,
		Example: "  kedge answer 1 \"required, not positional\"\n  kedge answer order-entity \"EUR only\"",
		Args:    cobra.MinimumNArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			in := runs.AnswerRequest{Name: args[0], Text: strings.Join(args[1:], " "), Env: env.Environ}
			return ask(c.Context(), env, "answer", in, answerText)
		},
	}
}

func answerText(w io.Writer, r runs.AnswerReply) {
	fmt.Fprintf(w, "question  %s\nanswer    %s\n", plain.Line(r.Question), plain.Line(r.Answer))
	for _, q := range r.Open {
		fmt.Fprintf(w, "open      %d. %s\n", q.N, plain.Line(q.Text))
	}
	if r.Why != "" {
		fmt.Fprintf(w, "not planned anew: %s\n", plain.Line(r.Why))
	}
	switch {
	case r.Started:
		fmt.Fprintln(w, "next      it goes on by itself: kedge run shows it")
	case r.Run != nil:
		for _, line := range r.Run.Next {
			fmt.Fprintf(w, "next      %s\n", plain.Line(line))
		}
	case len(r.Open) > 0:
		fmt.Fprintf(w, "next      kedge answer %d TEXT\n", r.Open[0].N)
	}
}
