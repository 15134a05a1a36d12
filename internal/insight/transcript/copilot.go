package transcript

import (
	"context"
	"encoding/json"
	"io"

	"kedge/internal/insight/audit"
)

var copilotActs = map[string]audit.Act{
	"view": audit.Read, "edit": audit.Edit, "create": audit.Edit, "str_replace": audit.Edit, "bash": audit.Shell, "shell": audit.Shell,
}

// copilot reads the events of GitHub Copilot CLI. How it counts cached tokens is
// not documented: its usage is unknown.
func copilot(ctx context.Context, r io.Reader, o Options, emit Emit) (Meta, error) {
	c := &copilotReader{teller: teller{Options: o, emit: emit}}
	skipped, err := eachLine(ctx, r, c.line)
	c.meta.Skipped = skipped
	c.meta.Unseen = []string{"rules", "tool_schemas"}
	return c.meta, err
}

type copilotReader struct {
	teller
	meta  Meta
	model string
}

type copilotLine struct {
	Type string      `json:"type"`
	ID   string      `json:"id"`
	At   string      `json:"timestamp"`
	Data copilotData `json:"data"`
}

// copilotData has the fields of all kinds of events.
type copilotData struct {
	Session string `json:"sessionId"`
	Context struct {
		Dir string `json:"cwd"`
	} `json:"context"`
	Model    string          `json:"model"`
	Selected string          `json:"selectedModel"`
	NewModel string          `json:"newModel"`
	Content  json.RawMessage `json:"content"`
	Thinking string          `json:"reasoningText"`
	Requests []struct {
		ID        string          `json:"toolCallId"`
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"toolRequests"`
	Call    string          `json:"toolCallId"`
	Success *bool           `json:"success"`
	Result  json.RawMessage `json:"result"`
	Error   json.RawMessage `json:"error"`
}

func (c *copilotReader) line(n int, b []byte) bool {
	var l copilotLine
	if !decode(b, &l) {
		return false
	}
	c.n, c.at = n, stamp(l.At)
	c.give(audit.Entry{Kind: audit.Moment})
	d := l.Data
	c.model = first(d.NewModel, d.Selected, d.Model, c.model)
	switch l.Type {
	case "session.start":
		c.meta.ID, c.meta.Dir = first(c.meta.ID, d.Session), first(c.meta.Dir, d.Context.Dir)
	case "session.compaction_complete":
		c.give(audit.Entry{Kind: audit.Compaction})
	case "user.message":
		c.tell(audit.Entry{Kind: audit.UserText}, texts(d.Content))
	case "assistant.message":
		c.reply(l)
	case "tool.execution_complete":
		failed := d.Success != nil && !*d.Success
		c.tell(audit.Entry{Kind: audit.ToolResult, Call: d.Call, Failed: failed}, first(content(d.Result), content(d.Error)))
	}
	return true
}

func (c *copilotReader) reply(l copilotLine) {
	c.give(audit.Entry{Kind: audit.Reply, Reply: l.ID, Model: c.model})
	c.tell(audit.Entry{Kind: audit.Thinking}, l.Data.Thinking)
	c.tell(audit.Entry{Kind: audit.AssistantText}, texts(l.Data.Content))
	for _, r := range l.Data.Requests {
		c.call(audit.Entry{Call: r.ID, Tool: r.Name, Act: copilotActs[r.Name]}, r.Arguments)
	}
}

// content gives the text of a result or an error.
func content(raw json.RawMessage) string {
	var r struct {
		Content json.RawMessage `json:"content"`
		Message string          `json:"message"`
	}
	if json.Unmarshal(raw, &r) != nil {
		return texts(raw)
	}
	return first(texts(r.Content), r.Message)
}
