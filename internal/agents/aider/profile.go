package aider

import (
	"kedge/internal/agents"
	"kedge/internal/agents/trust"
)

// name is what Kedge calls it.
const name = "aider"

// Profile is what Kedge knows of Aider.
func Profile() agents.Profile {
	wrote := kept()
	return agents.Profile{
		Name: name, Title: "Aider", About: "one message on its input; it answers with text",
		New:         func(argv []string) (agents.Adapter, error) { return New(argv), nil },
		CommandLine: commandLine(),
		Obeys: trust.Rules{
			Files:   []trust.Settings{{Name: ".aider.conf.yml", Env: true}, {Name: ".aider.model.settings.yml", Env: true}},
			Options: []string{"AIDER_"},
		},
		Guards:     []string{".aider*"},
		Transcript: &wrote,
		Lacks: map[string]string{
			"Hears":    "it reads nothing after its message",
			"Versions": "it is not an npm package, so only a stand-in was tried",
			"Writes":   "unknown: only a stand-in was tried",
			"Hooks":    "it has no hooks",
			"Limits":   "it has no tools",
		},
	}
}
