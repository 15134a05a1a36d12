package pi

import (
	"kedge/internal/agents"
	"kedge/internal/agents/trust"
)

// name is what Kedge calls it.
const name = "pi"

// Profile is what Kedge knows of Pi.
func Profile() agents.Profile {
	wrote := kept()
	return agents.Profile{
		Name: name, Title: "Pi", About: "its rpc mode",
		New:         func(argv []string) (agents.Adapter, error) { return New(argv), nil },
		Hears:       []agents.WordKind{agents.Tell, agents.Interrupt, agents.Shorten},
		CommandLine: commandLine(),
		Limits:      []agents.Limit{agents.LimitOnly},
		Versions:    agents.Versions{Tried: []string{"0.73.1"}},
		Writes:      []string{"~/.pi"},
		Obeys: trust.Rules{
			Files: []trust.Settings{{Name: ".pi", Env: true}},
			Moves: []string{"PI_CODING_AGENT_DIR"},
		},
		Guards:     []string{".pi/**"},
		Transcript: &wrote,
		Lacks: map[string]string{
			"Hooks": "it has extensions in TypeScript instead",
		},
	}
}
