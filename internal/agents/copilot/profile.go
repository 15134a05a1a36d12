package copilot

import (
	"kedge/internal/agents"
	"kedge/internal/agents/trust"
)

// name is what Kedge calls it.
const name = "copilot"

// Profile is what Kedge knows of Copilot.
func Profile() agents.Profile {
	told, wrote := hooked(), kept()
	return agents.Profile{
		Name: name, Title: "Copilot", About: "the Agent Client Protocol",
		New:         func(argv []string) (agents.Adapter, error) { return New(argv), nil },
		Hears:       []agents.WordKind{agents.Interrupt},
		CommandLine: commandLine(),
		Limits:      []agents.Limit{agents.LimitOnly, agents.LimitWithout},
		Versions:    agents.Versions{Tried: []string{"1.0.102"}},
		Writes:      []string{"~/.copilot"},
		Obeys: trust.Rules{
			Files: []trust.Settings{
				{Name: ".copilot", Env: true},
				{Name: ".github/copilot", Env: true},
				{Name: ".github/hooks", Env: true},
				{Name: ".vscode/mcp.json", Who: "VS Code and Copilot", Env: true},
			},
			Moves: []string{"COPILOT_HOME"},
		},
		Guards:     []string{".copilot/**", ".github/copilot/**", ".github/hooks/**", ".vscode/mcp.json"},
		Hooks:      &told,
		Transcript: &wrote,
	}
}
