package maintenance

import (
	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/cli/frame"
	"kedge/internal/process"
	"kedge/internal/server/mcp"
)

// MCP is kedge mcp.
func MCP(env *frame.Env) *cobra.Command {
	return &cobra.Command{
		Use:   "mcp",
		Short: "Serve Kedge's tools to an agent, over the Model Context Protocol",
		Long: `Serve Kedge's tools to an agent, over the Model Context Protocol.

You enter this command in the settings of an agent. It talks to the agent over
its standard input and output. It offers the tools feature_next, feature_get,
feature_submit, checkpoint_save, decision_propose, note_add, recall,
question_ask, gate_run and context_status.

The server acts for the session in which it runs. It proves this with the token
that Kedge gave the session (KEDGE_SESSION, KEDGE_TOKEN). Outside a session,
only the tools that read are available. Each tool is described in
docs/reference/mcp.md of Kedge.

A client can also have an operator's token in KEDGE_OPERATOR (kedge operator
add). Then it also gets run_show, run_pause, run_continue, run_stop and
run_tell. Kedge records each of these calls with your name and the operator's.
Inside a session of a run, Kedge accepts no operator's token.`,
		Example: "  claude mcp add kedge -- kedge mcp\n  codex mcp add kedge -- kedge mcp\n  claude mcp add kedge -e KEDGE_OPERATOR=kedge-operator-… -- kedge mcp",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			s := &mcp.Server{Call: env.Call, Environ: process.WithoutOperator(process.WithoutToken(env.Environ)), Version: kedge.Version}
			session, token := env.Getenv("KEDGE_SESSION"), env.Getenv(process.TokenVariable)
			if session != "" && token != "" {
				s.Session = kedge.SessionID(session)
				s.Call = env.Scoped(s.Session, token)
			}
			if operator := env.Getenv(process.OperatorVariable); operator != "" {
				s.Operate = env.Operating(operator)
			}
			return s.Serve(c.Context(), env.In, env.RawOut)
		},
	}
}
