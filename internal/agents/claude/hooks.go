package claude

import (
	"encoding/json"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"kedge/internal/agents/hooks"
)

// changing are the tools that the mode of planning is held against.
const changing = "Bash|Edit|MultiEdit|Write|NotebookEdit|mcp__.*"

// hooked is how its hooks are used.
func hooked() hooks.Agent {
	return hooks.Agent{
		Name: name, StatusLine: true, Replaces: true, Focuses: true, PlanFolders: []string{"/.claude/plans/"}, Tokens: lineTokens,
		Settings: hooks.Settings{
			Variable: "CLAUDE_CONFIG_DIR", Folder: ".claude", File: "settings.json", Local: ".claude/settings.local.json", Shared: ".claude/settings.json",
		},
		Keeps: func(dir, _, _ string) bool { return path.Base(dir) == "tool-results" },
		Twin:  twin,
		Entries: []hooks.Entry{
			{Event: "SessionStart", Timeout: hooks.Usual},
			{Event: "PreToolUse", Matcher: changing, Timeout: hooks.Usual},
			{Event: "PostToolUse", Timeout: hooks.Usual},
			{Event: "PostToolUseFailure", Timeout: hooks.Usual},
			{Event: "PreCompact", Timeout: hooks.Usual},
			{Event: "PostCompact", Timeout: hooks.Usual},
			{Event: "Stop", Timeout: hooks.Gated},
			{Event: "SessionEnd", Timeout: hooks.Usual},
		},
	}
}

// twin is the other name that some versions give a file with a large output: that of
// the task whose output it is.
func twin(file, temp string, uid int) string {
	session, file := filepath.Dir(filepath.Dir(file)), filepath.Base(file)
	project := filepath.Base(filepath.Dir(session))
	return filepath.Join(temp, "claude-"+strconv.Itoa(uid), project, filepath.Base(session), "tasks", strings.TrimSuffix(file, ".txt")+".output")
}

// lineTokens is how many tokens are in the context by a line of a transcript.
func lineTokens(line []byte) int64 {
	var l struct {
		Type    string `json:"type"`
		Subtype string `json:"subtype"`
		Side    bool   `json:"isSidechain"`
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
	}
	u := &l.Message.Usage
	switch err := json.Unmarshal(line, &l); {
	case err != nil: // the beginning of it is missing, or a field is something else
		return 0
	case l.Type == "assistant" && !l.Side && l.Message.Model != "<synthetic>":
		return u.Input + u.Read + u.Write + u.Output
	case l.Type == "system" && l.Subtype == "compact_boundary":
		return l.Compact.After
	default:
		return 0
	}
}
