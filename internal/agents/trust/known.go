package trust

import "strings"

// settings are files of the root of a work tree that somebody heeds.
type settings struct {
	name    string // of a file, or of a folder with all below it
	who     string
	env     bool     // it can set variables of the environment
	envOnly bool     // and nothing else
	people  bool     // it runs where people work, not agents: it is asked about when work brings it
	but     []string // names below that programs put there themselves: passed over where git does not track them
}

// known are all of them. Instructions for models (AGENTS.md, CLAUDE.md) are no part
// of it: they run nothing. Nor is what people start by name: a Makefile, the scripts
// in package.json.
var known = []settings{
	{name: ".claude", who: "Claude Code", env: true, but: []string{"worktrees"}},
	{name: ".mcp.json", who: "Claude Code", env: true},
	{name: ".codex", who: "Codex", env: true},
	{name: ".gemini", who: "Gemini CLI", env: true},
	{name: ".qwen", who: "Qwen Code", env: true},
	// OpenCode itself puts these beside its plugins. By package.json, which it also
	// writes, it installs what others name there: that is for people to see.
	{name: ".opencode", who: "OpenCode", env: true, but: []string{"node_modules", "package-lock.json", "bun.lock", ".gitignore"}},
	{name: "opencode.json", who: "OpenCode", env: true},
	{name: "opencode.jsonc", who: "OpenCode", env: true},
	{name: ".pi", who: "Pi", env: true},
	{name: ".copilot", who: "Copilot", env: true},
	{name: ".github/copilot", who: "Copilot", env: true},
	{name: ".github/hooks", who: "Copilot", env: true},
	{name: ".cursor", who: "Cursor", env: true},
	{name: ".aider.conf.yml", who: "Aider", env: true},
	{name: ".aider.model.settings.yml", who: "Aider", env: true},
	{name: ".envrc", who: "direnv", env: true},
	{name: "mise.toml", who: "mise", env: true},
	{name: ".mise.toml", who: "mise", env: true},
	{name: "mise.local.toml", who: "mise", env: true},
	{name: ".mise.local.toml", who: "mise", env: true},
	{name: ".mise", who: "mise", env: true},
	{name: ".config/mise", who: "mise", env: true},
	{name: ".config/mise.toml", who: "mise", env: true},
	{name: ".devcontainer", who: "development containers"},
	{name: ".devcontainer.json", who: "development containers"},
	{name: ".vscode/tasks.json", who: "VS Code"},
	{name: ".vscode/settings.json", who: "VS Code"},
	{name: ".vscode/mcp.json", who: "VS Code and Copilot", env: true},
	{name: ".husky", who: "git, by its hooks", people: true},
	{name: ".githooks", who: "git, by its hooks", people: true},
	{name: "lefthook.yml", who: "git, by Lefthook", people: true},
	{name: "lefthook.yaml", who: "git, by Lefthook", people: true},
	{name: "lefthook.toml", who: "git, by Lefthook", people: true},
	{name: "lefthook.json", who: "git, by Lefthook", people: true},
	{name: "lefthook.jsonc", who: "git, by Lefthook", people: true},
	{name: "lefthook-local.yml", who: "git, by Lefthook", people: true},
	{name: "lefthook-local.yaml", who: "git, by Lefthook", people: true},
	{name: "lefthook-local.toml", who: "git, by Lefthook", people: true},
	{name: "lefthook-local.json", who: "git, by Lefthook", people: true},
	{name: "lefthook-local.jsonc", who: "git, by Lefthook", people: true},
	{name: ".lefthook.yml", who: "git, by Lefthook", people: true},
	{name: ".lefthook.yaml", who: "git, by Lefthook", people: true},
	{name: ".lefthook.toml", who: "git, by Lefthook", people: true},
	{name: ".lefthook.json", who: "git, by Lefthook", people: true},
	{name: ".lefthook.jsonc", who: "git, by Lefthook", people: true},
	{name: ".lefthook-local.yml", who: "git, by Lefthook", people: true},
	{name: ".lefthook-local.yaml", who: "git, by Lefthook", people: true},
	{name: ".lefthook-local.toml", who: "git, by Lefthook", people: true},
	{name: ".lefthook-local.json", who: "git, by Lefthook", people: true},
	{name: ".lefthook-local.jsonc", who: "git, by Lefthook", people: true},
	{name: ".config/lefthook.yml", who: "git, by Lefthook", people: true},
	{name: ".config/lefthook.yaml", who: "git, by Lefthook", people: true},
	{name: ".config/lefthook.toml", who: "git, by Lefthook", people: true},
	{name: ".config/lefthook.json", who: "git, by Lefthook", people: true},
	{name: ".config/lefthook.jsonc", who: "git, by Lefthook", people: true},
	{name: ".config/lefthook-local.yml", who: "git, by Lefthook", people: true},
	{name: ".config/lefthook-local.yaml", who: "git, by Lefthook", people: true},
	{name: ".config/lefthook-local.toml", who: "git, by Lefthook", people: true},
	{name: ".config/lefthook-local.json", who: "git, by Lefthook", people: true},
	{name: ".config/lefthook-local.jsonc", who: "git, by Lefthook", people: true},
	{name: ".lefthook", who: "git, by Lefthook", people: true},
	{name: ".lefthook-local", who: "git, by Lefthook", people: true},
	{name: ".pre-commit-config.yaml", who: "git, by pre-commit", people: true},
	{name: ".env", who: "agents", env: true, envOnly: true},
	{name: ".env.local", who: "agents", env: true, envOnly: true},
	{name: ".env.development", who: "agents", env: true, envOnly: true},
	{name: ".env.development.local", who: "agents", env: true, envOnly: true},
	{name: ".env.production", who: "agents", env: true, envOnly: true},
	{name: ".env.production.local", who: "agents", env: true, envOnly: true},
	{name: ".env.test", who: "agents", env: true, envOnly: true},
	{name: ".env.test.local", who: "agents", env: true, envOnly: true},
}

// Heeds tells whether a path is that of a file which somebody heeds for what it says
// as a whole, or lies in a folder of such. Where links lead only a scan knows.
func Heeds(name string) bool {
	for _, k := range known {
		n := len(k.name)
		if !k.envOnly && len(name) >= n && strings.EqualFold(name[:n], k.name) && (len(name) == n || name[n] == '/') {
			return true
		}
	}
	return false
}
