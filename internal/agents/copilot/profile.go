package copilot

import "kedge/internal/agents"

// Profile is what Kedge knows of Copilot.
func Profile() agents.Profile {
	return agents.Profile{
		Name: "copilot", Title: "Copilot", About: "the Agent Client Protocol",
		New:      func(argv []string) (agents.Adapter, error) { return New(argv), nil },
		Hears:    []agents.WordKind{agents.Interrupt},
		Versions: agents.Versions{Tried: []string{"1.0.102"}},
		Writes:   []string{"~/.copilot"},
	}
}
