package gemini

import (
	"kedge/internal/agents"
	"kedge/internal/agents/trust"
)

// name is what Kedge calls it.
const name = "gemini"

// Profile is what Kedge knows of Gemini CLI.
func Profile() agents.Profile {
	told, wrote := hooked(), kept()
	return agents.Profile{
		Name: name, Title: "Gemini CLI", About: "the Agent Client Protocol; figures come from its telemetry",
		New:         func(argv []string) (agents.Adapter, error) { return New(argv), nil },
		Hears:       []agents.WordKind{agents.Interrupt},
		CommandLine: commandLine(),
		Limits:      []agents.Limit{agents.LimitServers},
		Versions:    agents.Versions{Tried: []string{"0.61.0"}},
		Writes:      []string{"~/.gemini"},
		Obeys: trust.Rules{
			Files: []trust.Settings{{Name: ".gemini", Env: true}},
			Moves: []string{"GEMINI_CLI_HOME"},
		},
		Guards:     []string{".gemini/**"},
		Hooks:      &told,
		Transcript: &wrote,
	}
}
