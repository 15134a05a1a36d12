package pi

import "kedge/internal/agents"

// name is what Kedge calls it.
const name = "pi"

// Profile is what Kedge knows of Pi.
func Profile() agents.Profile {
	wrote := kept()
	return agents.Profile{
		Name: name, Title: "Pi", About: "its rpc mode",
		New:        func(argv []string) (agents.Adapter, error) { return New(argv), nil },
		Hears:      []agents.WordKind{agents.Tell, agents.Interrupt, agents.Shorten},
		Versions:   agents.Versions{Tried: []string{"0.73.1"}},
		Writes:     []string{"~/.pi"},
		Transcript: &wrote,
	}
}
