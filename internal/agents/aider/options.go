package aider

import "kedge/internal/agents"

// commandLine is how its options are written, by its documentation.
func commandLine() agents.CommandLine {
	return agents.CommandLine{
		Values: []string{
			"--model", "--weak-model", "--editor-model", "--edit-format", "--chat-mode", "--message", "-m",
			"--message-file", "-f", "--file", "--read", "--env-file", "--config", "-c", "--api-key", "--set-env",
			"--openai-api-key", "--anthropic-api-key", "--openai-api-base", "--map-tokens", "--map-refresh",
			"--reasoning-effort", "--thinking-tokens", "--lint-cmd", "--test-cmd", "--chat-history-file",
			"--input-history-file", "--llm-history-file", "--chat-language", "--commit-language", "--editor",
			"--timeout", "--max-chat-history-tokens", "--model-settings-file", "--model-metadata-file", "--alias",
			"--encoding", "--aiderignore", "--code-theme", "--load", "--commit-prompt", "--voice-format",
			"--voice-language", "--notifications-command",
		},
		Asks:  []string{"--message", "-m", "--message-file", "-f"},
		Apart: []string{"--help", "-h", "--version", "--models", "--list-models", "--gui", "--browser"},
		Files: true,
	}
}
