package hooks

import (
	"encoding/json"
	"strings"
)

// copilot reads every file of a folder: one is Kedge's. It was made with 1.0.102,
// which takes the names of Claude Code for events and then tells much the same.
func copilot() Agent {
	return Agent{Name: "copilot", Replaces: true, whole: copilotHooks}
}

func copilotHooks(w Wish) string {
	type hook struct {
		Type    string      `json:"type"`
		Bash    string      `json:"bash"`
		Seconds json.Number `json:"timeoutSec"`
	}
	all := struct {
		Version int               `json:"version"`
		Hooks   map[string][]hook `json:"hooks"`
	}{1, map[string][]hook{}}
	for _, x := range []entry{
		{"SessionStart", "", usual}, {"PostToolUse", "", usual}, {"PostToolUseFailure", "", usual}, {"PreCompact", "", usual}, {"Stop", "", gated}, {"SessionEnd", "", usual},
	} {
		all.Hooks[x.event] = []hook{{Type: "command", Bash: w.command("copilot"), Seconds: json.Number(x.timeout)}}
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	_ = e.Encode(all) // of texts and numbers
	return b.String()
}

// copilotResult is what a tool of Copilot's gave.
type copilotResult struct {
	Type string `json:"result_type"`
	Text string `json:"text_result_for_llm"`
}

func copilotOf(response json.RawMessage) (r copilotResult, ok bool) {
	return r, json.Unmarshal(response, &r) == nil && r.Type != ""
}

// file has all of an output of which the model is shown a few lines; empty where it is
// shown all. A command may print the same words: whoever reads the file looks first
// whether it is one of Copilot's.
func (r copilotResult) file() string {
	line, _, _ := strings.Cut(r.Text, "\n")
	if !strings.HasPrefix(line, "Output too large to read at once (") {
		return ""
	}
	_, file, _ := strings.Cut(line, "Saved to: ")
	return strings.TrimSpace(file)
}

// end is the line that says how a command ended; empty where there is none.
func (r copilotResult) end() string {
	text := strings.TrimRight(r.Text, "\n")
	line := text[strings.LastIndexByte(text, '\n')+1:]
	if !strings.HasPrefix(line, "<shellId: ") {
		return ""
	}
	return line + "\n"
}

// copilotFailed tells whether a tool failed: of a command only its last line says so.
func copilotFailed(response json.RawMessage) bool {
	r, ok := copilotOf(response)
	if !ok {
		return false
	}
	_, code, ended := strings.Cut(strings.TrimSpace(r.end()), " completed with exit code ")
	return r.Type != "success" || ended && code != "0>"
}
