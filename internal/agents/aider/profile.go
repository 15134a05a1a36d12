package aider

import "kedge/internal/agents"

// Profile is what Kedge knows of Aider.
func Profile() agents.Profile {
	return agents.Profile{
		Name: "aider", Title: "Aider", About: "one message on its input, text for people back",
		New: func(argv []string) (agents.Adapter, error) { return New(argv), nil },
	}
}
