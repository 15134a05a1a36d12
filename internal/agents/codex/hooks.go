package codex

import (
	"encoding/json"

	"kedge/internal/agents/hooks"
)

// hooked is how its hooks are used.
func hooked() hooks.Agent {
	return hooks.Agent{
		Name: name, CompactCommand: "/compact", Tokens: lineTokens,
		Settings: hooks.Settings{Variable: "CODEX_HOME", Folder: ".codex", File: "hooks.json"},
		Note:     "codex asks you once whether you trust its new hooks, when it starts",
		Entries: []hooks.Entry{
			{Event: "SessionStart", Timeout: hooks.Usual},
			{Event: "PreToolUse", Timeout: hooks.Usual},
			{Event: "PostToolUse", Timeout: hooks.Usual},
			{Event: "PreCompact", Timeout: hooks.Usual},
			{Event: "PostCompact", Timeout: hooks.Usual},
			{Event: "Stop", Timeout: hooks.Gated},
		},
	}
}

// lineTokens is how many tokens are in the context by a line of a rollout.
func lineTokens(line []byte) int64 {
	var l struct {
		Type    string `json:"type"`
		Payload struct {
			Type string `json:"type"`
			Info struct {
				Last struct {
					All int64 `json:"total_tokens"`
				} `json:"last_token_usage"`
			} `json:"info"`
		} `json:"payload"`
	}
	if json.Unmarshal(line, &l) != nil || l.Type != "event_msg" || l.Payload.Type != "token_count" {
		return 0
	}
	return l.Payload.Info.Last.All
}
