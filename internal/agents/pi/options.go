package pi

import "kedge/internal/agents"

// commandLine is how its options are written, by its --help.
func commandLine() agents.CommandLine {
	return agents.CommandLine{
		Values: []string{
			"--provider", "--model", "--api-key", "--system-prompt", "--append-system-prompt", "--mode", "--session",
			"--fork", "--session-dir", "--models", "--tools", "-t", "--thinking", "--extension", "-e", "--skill",
			"--prompt-template", "--theme", "--export",
		},
		Maybe: []string{"--list-models"},
		Flags: []string{
			"--print", "-p", "--continue", "-c", "--resume", "-r", "--no-session", "--no-tools", "-nt",
			"--no-builtin-tools", "-nbt", "--no-extensions", "-ne", "--no-skills", "-ns", "--no-prompt-templates", "-np",
			"--no-themes", "--no-context-files", "-nc", "--verbose", "--offline", "--help", "-h", "--version", "-v",
		},
		Talks:    []string{"--continue", "-c", "--resume", "-r", "--session", "--fork"},
		Apart:    []string{"--print", "-p", "--mode", "--export", "--list-models", "--help", "-h", "--version", "-v"},
		Commands: []string{"install", "remove", "uninstall", "update", "list", "config"},
	}
}
