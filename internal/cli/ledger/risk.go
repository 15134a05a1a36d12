package ledger

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/app/memory"
	"kedge/internal/cli/frame"
	"kedge/internal/text/plain"
)

// Risk is kedge risk.
func Risk(env *frame.Env) *cobra.Command {
	c := frame.Group("risk", "Open, close and list risks", newRiskAdd(env), newRiskClose(env), newRiskLs(env))
	c.Example = "  kedge risk ls\n  kedge risk add \"the migration cannot be reversed\""
	return c
}

func newRiskAdd(env *frame.Env) *cobra.Command {
	return &cobra.Command{
		Use: "add TEXT", Short: "Open a risk; it stays until you close it with a reason", Args: cobra.ExactArgs(1),
		Example: `  kedge risk add "the migration cannot be reversed"`,
		RunE: func(c *cobra.Command, args []string) error {
			out, err := frame.Call[memory.RiskReply](c.Context(), env, "risk.add", memory.RiskAddRequest{Text: args[0]})
			if err != nil {
				return err
			}
			return showRisk(env, out)
		},
	}
}

func newRiskClose(env *frame.Env) *cobra.Command {
	var in memory.RiskCloseRequest
	c := &cobra.Command{
		Use: "close ID --reason WHY", Short: "Close a risk, with a reason", Args: cobra.ExactArgs(1),
		Example:           `  kedge risk close rsk-01k… --reason "rolled back on staging twice"`,
		ValidArgsFunction: riskIDs(env),
		RunE: func(c *cobra.Command, args []string) error {
			in.ID = kedge.RiskID(args[0])
			out, err := frame.Call[memory.RiskReply](c.Context(), env, "risk.close", in)
			if err != nil {
				return err
			}
			return showRisk(env, out)
		},
	}
	c.Flags().StringVar(&in.Reason, "reason", "", "`why` it is no longer a risk")
	return c
}

// riskIDs completes the ids of the open risks.
func riskIDs(env *frame.Env) cobra.CompletionFunc {
	return frame.CompleteOne(func(ctx context.Context) (list []cobra.Completion, err error) {
		out, err := frame.Call[memory.RiskListReply](ctx, env, "risk.list", memory.RiskListRequest{})
		for _, r := range out.Risks {
			list = append(list, cobra.CompletionWithDesc(string(r.ID), plain.Line(r.Text)))
		}
		return list, err
	})
}

// showRisk shows a risk that was opened or closed.
func showRisk(env *frame.Env, out memory.RiskReply) error {
	env.Aside(out.Notices)
	return env.Show(out, func(w io.Writer) { riskLine(w, out.Risk) })
}

func riskLine(w io.Writer, r kedge.Risk) {
	if r.ClosedAt == nil {
		fmt.Fprintf(w, "%s  open    %s\n", r.ID, plain.Line(r.Text))
		return
	}
	fmt.Fprintf(w, "%s  closed  %s (%s)\n", r.ID, plain.Line(r.Text), plain.Line(r.Reason))
}

func newRiskLs(env *frame.Env) *cobra.Command {
	var in memory.RiskListRequest
	c := &cobra.Command{
		Use: "ls", Short: "List the open risks", Args: cobra.NoArgs,
		Example: "  kedge risk ls\n  kedge risk ls --all --json",
		RunE: func(c *cobra.Command, _ []string) error {
			out, err := frame.Call[memory.RiskListReply](c.Context(), env, "risk.list", in)
			if err != nil {
				return err
			}
			pendingEdits(env, out.Edits)
			if len(out.Risks) == 0 {
				env.Talk("no open risks")
			}
			return env.Show(out, func(w io.Writer) {
				for _, r := range out.Risks {
					riskLine(w, r)
				}
			})
		},
	}
	c.Flags().BoolVar(&in.All, "all", false, "also list closed risks")
	return c
}
