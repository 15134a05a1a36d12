package qwen

import "kedge/internal/agents"

// commandLine is how its options are written, by its --help.
func commandLine() agents.CommandLine {
	return agents.CommandLine{
		Values: []string{
			"--telemetry-target", "--telemetry-otlp-endpoint", "--telemetry-otlp-protocol", "--telemetry-outfile",
			"--proxy", "-m", "--model", "-p", "--prompt", "-i", "--prompt-interactive", "--system-prompt",
			"--append-system-prompt", "--sandbox-image", "--approval-mode", "--channel", "--mcp-config",
			"--openai-logging-dir", "--openai-api-key", "--openai-base-url", "--input-format", "-o", "--output-format",
			"--json-fd", "--json-file", "--json-schema", "--input-file", "--session-id", "--max-session-turns",
			"--auth-type",
		},
		Maybe: []string{"-r", "--resume"},
		Lists: []string{
			"--allowed-mcp-server-names", "--allowed-tools", "-e", "--extensions", "--include-directories", "--add-dir",
			"--core-tools", "--exclude-tools", "--disabled-slash-commands",
		},
		Flags: []string{
			"--telemetry", "--telemetry-log-prompts", "-d", "--debug", "--bare", "--chat-recording", "-s", "--sandbox",
			"-y", "--yolo", "--checkpointing", "--acp", "--experimental-lsp", "-l", "--list-extensions",
			"--openai-logging", "--screen-reader", "--include-partial-messages", "-c", "--continue", "-v", "--version",
			"-h", "--help",
		},
		Talks:    []string{"-c", "--continue", "-r", "--resume", "--session-id"},
		Asks:     []string{"-p", "--prompt", "-i", "--prompt-interactive"},
		Apart:    []string{"--acp", "-l", "--list-extensions", "-v", "--version", "-h", "--help"},
		Commands: []string{"mcp", "extensions", "auth", "hooks", "hook", "channel", "review"},
	}
}
