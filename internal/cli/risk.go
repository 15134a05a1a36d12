package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/app/memory"
	"kedge/internal/text/plain"
)

func newRisk(env *Env) *cobra.Command {
	return group("risk", "Open, close and list risks", newRiskAdd(env), newRiskClose(env), newRiskLs(env))
}

func newRiskAdd(env *Env) *cobra.Command {
	return &cobra.Command{
		Use: "add TEXT", Short: "Open a risk; it stays until it is closed with a reason", Args: cobra.ExactArgs(1),
		Example: `  kedge risk add "the migration cannot be reversed"`,
		RunE: func(c *cobra.Command, args []string) error {
			out, err := call[memory.RiskReply](c.Context(), env, "risk.add", memory.RiskAddRequest{Text: args[0]})
			if err != nil {
				return err
			}
			return env.risk(out)
		},
	}
}

func newRiskClose(env *Env) *cobra.Command {
	var in memory.RiskCloseRequest
	c := &cobra.Command{
		Use: "close ID --reason WHY", Short: "Close a risk", Args: cobra.ExactArgs(1),
		Example:           `  kedge risk close rsk-01k… --reason "rolled back on staging twice"`,
		ValidArgsFunction: riskIDs(env),
		RunE: func(c *cobra.Command, args []string) error {
			in.ID = kedge.RiskID(args[0])
			out, err := call[memory.RiskReply](c.Context(), env, "risk.close", in)
			if err != nil {
				return err
			}
			return env.risk(out)
		},
	}
	c.Flags().StringVar(&in.Reason, "reason", "", "why it is no risk any more")
	return c
}

// riskIDs completes the ids of the open risks.
func riskIDs(env *Env) cobra.CompletionFunc {
	return offered(func(ctx context.Context) (list []cobra.Completion, err error) {
		out, err := call[memory.RiskListReply](ctx, env, "risk.list", memory.RiskListRequest{})
		for _, r := range out.Risks {
			list = append(list, cobra.CompletionWithDesc(string(r.ID), plain.Line(r.Text)))
		}
		return list, err
	})
}

// risk shows a risk that was opened or closed.
func (env *Env) risk(out memory.RiskReply) error {
	env.aside(out.Notices)
	return env.show(out, func(w io.Writer) { riskLine(w, out.Risk) })
}

func riskLine(w io.Writer, r kedge.Risk) {
	if r.ClosedAt == nil {
		fmt.Fprintf(w, "%s  open    %s\n", r.ID, plain.Line(r.Text))
		return
	}
	fmt.Fprintf(w, "%s  closed  %s (%s)\n", r.ID, plain.Line(r.Text), plain.Line(r.Reason))
}

func newRiskLs(env *Env) *cobra.Command {
	var in memory.RiskListRequest
	c := &cobra.Command{
		Use: "ls", Short: "List the open risks", Args: cobra.NoArgs,
		Example: "  kedge risk ls\n  kedge risk ls --all --json",
		RunE: func(c *cobra.Command, _ []string) error {
			out, err := call[memory.RiskListReply](c.Context(), env, "risk.list", in)
			if err != nil {
				return err
			}
			env.pendingEdits(out.Edits)
			if len(out.Risks) == 0 {
				env.talk("no open risks")
			}
			return env.show(out, func(w io.Writer) {
				for _, r := range out.Risks {
					riskLine(w, r)
				}
			})
		},
	}
	c.Flags().BoolVar(&in.All, "all", false, "closed ones too")
	return c
}
