package opencode

import "kedge/internal/agents"

// name is what Kedge calls it.
const name = "opencode"

// Profile is what Kedge knows of OpenCode.
func Profile() agents.Profile {
	told, wrote := hooked(), kept()
	return agents.Profile{
		Name: name, Title: "OpenCode", About: "opencode run --format json",
		New:        func(argv []string) (agents.Adapter, error) { return New(argv), nil },
		Versions:   agents.Versions{Tried: []string{"1.18.33"}},
		Writes:     []string{"~/.local/share/opencode", "~/.local/state/opencode", "~/.config/opencode", "~/.cache/opencode"},
		Hooks:      &told,
		Transcript: &wrote,
	}
}
