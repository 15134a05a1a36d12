package ledger

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/app/memory"
	"kedge/internal/cli/frame"
	docs "kedge/internal/core/memory"
	"kedge/internal/text/words"
)

// Rules is kedge rules.
func Rules(env *frame.Env) *cobra.Command {
	c := frame.Group("rules", "Show and check the rules that every session starts with",
		newRulesLint(env), newRulesShow(env))
	c.Example = "  kedge rules show\n  kedge rules lint"
	return c
}

func newRulesLint(env *frame.Env) *cobra.Command {
	var in memory.RulesLintRequest
	c := &cobra.Command{
		Use: "lint", Short: "Check the order and the size of the rules", Args: cobra.NoArgs,
		Long: `Check the order and the size of .kedge/rules.md. The exit code is 2 if Kedge
finds something wrong.

The rules have three numbered sections: constraints, code modification,
validation loop. No style rule may come before a hard constraint. All rules
together may not use more tokens than the cap.`,
		Example: "  kedge rules lint\n  kedge rules lint --cap 800 --json",
		RunE: func(c *cobra.Command, _ []string) error {
			if err := frame.Positive(c, "cap", in.Cap, docs.RulesCap); err != nil {
				return err
			}
			out, err := frame.Call[memory.RulesLintReply](c.Context(), env, "rules.lint", in)
			if err != nil {
				return err
			}
			err = env.Show(out, func(w io.Writer) {
				findingsText(w, out.Findings)
				fmt.Fprintf(w, "%s: %s of at most %d, %s\n", out.File, words.Count(out.Tokens, "token"), out.Cap, words.Count(len(out.Findings), "finding"))
			})
			if err != nil || out.OK {
				return err
			}
			return frame.Printed(kedge.Invalid)
		},
	}
	c.Flags().IntVar(&in.Cap, "cap", docs.RulesCap, "the most `tokens` that the rules may use")
	return c
}

func newRulesShow(env *frame.Env) *cobra.Command {
	return &cobra.Command{
		Use: "show", Short: "Print the rules", Args: cobra.NoArgs,
		Example: "  kedge rules show\n  kedge rules show --json",
		RunE: func(c *cobra.Command, _ []string) error {
			return frame.Ask(c.Context(), env, "rules.show", memory.RulesShowRequest{}, func(w io.Writer, out memory.RulesShowReply) { fmt.Fprint(w, out.Text) })
		},
	}
}
