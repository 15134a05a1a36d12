package copilot

import "kedge/internal/agents"

// commandLine is how its options are written, by its --help.
func commandLine() agents.CommandLine {
	return agents.CommandLine{
		Values: []string{
			"-i", "--interactive", "-p", "--prompt", "--model", "--reasoning-effort", "--context", "--auto-tier",
			"--agent", "-n", "--name", "--session-id", "-C", "--log-dir", "--extension-sdk-path", "--log-level",
			"--stream", "--output-format", "--add-dir", "--attachment", "--disable-mcp-server",
			"--add-github-mcp-toolset", "--add-github-mcp-tool", "--plugin-dir", "--additional-mcp-config",
			"--mcp-github-auth", "--max-autopilot-continues", "--mode", "--environment-host", "--environment-compute-id",
			"--dynamic-retrieval", "--enable-mcp-server", "--max-ai-credits", "--usage-output-file",
		},
		Maybe: []string{"-r", "--resume", "--connect", "--share", "--bash-env", "--mouse"},
		Lists: []string{
			"--allow-tool", "--deny-tool", "--available-tools", "--excluded-tools", "--secret-env-vars", "--allow-url",
			"--deny-url",
		},
		Flags: []string{
			"-v", "--version", "--fleet", "--trust-folder", "-s", "--silent", "--disable-client-telemetry",
			"--enable-memory", "--continue", "--allow-all-tools", "--allow-all-paths", "--disallow-temp-dir", "--banner",
			"--screen-reader", "--plain-diff", "--share-gist", "--disable-builtin-mcps", "--enable-all-github-mcp-tools",
			"--allow-all-mcp-server-instructions", "--allow-all-urls", "--allow-all", "--yolo", "--autopilot", "--plan",
			"--experimental", "--acp", "--remote", "--remote-export", "--assisted-approval", "--no-custom-instructions",
			"--no-auto-update", "--no-ask-user", "--no-color", "--no-experimental", "--no-bash-env", "--no-mouse",
			"--no-remote", "--no-remote-export", "--no-eager-powershell-resolution", "-h", "--help",
		},
		Talks: []string{"-r", "--resume", "--continue", "--session-id", "--connect"},
		Asks:  []string{"-i", "--interactive", "-p", "--prompt"},
		Apart: []string{"-h", "--help", "-v", "--version", "--acp"},
		Commands: []string{
			"app", "login", "help", "init", "config", "update", "version", "workflow", "sessions", "memories", "plugin",
			"mcp", "skill", "instruction", "lsp", "sandbox", "completion",
		},
	}
}
