package agents

// Writes are the folders and files in which a kind of agent keeps its own state,
// below HOME: what a sandbox must let it write for it to work at all.
func Writes(kind string) []string {
	switch kind {
	case "claude":
		return []string{"~/.claude", "~/.claude.json"}
	case "codex":
		return []string{"~/.codex"}
	case "gemini":
		return []string{"~/.gemini"}
	case "qwen":
		return []string{"~/.qwen"}
	case "opencode":
		return []string{"~/.local/share/opencode", "~/.local/state/opencode", "~/.config/opencode", "~/.cache/opencode"}
	case "pi":
		return []string{"~/.pi"}
	case "copilot":
		return []string{"~/.copilot"}
	default:
		return nil
	}
}
