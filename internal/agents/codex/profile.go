package codex

import (
	"kedge/internal/agents"
	"kedge/internal/agents/trust"
)

// name is what Kedge calls it.
const name = "codex"

// Profile is what Kedge knows of Codex.
func Profile() agents.Profile {
	told, wrote := hooked(), kept()
	return agents.Profile{
		Name: name, Title: "Codex", About: "its app server",
		New:         func(argv []string) (agents.Adapter, error) { return New(argv), nil },
		Hears:       []agents.WordKind{agents.Tell, agents.Interrupt, agents.Shorten},
		CommandLine: commandLine(),
		Limits:      []agents.Limit{agents.LimitWithout},
		Versions:    agents.Versions{Tried: []string{"0.166.0"}, Update: "npm install -g @openai/codex@latest"},
		Writes:      []string{"~/.codex"},
		Obeys: trust.Rules{
			Files: []trust.Settings{{Name: ".codex", Env: true}},
			Moves: []string{"CODEX_HOME"},
		},
		Guards:     []string{".codex/**"},
		Hooks:      &told,
		Transcript: &wrote,
	}
}
