package claude

import "kedge/internal/agents"

// commandLine is how its options are written, by its --help.
func commandLine() agents.CommandLine {
	return agents.CommandLine{
		Values: []string{
			"--agent", "--agents", "--append-system-prompt", "--append-system-prompt-file", "--autocompact",
			"--debug-file", "--effort", "--environment", "--fallback-model", "--input-format", "--json-schema",
			"--max-budget-usd", "--max-turns", "--model", "-n", "--name", "--output-format", "--permission-mode",
			"--permission-prompt-tool", "--permission-prompts", "--plugin-dir", "--plugin-url",
			"--remote-control-session-name-prefix", "--session-id", "--setting-sources", "--settings", "--system-prompt",
			"--system-prompt-file", "--system-prompt-snapshot",
		},
		Maybe: []string{
			"--cloud", "-d", "--debug", "--from-pr", "--prompt-suggestions", "--remote-control", "-r", "--resume",
			"--teleport", "-w", "--worktree",
		},
		Lists: []string{
			"--add-dir", "--allowedTools", "--allowed-tools", "--betas", "--disallowedTools", "--disallowed-tools",
			"--file", "--mcp-config", "--tools",
		},
		Flags: []string{
			"--allow-dangerously-skip-permissions", "--ax-screen-reader", "--bg", "--background", "--bare", "--brief",
			"--chrome", "-c", "--continue", "--dangerously-skip-permissions", "--desktop", "--disable-slash-commands",
			"--exclude-dynamic-system-prompt-sections", "--fork-session", "--forward-subagent-text", "-h", "--help",
			"--ide", "--include-hook-events", "--include-partial-messages", "--no-chrome", "--no-session-persistence",
			"-p", "--print", "--replay-user-messages", "--restricted", "--safe-mode", "--strict-mcp-config", "--tmux",
			"--verbose", "-v", "--version",
		},
		Talks: []string{"-c", "--continue", "-r", "--resume", "--session-id", "--fork-session", "--from-pr", "--teleport", "--cloud"},
		Apart: []string{"-p", "--print", "-h", "--help", "-v", "--version", "--bg", "--background", "--desktop"},
		Commands: []string{
			"agents", "auth", "auto-mode", "config", "doctor", "install", "mcp", "migrate-installer", "plugin", "plugins",
			"setup-token", "update", "upgrade",
		},
	}
}
