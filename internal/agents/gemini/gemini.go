// Package gemini has everything that Kedge knows of Google's Gemini CLI: its adapter and
// its profile. Kedge drives it over the Agent Client Protocol. Of its two ways without a
// screen, only in this one it asks before it acts and can be interrupted. Its usage comes
// from its telemetry. It was tested with 0.61.0.
package gemini

import (
	"kedge/internal/agents"
	"kedge/internal/agents/acp"
)

// window is the size that Gemini takes every model's context to have.
const window = 1 << 20

// New is its adapter; argv is the program with arguments of its own, empty where it is
// simply gemini.
func New(argv []string) *acp.Adapter {
	return acp.Known(argv, acp.Program{
		Kind: "gemini", ScreenFlag: "--prompt-interactive", Window: window, ModelFlag: true, Settles: true,
		Beside: func() acp.Beside { return &telemetry{} }, Limit: limit,
		Args: []string{"--acp", "--skip-trust"}, // the folder is Kedge's own worktree, which nobody was ever asked about
		Wrap: []string{"sh", "-c", meterScript, "gemini"},
		Env: []string{
			"GEMINI_CLI_NO_RELAUNCH=true", // a second process would not have the descriptor
			"GEMINI_TELEMETRY_ENABLED=true", "GEMINI_TELEMETRY_TARGET=local", "GEMINI_TELEMETRY_OUTFILE=/dev/fd/3",
			"GEMINI_TELEMETRY_LOG_PROMPTS=false", "GEMINI_TELEMETRY_USE_COLLECTOR=false", "OTEL_TRACES_SAMPLER=always_off",
			"GEMINI_PTY_INFO=child_process", // what a command prints under a terminal of its own is not told
		},
	})
}

// nobody is a name that no server has: an empty list is refused.
const nobody = "kedge-offers-none"

// limit are the arguments that limit its servers; its own tools it cannot be told to
// leave out.
func limit(o agents.Offer) ([]string, error) {
	if o.Only != nil || len(o.Without) > 0 {
		return nil, agents.CannotLimit("gemini", "leaving out one of its own tools")
	}
	if len(o.Servers) == 0 {
		return []string{"--allowed-mcp-server-names=" + nobody}, nil
	}
	var out []string
	for _, name := range o.Servers {
		out = append(out, "--allowed-mcp-server-names="+name)
	}
	return out, nil
}
