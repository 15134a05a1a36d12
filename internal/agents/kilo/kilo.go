// Package kilo has everything that Kedge knows of the Kilo CLI: its adapter and its
// profile. Kilo is based on OpenCode and is driven in the same way (kilo run), under
// names of its own. It was tested with 7.7.7.
package kilo

import (
	"kedge/internal/agents"
	"kedge/internal/agents/opencode"
	"kedge/internal/agents/trust"
	"kedge/internal/insight/transcript"
)

// own is what tells it from the others of its family.
func own() opencode.Program { return opencode.Program{Kind: "kilo", Env: "KILO_", Data: "kilo"} }

// New is its adapter; argv is the program with arguments of its own, empty where it is
// simply kilo.
func New(argv []string) *opencode.Adapter { return opencode.Known(argv, own()) }

// Profile is what Kedge knows of the Kilo CLI.
func Profile() agents.Profile {
	wrote := own().Kept()
	ofFamily := wrote.Is
	wrote.Is = func(h transcript.Head) bool { return h.File == "kilo.db" && ofFamily(h) } // only the name tells it from OpenCode's
	return agents.Profile{
		Name: own().Kind, Title: "Kilo", About: "kilo run --format json",
		New:         func(argv []string) (agents.Adapter, error) { return New(argv), nil },
		CommandLine: opencode.CommandLine(),
		Limits:      []agents.Limit{agents.LimitWithout},
		Versions:    agents.Versions{Tried: []string{"7.7.7"}},
		Writes:      []string{"~/.local/share/kilo", "~/.local/state/kilo", "~/.config/kilo", "~/.cache/kilo"},
		Obeys: trust.Rules{
			Files: []trust.Settings{
				{Name: ".kilo", Env: true, But: []string{"node_modules", "package-lock.json", "bun.lock", ".gitignore"}},
				{Name: ".kilocode", Env: true},
				{Name: "kilo.json", Env: true},
				{Name: "kilo.jsonc", Env: true},
			},
			Moves: []string{"KILO_CONFIG", "KILO_CONFIG_DIR", "KILO_CONFIG_CONTENT"},
		},
		Guards:     []string{".kilo/**", ".kilocode/**", "kilo.json", "kilo.jsonc"},
		Transcript: &wrote,
		Lacks: map[string]string{
			"Hears": "kilo run reads nothing after its brief",
			"Hooks": "its plugins were never tried with Kedge",
		},
	}
}
