package opencode

import (
	"kedge/internal/agents"
	"kedge/internal/agents/trust"
)

// name is what Kedge calls it.
const name = "opencode"

// Profile is what Kedge knows of OpenCode.
func Profile() agents.Profile {
	told, wrote := hooked(), own().Kept()
	return agents.Profile{
		Name: name, Title: "OpenCode", About: "opencode run --format json",
		New:         func(argv []string) (agents.Adapter, error) { return New(argv), nil },
		CommandLine: CommandLine(),
		Limits:      []agents.Limit{agents.LimitWithout},
		Versions:    agents.Versions{Tried: []string{"1.18.33"}},
		Writes:      []string{"~/.local/share/opencode", "~/.local/state/opencode", "~/.config/opencode", "~/.cache/opencode"},
		Obeys: trust.Rules{
			Files: []trust.Settings{
				// It puts these beside its plugins itself. By package.json, which it also writes,
				// it installs what others name there: that is for people to see.
				{Name: ".opencode", Env: true, But: []string{"node_modules", "package-lock.json", "bun.lock", ".gitignore"}},
				{Name: "opencode.json", Env: true},
				{Name: "opencode.jsonc", Env: true},
			},
			Moves: []string{"OPENCODE_CONFIG", "OPENCODE_CONFIG_DIR", "OPENCODE_CONFIG_CONTENT"},
		},
		Guards:     []string{".opencode/**", "opencode.json", "opencode.jsonc"},
		Hooks:      &told,
		Transcript: &wrote,
		Lacks: map[string]string{
			"Hears": "opencode run reads nothing after its brief",
		},
	}
}
