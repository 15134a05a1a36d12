package copilot

import (
	"context"
	"encoding/json"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"kedge/internal/insight/audit"
	"kedge/internal/insight/transcript"
)

// kept is how it keeps what its sessions did.
func kept() transcript.Format {
	return transcript.Format{
		Agent: name, Place: "~/.copilot", Find: findKept, Read: readKept, Added: true,
		Is: func(h transcript.Head) bool { return h.Data != nil && strings.Contains(h.Type, ".") },
	}
}

var keptActs = map[string]audit.Act{
	"view": audit.Read, "edit": audit.Edit, "create": audit.Edit, "str_replace": audit.Edit, "bash": audit.Shell, "shell": audit.Shell,
}

// readKept reads the events of GitHub Copilot CLI. How it counts cached tokens is
// not documented: its usage is unknown.
func readKept(ctx context.Context, r io.Reader, o transcript.Options, emit transcript.Emit) (transcript.Meta, error) {
	c := &keptReader{Teller: transcript.Teller{Options: o, Emit: emit}}
	return transcript.ReadLines(ctx, r, &c.meta, c.line)
}

type keptReader struct {
	transcript.Teller
	meta  transcript.Meta
	model string
}

type keptLine struct {
	Type string   `json:"type"`
	ID   string   `json:"id"`
	At   string   `json:"timestamp"`
	Data keptData `json:"data"`
}

// keptData has the fields of all kinds of events.
type keptData struct {
	Session string `json:"sessionId"`
	Context struct {
		Dir    string `json:"cwd"`
		Branch string `json:"branch"`
	} `json:"context"`
	Model    string          `json:"model"`
	Selected string          `json:"selectedModel"`
	NewModel string          `json:"newModel"`
	NewMode  string          `json:"newMode"`
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

func (c *keptReader) line(n int, b []byte) bool {
	var l keptLine
	if !transcript.Decode(b, &l) {
		return false
	}
	c.N, c.At = n, transcript.Stamp(l.At)
	d := l.Data
	c.Give(audit.Entry{Kind: audit.Moment, Mode: d.NewMode, Branch: d.Context.Branch})
	c.model = transcript.First(d.NewModel, d.Selected, d.Model, c.model)
	switch l.Type {
	case "session.start":
		c.meta.ID, c.meta.Dir = transcript.First(c.meta.ID, d.Session), transcript.First(c.meta.Dir, d.Context.Dir)
	case "session.compaction_complete":
		c.Give(audit.Entry{Kind: audit.Compaction})
	case "user.message":
		c.Tell(audit.Entry{Kind: audit.UserText}, transcript.Texts(d.Content))
	case "assistant.message":
		c.reply(l)
	case "tool.execution_complete":
		failed := d.Success != nil && !*d.Success
		c.Tell(audit.Entry{Kind: audit.ToolResult, Call: d.Call, Failed: failed}, transcript.First(content(d.Result), content(d.Error)))
	}
	return true
}

func (c *keptReader) reply(l keptLine) {
	c.Give(audit.Entry{Kind: audit.Reply, Reply: l.ID, Model: c.model})
	c.Tell(audit.Entry{Kind: audit.Thinking}, l.Data.Thinking)
	c.Tell(audit.Entry{Kind: audit.AssistantText}, transcript.Texts(l.Data.Content))
	for _, r := range l.Data.Requests {
		c.Call(audit.Entry{Call: r.ID, Tool: r.Name, Act: keptActs[r.Name]}, r.Arguments)
	}
}

// content gives the text of a result or an error.
func content(raw json.RawMessage) string {
	var r struct {
		Content json.RawMessage `json:"content"`
		Message string          `json:"message"`
	}
	if json.Unmarshal(raw, &r) != nil {
		return transcript.Texts(raw)
	}
	return transcript.First(transcript.Texts(r.Content), r.Message)
}

func findKept(ctx context.Context, w transcript.Where) []transcript.File {
	list := transcript.Files(name, filepath.Join(transcript.Quoted(w.Home("", ".copilot")), "session-state", "*", "events.jsonl"))
	return slices.DeleteFunc(list, func(f transcript.File) bool { return !w.Worked(ctx, readKept, f.Path) })
}
