package ledger

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"kedge/internal/app/status"
	"kedge/internal/cli/frame"
	"kedge/internal/core/brief"
	"kedge/internal/text/words"
)

// Prime is kedge prime.
func Prime(env *frame.Env) *cobra.Command {
	var in status.PrimeRequest
	c := &cobra.Command{
		Use: "prime", Short: "Print what a fresh session of this project starts with",
		Long: `Print what a fresh session of this project starts with: the rules, where the
work stands, and what is next.

To continue from one transcript instead: kedge brief.`, Args: cobra.NoArgs,
		Example: "  kedge prime\n" +
			"  kedge prime --budget 2000            at most 2,000 tokens, by estimate\n" +
			"  kedge prime | claude -p",
		RunE: func(c *cobra.Command, _ []string) error {
			if err := frame.Positive(c, "budget", in.Budget, brief.DefaultBudget); err != nil {
				return err
			}
			return frame.Ask(c.Context(), env, "prime", in, func(w io.Writer, out status.PrimeReply) {
				fmt.Fprint(w, out.Text)
				if len(out.Cut) > 0 {
					env.Talk("%s left out to stay under %d tokens", words.Count(len(out.Cut), "part"), out.Budget)
				}
			})
		},
	}
	c.Flags().IntVar(&in.Budget, "budget", 0, "print at most this many `tokens`, by estimate (default 8000)")
	return c
}
