package codex

import "kedge/internal/agents"

// Profile is what Kedge knows of Codex.
func Profile() agents.Profile {
	return agents.Profile{
		Name: "codex", Title: "Codex", About: "its app server",
		New:      func(argv []string) (agents.Adapter, error) { return New(argv), nil },
		Hears:    []agents.WordKind{agents.Tell, agents.Interrupt, agents.Shorten},
		Versions: agents.Versions{Tried: []string{"0.166.0"}, Update: "npm install -g @openai/codex@latest"},
		Writes:   []string{"~/.codex"},
	}
}
