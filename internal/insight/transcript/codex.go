package transcript

import (
	"context"
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"kedge/internal/insight/audit"
)

var codexActs = map[string]audit.Act{
	"shell": audit.Shell, "shell_command": audit.Shell, "exec_command": audit.Shell, "local_shell": audit.Shell, "apply_patch": audit.Edit,
}

// codex reads the rollouts of Codex. Files are read by shell commands there, so
// that no reads can be told; what its tools are is not in them.
func codex(ctx context.Context, r io.Reader, o Options, emit Emit) (Meta, error) {
	c := &codexReader{teller: teller{Options: o, emit: emit}}
	skipped, err := eachLine(ctx, r, c.line)
	c.meta.Skipped = skipped
	c.meta.Unseen = []string{"tool_schemas"}
	return c.meta, err
}

type codexReader struct {
	teller
	meta  Meta
	model string
}

type codexLine struct {
	At      string       `json:"timestamp"`
	Type    string       `json:"type"`
	Payload codexPayload `json:"payload"`
}

// codexPayload has the fields of all kinds of lines.
type codexPayload struct {
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	Dir       string          `json:"cwd"`
	Model     string          `json:"model"`
	Message   json.RawMessage `json:"message"`
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	Summary   json.RawMessage `json:"summary"`
	Name      string          `json:"name"`
	Arguments string          `json:"arguments"`
	Input     string          `json:"input"`
	Action    json.RawMessage `json:"action"`
	Call      string          `json:"call_id"`
	Output    json.RawMessage `json:"output"`
	Info      *codexInfo      `json:"info"`
	Usage     *codexUsage     `json:"usage"`              // of one reply, written down as soon as it is there
	Thread    codexUsage      `json:"thread_token_usage"` // likewise: the sum so far
	Tools     []codexTool     `json:"dynamic_tools"`
}

// codexTool is a tool that a client gave to a session, with its schema. Those of
// Codex itself are not written down.
type codexTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"inputSchema"`
}

type codexInfo struct {
	Total codexUsage `json:"total_token_usage"`
	Last  codexUsage `json:"last_token_usage"`
}

// codexUsage counts cached tokens as part of the input.
type codexUsage struct {
	Input  int64 `json:"input_tokens"`
	Cached int64 `json:"cached_input_tokens"`
	Output int64 `json:"output_tokens"`
	Total  int64 `json:"total_tokens"`
}

func (c *codexReader) line(n int, b []byte) bool {
	var l codexLine
	if !decode(b, &l) {
		return false
	}
	c.n, c.at = n, stamp(l.At)
	c.give(audit.Entry{Kind: audit.Moment})
	p := l.Payload
	switch l.Type {
	case "session_meta":
		c.meta.ID, c.meta.Dir = first(c.meta.ID, p.ID), first(c.meta.Dir, p.Dir)
		for _, t := range p.Tools {
			c.give(audit.Entry{Kind: audit.Offered, Tool: t.Name, Chars: utf8.RuneCountInString(t.Description) + compact(t.Schema)})
		}
	case "turn_context":
		c.model = first(p.Model, c.model)
	case "compacted":
		c.give(audit.Entry{Kind: audit.Compaction})
		c.tell(audit.Entry{Kind: audit.UserText, Summary: true}, words(p.Message))
	case "response_item":
		c.item(p)
	case "token_usage_record": // the count comes when the reply's tools are over, and replaces it
		if p.Usage != nil {
			c.used(codexInfo{Total: p.Thread, Last: *p.Usage})
		}
	case "event_msg":
		if p.Type == "token_count" && p.Info != nil {
			c.used(*p.Info)
		}
	}
	return true
}

// used gives a reply. The same count comes again with news about limits, so
// that the sum so far names the reply.
func (c *codexReader) used(i codexInfo) {
	cached := min(i.Last.Cached, i.Last.Input)
	c.give(audit.Entry{
		Kind: audit.Reply, Reply: strconv.FormatInt(i.Total.Total, 10), Model: c.model,
		Usage: &audit.Usage{Input: i.Last.Input - cached, CacheRead: cached, Output: i.Last.Output},
	})
}

func (c *codexReader) item(p codexPayload) {
	switch p.Type {
	case "message":
		c.message(p)
	case "reasoning":
		c.tell(audit.Entry{Kind: audit.Thinking}, texts(p.Summary)+texts(p.Content))
	case "function_call":
		c.call(audit.Entry{Call: p.Call, Tool: p.Name, Act: codexActs[p.Name]}, []byte(p.Arguments))
	case "local_shell_call":
		c.call(audit.Entry{Call: p.Call, Tool: "local_shell", Act: audit.Shell}, p.Action)
	case "custom_tool_call":
		c.tell(audit.Entry{Kind: audit.ToolCall, Call: p.Call, Tool: p.Name, Act: codexActs[p.Name], Path: patched(p.Input)}, p.Input)
	case "function_call_output", "custom_tool_call_output":
		text, failed := codexOutput(p.Output)
		c.tell(audit.Entry{Kind: audit.ToolResult, Call: p.Call, Failed: failed}, text)
	}
}

func (c *codexReader) message(p codexPayload) {
	s := texts(p.Content)
	if p.Role == "assistant" {
		c.tell(audit.Entry{Kind: audit.AssistantText}, s)
		return
	}
	rules := p.Role != "user" || strings.HasPrefix(s, "<user_instructions>") || strings.HasPrefix(s, "# AGENTS.md instructions") ||
		strings.HasPrefix(s, "<environment_context>")
	c.tell(audit.Entry{Kind: audit.UserText, Rules: rules}, s)
}

// texts gives a string, or the texts of a list of parts, joined.
func texts(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		return ""
	}
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

// patched gives the first file of a patch.
func patched(patch string) string {
	for line := range strings.Lines(patch) {
		for _, head := range []string{"*** Update File: ", "*** Add File: ", "*** Delete File: "} {
			if path, ok := strings.CutPrefix(line, head); ok {
				return strings.TrimSpace(path)
			}
		}
	}
	return ""
}

// codexOutput gives what a tool gave, and whether its command failed. Versions
// differ: a text that starts with the exit code, or JSON in a text.
func codexOutput(raw json.RawMessage) (text string, failed bool) {
	text = texts(raw)
	var wrapped struct {
		Output   *string `json:"output"`
		Metadata struct {
			ExitCode int `json:"exit_code"`
		} `json:"metadata"`
	}
	if json.Unmarshal([]byte(text), &wrapped) == nil && wrapped.Output != nil {
		return *wrapped.Output, wrapped.Metadata.ExitCode != 0
	}
	for _, head := range []string{"Exit code: ", "Process exited with code "} {
		if _, rest, ok := strings.Cut(cutAt(text, 400), head); ok {
			return text, !strings.HasPrefix(rest, "0")
		}
	}
	return text, false
}

func cutAt(s string, n int) string { return s[:min(n, len(s))] }
