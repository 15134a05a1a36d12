package gemini

import (
	"encoding/json"

	"kedge/internal/agents/hooks"
)

// hooked is how its hooks are used.
func hooked() hooks.Agent {
	const inMillis = "000"
	return hooks.Agent{
		Name: name, CompactCommand: "/compress", Tokens: lineTokens,
		Settings: hooks.Settings{Variable: "GEMINI_CLI_HOME", File: ".gemini/settings.json"},
		Dialect:  hooks.Dialect{Refuse: func(why string) hooks.Object { return hooks.Object{"decision": "deny", "reason": why} }},
		Entries: []hooks.Entry{
			{Event: "SessionStart", Timeout: hooks.Usual + inMillis},
			{Event: "AfterTool", Timeout: hooks.Usual + inMillis},
			{Event: "PreCompress", Timeout: hooks.Usual + inMillis},
			{Event: "AfterAgent", Timeout: hooks.Gated + inMillis},
			{Event: "SessionEnd", Timeout: hooks.Usual + inMillis},
		},
	}
}

// lineTokens is how many tokens are in the context by a line of a session's file.
func lineTokens(line []byte) int64 {
	var l struct {
		Type   string `json:"type"`
		Tokens struct {
			All int64 `json:"total"`
		} `json:"tokens"`
	}
	if json.Unmarshal(line, &l) != nil || l.Type != "gemini" {
		return 0
	}
	return l.Tokens.All
}
