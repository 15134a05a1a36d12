package gemini

import "kedge/internal/agents"

// Profile is what Kedge knows of Gemini CLI.
func Profile() agents.Profile {
	return agents.Profile{
		Name: "gemini", Title: "Gemini CLI", About: "the Agent Client Protocol, figures by its telemetry",
		New:      func(argv []string) (agents.Adapter, error) { return New(argv), nil },
		Hears:    []agents.WordKind{agents.Interrupt},
		Versions: agents.Versions{Tried: []string{"0.61.0"}},
		Writes:   []string{"~/.gemini"},
	}
}
