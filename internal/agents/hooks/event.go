package hooks

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"kedge"
	"kedge/internal/text/words"
)

// Input is what an agent tells on the input of a hook.
type Input struct {
	Agent      Agent
	Kind       kedge.HookEvent
	Name       string // the agent's own word for it
	Native     string // its id of the conversation
	Transcript string // its file of the conversation
	Dir        string
	Mode       string // plan, default, …
	Source     string // see kedge.HookData
	Tool       string
	Call       string
	Input      json.RawMessage
	Response   json.RawMessage
	Failed     bool
	Again      bool   // it stops for the second time, having been told to go on
	Ask        string // names the words of the person that it works on; empty: unknown
}

// wire is the input of Claude Code, Codex and Gemini, which took over each
// other's names.
type wire struct {
	Session    string          `json:"session_id"`
	Transcript string          `json:"transcript_path"`
	Dir        string          `json:"cwd"`
	Event      string          `json:"hook_event_name"`
	Mode       string          `json:"permission_mode"`
	Source     string          `json:"source"`
	Trigger    string          `json:"trigger"`
	Reason     string          `json:"reason"`
	Tool       string          `json:"tool_name"`
	Input      json.RawMessage `json:"tool_input"`
	Response   json.RawMessage `json:"tool_response"`
	Call       string          `json:"tool_use_id"`
	Active     bool            `json:"stop_hook_active"`

	Result json.RawMessage `json:"tool_result"` // of Copilot, in the place of the response

	PromptID string `json:"prompt_id"` // of Claude Code
	TurnID   string `json:"turn_id"`   // of Codex
	Prompt   string `json:"prompt"`    // of Gemini
}

// ask names the words of the person that an agent works on.
func (w wire) ask() string {
	if w.Prompt == "" {
		return cmp.Or(w.PromptID, w.TurnID)
	}
	sum := sha256.Sum256([]byte(w.Prompt))
	return hex.EncodeToString(sum[:8])
}

// kindOf says what an agent's word for an event means; empty: nothing that Kedge
// wants to know.
func kindOf(name string) kedge.HookEvent {
	switch name {
	case "SessionStart":
		return kedge.HookStart
	case "PreToolUse", "BeforeTool":
		return kedge.HookBefore
	case "PostToolUse", "PostToolUseFailure", "AfterTool":
		return kedge.HookTool
	case "PreCompact", "PreCompress":
		return kedge.HookCompact
	case "PostCompact":
		return kedge.HookCompacted
	case "Stop", "AfterAgent":
		return kedge.HookStop
	case "SessionEnd":
		return kedge.HookEnd
	default:
		return ""
	}
}

// Parse reads the input of a hook. Names that are not known are passed over:
// agents add some with every version.
func Parse(agent Agent, input []byte) (Input, error) {
	if len(bytes.TrimSpace(input)) == 0 {
		return Input{}, kedge.Errorf(kedge.Invalid, "%s started Kedge's hook, but sent nothing to the hook", agent.Name)
	}
	var w wire
	if err := json.Unmarshal(input, &w); err != nil {
		return Input{}, kedge.Errorf(kedge.Invalid, "Kedge's hook does not understand what %s sent: %w", agent.Name, err)
	}
	ev := Input{
		Agent: agent, Kind: kindOf(w.Event), Name: w.Event, Native: w.Session, Transcript: w.Transcript, Dir: w.Dir, Mode: w.Mode,
		Tool: w.Tool, Call: w.Call, Input: w.Input, Response: w.Response, Again: w.Active, Ask: w.ask(),
	}
	if len(ev.Response) == 0 {
		ev.Response = w.Result
	}
	switch ev.Kind {
	case kedge.HookStart:
		ev.Source = w.Source
		if w.Source == "new" { // Copilot's word for it
			ev.Source = "startup"
		}
	case kedge.HookCompact, kedge.HookCompacted:
		ev.Source = w.Trigger
	case kedge.HookEnd:
		ev.Source = w.Reason
	case kedge.HookTool:
		ev.Failed = failed(w) || agent.Failed != nil && agent.Failed(ev.Response)
	default:
	}
	return ev, nil
}

// failed tells whether a tool failed.
func failed(w wire) bool {
	if w.Event == "PostToolUseFailure" {
		return true
	}
	var r struct {
		Error json.RawMessage `json:"error"`
	}
	_ = json.Unmarshal(w.Response, &r) // a response of another shape tells nothing
	return len(r.Error) > 0 && string(r.Error) != "null"
}

// Line is the command of a tool that runs one; empty for others.
func (ev Input) Line() string {
	var in struct {
		Command json.RawMessage `json:"command"`
	}
	if json.Unmarshal(ev.Input, &in) != nil {
		return ""
	}
	var line string
	if json.Unmarshal(in.Command, &line) == nil {
		return line
	}
	var words []string
	if json.Unmarshal(in.Command, &words) != nil {
		return ""
	}
	return strings.Join(words, " ")
}

// Brief is the input of a tool, short enough to be written down.
func (ev Input) Brief() string {
	const most = 600
	text := ev.Line()
	if text == "" {
		text = string(ev.Input)
	}
	return words.ClipBytes(text, most)
}

// Sum names what a tool gave, so that two calls that gave the same can be told from two
// that did not; empty where it gave nothing.
func (ev Input) Sum() string {
	if len(ev.Response) == 0 {
		return ""
	}
	sum := sha256.Sum256(ev.Response)
	return hex.EncodeToString(sum[:8])
}
