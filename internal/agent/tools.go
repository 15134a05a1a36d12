package agent

import (
	"encoding/json"
	"strings"

	"kedge/internal/capability"
)

// toolsName is what programs call the server of Kedge's tools.
const toolsName = "kedge"

// toolsEnv are the variables by which that server finds its session. Only their
// names are ever in a command.
var toolsEnv = []string{"KEDGE_HOME", "KEDGE_SESSION", capability.Variable}

// claudeTools are the arguments that tell Claude Code of the server, beside those
// that its own settings name.
func claudeTools(command []string) []string {
	if len(command) == 0 {
		return nil
	}
	server := map[string]any{"type": "stdio", "command": command[0], "args": command[1:]}
	return []string{"--mcp-config", text(map[string]any{"mcpServers": map[string]any{toolsName: server}})}
}

// toolsSeconds is how long Codex waits for a tool: a gate may take long.
const toolsSeconds = "7200"

// codexTools are the same for Codex, which passes nothing of its environment on
// that it is not told of.
func codexTools(command []string) []string {
	if len(command) == 0 {
		return nil
	}
	var out []string
	for _, kv := range []string{
		"command=" + text(command[0]), "args=" + text(command[1:]), "env_vars=" + text(toolsEnv), "tool_timeout_sec=" + toolsSeconds,
	} {
		out = append(out, "-c", "mcp_servers."+toolsName+"."+kv)
	}
	return out
}

// text is a value as JSON; of strings and lists of them this is TOML too.
func text(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return `""` // of texts and lists: it cannot be
	}
	return strings.TrimSuffix(b.String(), "\n")
}
