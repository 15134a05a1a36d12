package hooks

import (
	"bytes"
	"encoding/json"
)

// transcriptLine is as much of a line of an agent's own record as tells how full its
// context is.
type transcriptLine struct {
	Type    string `json:"type"`
	Subtype string `json:"subtype"`

	Side    bool `json:"isSidechain"` // of Claude Code
	Message struct {
		Model string `json:"model"`
		Usage struct {
			Input  int64 `json:"input_tokens"`
			Read   int64 `json:"cache_read_input_tokens"`
			Write  int64 `json:"cache_creation_input_tokens"`
			Output int64 `json:"output_tokens"`
		} `json:"usage"`
	} `json:"message"`
	Compact struct {
		After int64 `json:"postTokens"`
	} `json:"compactMetadata"`

	Payload struct { // of Codex
		Type string `json:"type"`
		Info struct {
			Last struct {
				All int64 `json:"total_tokens"`
			} `json:"last_token_usage"`
		} `json:"info"`
	} `json:"payload"`

	Tokens struct { // of Gemini
		All int64 `json:"total"`
	} `json:"tokens"`
}

// Tokens is how many were in the context at last, by the end of an agent's own record
// of the conversation; false where that does not tell.
func Tokens(agent string, tail []byte) (int64, bool) {
	for len(tail) > 0 {
		i := bytes.LastIndexByte(bytes.TrimRight(tail, "\n"), '\n')
		line := tail[i+1:]
		tail = tail[:i+1]
		var l transcriptLine
		if json.Unmarshal(line, &l) != nil {
			continue // the beginning of it is missing, or a field is something else
		}
		if n := l.tokens(agent); n > 0 {
			return n, true
		}
	}
	return 0, false
}

func (l *transcriptLine) tokens(agent string) int64 {
	u := l.Message.Usage
	switch {
	case agent == "claude" && l.Type == "assistant" && !l.Side && l.Message.Model != "<synthetic>":
		return u.Input + u.Read + u.Write + u.Output
	case agent == "claude" && l.Type == "system" && l.Subtype == "compact_boundary":
		return l.Compact.After
	case agent == "codex" && l.Type == "event_msg" && l.Payload.Type == "token_count":
		return l.Payload.Info.Last.All
	case agent == "gemini" && l.Type == "gemini":
		return l.Tokens.All
	default:
		return 0
	}
}

// TimeToCompact is what the person at an agent is told whose context became large;
// empty where nothing is to be done, or the status line says it.
func (ev Input) TimeToCompact(tokens, threshold int64) string {
	command := map[string]string{"codex": "/compact", "gemini": "/compress"}[ev.Agent]
	if command == "" || threshold <= 0 || tokens < threshold {
		return ""
	}
	return "kedge: the context holds " + thousands(tokens) + " tokens: " + command + " now, before it gets worse at its work"
}
