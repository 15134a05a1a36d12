package gemini

import "kedge/internal/agents"

// commandLine is how its options are written, by its --help.
func commandLine() agents.CommandLine {
	return agents.CommandLine{
		Values: []string{
			"-m", "--model", "-p", "--prompt", "-i", "--prompt-interactive", "--approval-mode", "--session-file",
			"--session-id", "--delete-session", "-o", "--output-format",
		},
		Maybe: []string{"-w", "--worktree", "-r", "--resume"},
		Lists: []string{
			"--policy", "--admin-policy", "--allowed-mcp-server-names", "--allowed-tools", "-e", "--extensions",
			"--include-directories",
		},
		Flags: []string{
			"-d", "--debug", "--skip-trust", "-s", "--sandbox", "-y", "--yolo", "--acp", "--experimental-acp", "-l",
			"--list-extensions", "--list-sessions", "--screen-reader", "--raw-output", "--accept-raw-output-risk", "-v",
			"--version", "-h", "--help",
		},
		Talks: []string{"-r", "--resume", "--session-file", "--session-id"},
		Asks:  []string{"-p", "--prompt", "-i", "--prompt-interactive"},
		Apart: []string{
			"--acp", "--experimental-acp", "-l", "--list-extensions", "--list-sessions", "--delete-session", "-v",
			"--version", "-h", "--help",
		},
		Commands: []string{"mcp", "extensions", "extension", "skills", "skill", "hooks", "hook", "gemma"},
	}
}
