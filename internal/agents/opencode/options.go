package opencode

import "kedge/internal/agents"

// CommandLine is how its options, and those of its family, are written, by their --help.
func CommandLine() agents.CommandLine {
	return agents.CommandLine{
		Values: []string{
			"--log-level", "--port", "--hostname", "--mdns-domain", "--cors", "-m", "--model", "-s", "--session",
			"--prompt", "--agent", "--replay-limit",
		},
		Flags: []string{
			"-h", "--help", "-v", "--version", "--print-logs", "--pure", "--mdns", "-c", "--continue", "--fork",
			"--auto", "--mini", "--no-replay",
		},
		Talks: []string{"-c", "--continue", "-s", "--session", "--fork"},
		Asks:  []string{"--prompt"},
		Apart: []string{"-h", "--help", "-v", "--version"},
		Files: true,
		Commands: []string{
			"run", "serve", "attach", "web", "acp", "mcp", "auth", "providers", "agent", "models", "stats", "export", "import",
			"github", "pr", "session", "upgrade", "uninstall", "completion", "debug", "db", "plugin", "console",
		},
	}
}
