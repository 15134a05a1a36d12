package aider

import "kedge/internal/agents"

// name is what Kedge calls it.
const name = "aider"

// Profile is what Kedge knows of Aider.
func Profile() agents.Profile {
	wrote := kept()
	return agents.Profile{
		Name: name, Title: "Aider", About: "one message on its input, text for people back",
		New:        func(argv []string) (agents.Adapter, error) { return New(argv), nil },
		Transcript: &wrote,
	}
}
