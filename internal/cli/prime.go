package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"kedge/internal/app/status"
	"kedge/internal/core/brief"
)

func newPrime(env *Env) *cobra.Command {
	var in status.PrimeRequest
	c := &cobra.Command{
		Use: "prime", Short: "Print the text a fresh session starts with", Args: cobra.NoArgs,
		Example: "  kedge prime\n" +
			"  kedge prime --budget 2000            at most 2,000 tokens, by estimate\n" +
			"  kedge prime | claude -p",
		RunE: func(c *cobra.Command, _ []string) error {
			if err := positive(c, "budget", in.Budget, brief.DefaultBudget); err != nil {
				return err
			}
			return ask(c.Context(), env, "prime", in, func(w io.Writer, out status.PrimeReply) {
				fmt.Fprint(w, out.Text)
				if len(out.Cut) > 0 {
					env.talk("%s left out to stay under %d tokens", plural(len(out.Cut), "part"), out.Budget)
				}
			})
		},
	}
	c.Flags().IntVar(&in.Budget, "budget", 0, "the most tokens it may take, by estimate (default 8000)")
	return c
}
