package codex

import "kedge/internal/agents"

// commandLine is how its options are written, by its --help.
func commandLine() agents.CommandLine {
	return agents.CommandLine{
		Values: []string{
			"-c", "--config", "--enable", "--disable", "--remote", "--remote-auth-token-env", "-m", "--model",
			"--local-provider", "-p", "--profile", "-s", "--sandbox", "-C", "--cd", "--add-dir", "-a",
			"--ask-for-approval",
		},
		Lists: []string{"-i", "--image"},
		Flags: []string{
			"--strict-config", "--oss", "--approve-for-me", "--dangerously-bypass-approvals-and-sandbox",
			"--dangerously-bypass-hook-trust", "--full-auto", "--worktree", "--search", "--no-alt-screen", "--no-daemon",
			"-h", "--help", "-V", "--version",
		},
		Apart: []string{"-h", "--help", "-V", "--version"},
		Commands: []string{
			"exec", "e", "review", "login", "logout", "mcp", "mcp-server", "app-server", "app", "completion", "sandbox", "debug",
			"execpolicy", "apply", "a", "cloud", "features", "help",
		},
	}
}
