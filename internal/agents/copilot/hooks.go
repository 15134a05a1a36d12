package copilot

import (
	"encoding/json"
	"path"
	"strings"

	"kedge/internal/agents/hooks"
)

// hooked is how its hooks are used. It reads every file of a folder: one is Kedge's. It
// was made with 1.0.102, which takes the names of Claude Code for events and then tells
// much the same.
func hooked() hooks.Agent {
	return hooks.Agent{
		Name: name, Replaces: true, File: hooksFile, Keeps: keeps,
		Settings: hooks.Settings{Variable: "COPILOT_HOME", Folder: ".copilot", File: "hooks/kedge.json"},
		Dialect: hooks.Dialect{
			Context: func(text string) hooks.Object { return hooks.Object{"additionalContext": text} },
			Failed:  toolFailed,
			Output: func(response json.RawMessage) (text, file string, ok bool) {
				r, ok := resultOf(response)
				return r.Text, r.file(), ok
			},
			Replace: func(response json.RawMessage, text string) hooks.Object {
				r, _ := resultOf(response)
				return hooks.Object{"modifiedResult": hooks.Object{"resultType": r.Type, "textResultForLlm": text + r.end()}}
			},
		},
	}
}

// keeps: it puts outputs that are too large beside other temporary files, under a name
// of its own.
func keeps(dir, file, temp string) bool {
	before, _, named := strings.Cut(file, "copilot-tool-output-")
	return named && strings.Trim(before, "0123456789-") == "" && strings.HasSuffix(file, ".txt") && path.Clean(dir) == path.Clean(temp)
}

func hooksFile(w hooks.Wish) string {
	type hook struct {
		Type    string      `json:"type"`
		Bash    string      `json:"bash"`
		Seconds json.Number `json:"timeoutSec"`
	}
	all := struct {
		Version int               `json:"version"`
		Hooks   map[string][]hook `json:"hooks"`
	}{1, map[string][]hook{}}
	for _, x := range []hooks.Entry{
		{Event: "SessionStart", Timeout: hooks.Usual},
		{Event: "PostToolUse", Timeout: hooks.Usual},
		{Event: "PostToolUseFailure", Timeout: hooks.Usual},
		{Event: "PreCompact", Timeout: hooks.Usual},
		{Event: "Stop", Timeout: hooks.Gated},
		{Event: "SessionEnd", Timeout: hooks.Usual},
	} {
		all.Hooks[x.Event] = []hook{{Type: "command", Bash: w.Command(name), Seconds: json.Number(x.Timeout)}}
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	_ = e.Encode(all) // of texts and numbers
	return b.String()
}

// toolResult is what a tool gave.
type toolResult struct {
	Type string `json:"result_type"`
	Text string `json:"text_result_for_llm"`
}

func resultOf(response json.RawMessage) (r toolResult, ok bool) {
	return r, json.Unmarshal(response, &r) == nil && r.Type != ""
}

// file has all of an output of which the model is shown a few lines; empty where it is
// shown all. A command may print the same words: whoever reads the file looks first
// whether it is one of Copilot's.
func (r toolResult) file() string {
	line, _, _ := strings.Cut(r.Text, "\n")
	if !strings.HasPrefix(line, "Output too large to read at once (") {
		return ""
	}
	_, file, _ := strings.Cut(line, "Saved to: ")
	return strings.TrimSpace(file)
}

// end is the line that says how a command ended; empty where there is none.
func (r toolResult) end() string {
	text := strings.TrimRight(r.Text, "\n")
	line := text[strings.LastIndexByte(text, '\n')+1:]
	if !strings.HasPrefix(line, "<shellId: ") {
		return ""
	}
	return line + "\n"
}

// toolFailed tells whether a tool failed: of a command only its last line says so.
func toolFailed(response json.RawMessage) bool {
	r, ok := resultOf(response)
	if !ok {
		return false
	}
	_, code, ended := strings.Cut(strings.TrimSpace(r.end()), " completed with exit code ")
	return r.Type != "success" || ended && code != "0>"
}
