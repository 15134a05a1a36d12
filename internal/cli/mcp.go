package cli

import (
	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/process/capability"
	"kedge/internal/server/mcp"
)

func newMCP(env *Env) *cobra.Command {
	return &cobra.Command{
		Use:   "mcp",
		Short: "Serve the tools of this session to its agent, over the Model Context Protocol",
		Long: `Serves tools on its standard input and output to an agent that speaks the Model
Context Protocol: feature_next, feature_get, feature_submit, checkpoint_save,
decision_propose, note_add, recall, question_ask, gate_run, context_status. It is
for the settings of agents, not for people.

It acts in the name of the session that it runs in, by the token that Kedge gave
that session (KEDGE_SESSION, KEDGE_TOKEN). Outside of a session only what reads
answers.`,
		Example: "  claude mcp add kedge -- kedge mcp\n  codex mcp add kedge -- kedge mcp",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			s := &mcp.Server{Call: env.Call, Environ: capability.Without(env.Environ), Version: kedge.Version}
			session, token := env.getenv("KEDGE_SESSION"), env.getenv(capability.Variable)
			if session != "" && token != "" {
				s.Session = kedge.SessionID(session)
				s.Call = env.Scoped(s.Session, token)
			}
			return s.Serve(c.Context(), env.In, env.rawOut)
		},
	}
}
