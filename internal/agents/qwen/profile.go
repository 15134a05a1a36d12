package qwen

import (
	"kedge/internal/agents"
	"kedge/internal/agents/trust"
)

// name is what Kedge calls it.
const name = "qwen"

// Profile is what Kedge knows of Qwen Code.
func Profile() agents.Profile {
	wrote := kept()
	return agents.Profile{
		Name: name, Title: "Qwen Code", About: "the Agent Client Protocol",
		New:         func(argv []string) (agents.Adapter, error) { return New(argv), nil },
		Hears:       []agents.WordKind{agents.Interrupt},
		CommandLine: commandLine(),
		Limits:      []agents.Limit{agents.LimitOnly, agents.LimitWithout, agents.LimitServers},
		Versions:    agents.Versions{Tried: []string{"0.15.10"}},
		Writes:      []string{"~/.qwen"},
		Obeys: trust.Rules{
			Files: []trust.Settings{{Name: ".qwen", Env: true}},
		},
		Guards:     []string{".qwen/**"},
		Transcript: &wrote,
		Lacks: map[string]string{
			"Hooks": "its hooks were never tried with Kedge",
		},
	}
}
