package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/app/memory"
	docs "kedge/internal/core/memory"
)

func newRules(env *Env) *cobra.Command {
	return group("rules", "Check and show the rules that stand at the top of every session",
		newRulesLint(env), newRulesShow(env))
}

func newRulesLint(env *Env) *cobra.Command {
	var in memory.RulesLintRequest
	c := &cobra.Command{
		Use: "lint", Short: "Check the order and the size of the rules", Args: cobra.NoArgs,
		Long: "Check the order and the size of .kedge/rules.md: three numbered sections,\n" +
			"constraints, code modification, validation loop; no style rule before a hard\n" +
			"constraint; not more tokens than the cap.",
		Example: "  kedge rules lint\n  kedge rules lint --cap 800 --json",
		RunE: func(c *cobra.Command, _ []string) error {
			if err := positive(c, "cap", in.Cap, docs.RulesCap); err != nil {
				return err
			}
			out, err := call[memory.RulesLintReply](c.Context(), env, "rules.lint", in)
			if err != nil {
				return err
			}
			err = env.show(out, func(w io.Writer) {
				findingsText(w, out.Findings)
				fmt.Fprintf(w, "%s: %s of at most %d, %s\n", out.File, plural(out.Tokens, "token"), out.Cap, plural(len(out.Findings), "finding"))
			})
			if err != nil || out.OK {
				return err
			}
			return errSaid{kedge.Invalid}
		},
	}
	c.Flags().IntVar(&in.Cap, "cap", docs.RulesCap, "how many tokens the rules may cost")
	return c
}

func newRulesShow(env *Env) *cobra.Command {
	return &cobra.Command{
		Use: "show", Short: "Print the rules", Args: cobra.NoArgs,
		Example: "  kedge rules show\n  kedge rules show --json",
		RunE: func(c *cobra.Command, _ []string) error {
			return ask(c.Context(), env, "rules.show", memory.RulesShowRequest{}, func(w io.Writer, out memory.RulesShowReply) { fmt.Fprint(w, out.Text) })
		},
	}
}
