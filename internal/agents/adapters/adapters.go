// Package adapters has the adapters of all kinds of agents that a run can drive. It
// owns the table of them and nothing else: who needs one of them imports that one.
// Its tests hold all of them to the suite of real programs, whose recordings and
// results are kept here.
package adapters

import (
	"kedge"
	"kedge/internal/agents"
	"kedge/internal/agents/acp"
	"kedge/internal/agents/aider"
	"kedge/internal/agents/claude"
	"kedge/internal/agents/codex"
	"kedge/internal/agents/command"
	"kedge/internal/agents/opencode"
	"kedge/internal/agents/pi"
	"kedge/internal/core/config"
)

// New gives the adapter of an agent in config.toml.
func New(name string, a config.Agent) (agents.Adapter, error) {
	switch a.Kind {
	case "command":
		return command.New(a.Command)
	case "claude":
		return claude.New(a.Command), nil
	case "codex":
		return codex.New(a.Command), nil
	case "opencode":
		return opencode.New(a.Command), nil
	case "pi":
		return pi.New(a.Command), nil
	case "copilot":
		return acp.Copilot(a.Command), nil
	case "aider":
		return aider.New(a.Command), nil
	case "acp":
		return acp.New(a.Command)
	case "gemini":
		return acp.Gemini(a.Command), nil
	case "qwen":
		return acp.Qwen(a.Command), nil
	default:
		return nil, kedge.Errorf(kedge.NotFound, "agents of kind %q cannot be driven by a run yet", a.Kind).
			WithHint("set [agents.%s] kind = \"command\" in .kedge/config.toml, with the command that reads a brief on its input", name)
	}
}
