package runs

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"kedge"

	"github.com/spf13/cobra"

	"kedge/internal/app/planning"
	"kedge/internal/cli/frame"
	"kedge/internal/text/plain"
)

// Answer is kedge answer.
func Answer(env *frame.Env) *cobra.Command {
	return &cobra.Command{
		Use:   "answer N|FEATURE TEXT",
		Short: "Answer a question of the plan or of a session",
		Long: `Answer a question of the plan, by its number, or a question of the session
that works on a feature.

kedge plan shows the plan's questions. When planning needs no more answers, the
next planning session starts by itself. Its brief contains your answers. You
can also write answers into .kedge/plan.md: kedge run reads them there.

If you edited .kedge/plan.md, Kedge does not plan again. It adds the answer to
your text and tells you. kedge plan --again makes a new plan with the answer.`,
		Example: "  kedge answer 1 \"required, not positional\"\n  kedge answer order-entity \"EUR only\"",
		Args:    cobra.MinimumNArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			in := planning.AnswerRequest{Name: args[0], Text: strings.Join(args[1:], " "), Env: env.Environ}
			return frame.Ask(c.Context(), env, "answer", in, answerText)
		},
	}
}

func answerText(w io.Writer, r planning.AnswerReply) {
	fmt.Fprintf(w, "question  %s\nanswer    %s\n", plain.Line(r.Question), plain.Line(r.Answer))
	for _, q := range r.Open {
		fmt.Fprintf(w, "open      question %d: %s\n", q.N, plain.Line(q.Text))
	}
	if r.Why != "" {
		fmt.Fprintf(w, "Kedge does not plan again: %s\n", plain.Line(r.Why))
	}
	switch {
	case r.Started:
		fmt.Fprintln(w, "next      kedge run   # shows the run, which continues by itself")
	case r.Run != nil:
		for _, s := range r.Run.NextSteps {
			fmt.Fprintf(w, "next      %s\n", frame.StepText(s))
		}
	case len(r.Open) > 0:
		fmt.Fprintf(w, "next      %s\n", frame.StepText(kedge.Step("kedge", "answer", strconv.Itoa(r.Open[0].N), "TEXT")))
	}
}
