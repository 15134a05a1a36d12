package claude

import (
	"kedge/internal/agents"
	"kedge/internal/agents/trust"
)

// name is what Kedge calls it.
const name = "claude"

// Profile is what Kedge knows of Claude Code.
func Profile() agents.Profile {
	told, wrote := hooked(), kept()
	return agents.Profile{
		Name: name, Title: "Claude Code", About: "stream-json on its input and output",
		New:         func(argv []string) (agents.Adapter, error) { return New(argv), nil },
		Hears:       []agents.WordKind{agents.Tell, agents.Interrupt, agents.Shorten},
		CommandLine: commandLine(),
		Limits:      []agents.Limit{agents.LimitOnly, agents.LimitWithout, agents.LimitServers},
		Versions: agents.Versions{
			Tried: []string{"2.1.197", "2.1.325"}, Oldest: "2.1.2", Update: "npm install -g @anthropic-ai/claude-code@latest",
			Broken: "a repository's settings take effect before anybody trusts them (CVE-2026-21852, CVE-2026-25725)",
		},
		Writes: []string{"~/.claude", "~/.claude.json"},
		Obeys: trust.Rules{
			Files: []trust.Settings{{Name: ".claude", Env: true, But: []string{"worktrees"}}, {Name: ".mcp.json", Env: true}},
			Moves: []string{"CLAUDE_CONFIG_DIR"},
		},
		Guards:     []string{".claude/**", ".mcp.json"},
		Hooks:      &told,
		Transcript: &wrote,
	}
}
