package copilot

import "kedge/internal/agents"

// name is what Kedge calls it.
const name = "copilot"

// Profile is what Kedge knows of Copilot.
func Profile() agents.Profile {
	told, wrote := hooked(), kept()
	return agents.Profile{
		Name: name, Title: "Copilot", About: "the Agent Client Protocol",
		New:        func(argv []string) (agents.Adapter, error) { return New(argv), nil },
		Hears:      []agents.WordKind{agents.Interrupt},
		Versions:   agents.Versions{Tried: []string{"1.0.102"}},
		Writes:     []string{"~/.copilot"},
		Hooks:      &told,
		Transcript: &wrote,
	}
}
