package maintenance

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"kedge/internal/app/sessions"
	"kedge/internal/cli/frame"
	"kedge/internal/text/plain"
)

// Operator is kedge operator.
func Operator(env *frame.Env) *cobra.Command {
	c := frame.Group("operator", "Let an MCP client pause, stop and message runs, with a token",
		newOperatorAdd(env), newOperatorLs(env), newOperatorRm(env))
	c.Example = "  kedge operator add desk\n  kedge operator ls\n  kedge operator rm desk"
	return c
}

func newOperatorAdd(env *frame.Env) *cobra.Command {
	return &cobra.Command{
		Use: "add NAME", Short: "Make a token for an MCP client, and print it once", Args: cobra.ExactArgs(1),
		Long: `Make a token for an MCP client, and print it once. Kedge stores only a hash of
the token. NAME is what Kedge calls the client (the operator).

Give the token to the client as KEDGE_OPERATOR in the environment of kedge mcp.
With the token, the client may show, pause, continue and stop the run of a
project, and send messages to it. Kedge records each of these calls with your
name and the operator's. Inside a session of a run, Kedge accepts no operator's
token. Agents may not make tokens.`,
		Example: "  kedge operator add desk\n  claude mcp add kedge -e KEDGE_OPERATOR=$(kedge operator add desk) -- kedge mcp",
		RunE: func(c *cobra.Command, args []string) error {
			return frame.Ask(c.Context(), env, "operator.add", sessions.OperatorRequest{Name: args[0]}, func(w io.Writer, out sessions.OperatorAddReply) {
				fmt.Fprintln(w, plain.Line(out.Token))
				env.Talk("Kedge shows this token only once; to revoke it: kedge operator rm %s", plain.Line(out.Operator.Name))
			})
		},
	}
}

func newOperatorLs(env *frame.Env) *cobra.Command {
	return &cobra.Command{
		Use: "ls", Short: "List the operators: the clients that have a token", Args: cobra.NoArgs,
		Example: "  kedge operator ls\n  kedge operator ls --json",
		RunE: func(c *cobra.Command, _ []string) error {
			out, err := frame.Call[sessions.OperatorListReply](c.Context(), env, "operator.list", sessions.OperatorListRequest{})
			if err != nil {
				return err
			}
			if len(out.Operators) == 0 {
				env.Talk("no client has a token; make one: kedge operator add NAME")
			}
			return env.Show(out, func(w io.Writer) { operatorsText(w, out.Operators) })
		},
	}
}

func operatorsText(w io.Writer, list []sessions.OperatorInfo) {
	if len(list) == 0 {
		return
	}
	t := frame.Table{Columns: []frame.Column{{Title: "NAME"}, {Title: "MADE"}, {Title: "BY"}}}
	for _, o := range list {
		t.Row(o.Name, o.MadeAt.UTC().Format("2006-01-02 15:04 UTC"), o.By.Name())
	}
	t.Print(w)
}

func newOperatorRm(env *frame.Env) *cobra.Command {
	return &cobra.Command{
		Use: "rm NAME", Short: "Revoke the token of an operator", Args: cobra.ExactArgs(1),
		Example: "  kedge operator rm desk",
		RunE: func(c *cobra.Command, args []string) error {
			return frame.Ask(c.Context(), env, "operator.remove", sessions.OperatorRequest{Name: args[0]}, func(w io.Writer, out sessions.OperatorReply) {
				fmt.Fprintf(w, "revoked the token of operator %s\n", plain.Line(out.Operator.Name))
			})
		},
	}
}
