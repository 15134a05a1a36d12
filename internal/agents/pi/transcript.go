package pi

import (
	"context"
	"encoding/json"
	"io"
	"path/filepath"
	"strings"

	"kedge/internal/insight/audit"
	"kedge/internal/insight/transcript"
)

// kept is how it keeps what its sessions did.
func kept() transcript.Format {
	return transcript.Format{
		Agent: name, Place: "~/.pi/agent, or PI_CODING_AGENT_DIR", Variables: []string{"PI_CODING_AGENT_DIR"}, Find: findKept, Read: readKept, Added: true,
		Is: func(h transcript.Head) bool { return h.Type == "session" && h.Dir != "" },
	}
}

var keptActs = map[string]audit.Act{"read": audit.Read, "write": audit.Edit, "edit": audit.Edit, "bash": audit.Shell}

// readKept reads the sessions of Pi, all lines in their order, although they are a
// tree. What a reply cost is in them.
func readKept(ctx context.Context, r io.Reader, o transcript.Options, emit transcript.Emit) (transcript.Meta, error) {
	p := &keptReader{Teller: transcript.Teller{Options: o, Emit: emit}}
	return transcript.ReadLines(ctx, r, &p.meta, p.line)
}

type keptReader struct {
	transcript.Teller
	meta transcript.Meta
}

type keptLine struct {
	Type    string `json:"type"`
	ID      string `json:"id"`
	At      string `json:"timestamp"`
	Dir     string `json:"cwd"`
	Summary string `json:"summary"`
	Message struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
		Model   string          `json:"model"`
		Usage   *keptUsage      `json:"usage"`
		Call    string          `json:"toolCallId"`
		Failed  bool            `json:"isError"`
	} `json:"message"`
}

// keptUsage counts cached tokens apart from the input.
type keptUsage struct {
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cacheRead"`
	CacheWrite int64 `json:"cacheWrite"`
	Cost       struct {
		Total *float64 `json:"total"`
	} `json:"cost"`
}

func (p *keptReader) line(n int, b []byte) bool {
	var l keptLine
	if p.Passes(b, `"usage"`, `"session"`) {
		return true
	}
	if !transcript.Decode(b, &l) {
		return false
	}
	p.N, p.At = n, transcript.Stamp(l.At)
	p.Give(audit.Entry{Kind: audit.Moment})
	switch l.Type {
	case "session":
		p.meta.ID, p.meta.Dir = transcript.First(p.meta.ID, l.ID), transcript.First(p.meta.Dir, l.Dir)
	case "compaction":
		p.Give(audit.Entry{Kind: audit.Compaction})
		p.Tell(audit.Entry{Kind: audit.UserText, Summary: true}, l.Summary)
	case "message":
		p.message(l)
	}
	return true
}

func (p *keptReader) message(l keptLine) {
	m := l.Message
	switch m.Role {
	case "user":
		p.Tell(audit.Entry{Kind: audit.UserText}, transcript.Texts(m.Content))
	case "toolResult":
		p.Tell(audit.Entry{Kind: audit.ToolResult, Call: m.Call, Failed: m.Failed}, transcript.Texts(m.Content))
	case "assistant":
		e := audit.Entry{Kind: audit.Reply, Reply: l.ID, Model: m.Model}
		if u := m.Usage; u != nil {
			e.Usage = &audit.Usage{Input: u.Input, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, Output: u.Output}
			e.USD = u.Cost.Total
		}
		p.Give(e)
		p.blocks(m.Content)
	}
}

func (p *keptReader) blocks(raw json.RawMessage) {
	var list []struct {
		Type      string          `json:"type"`
		Text      string          `json:"text"`
		Thinking  string          `json:"thinking"`
		ID        string          `json:"id"`
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	_ = json.Unmarshal(raw, &list) // what has another form has no blocks
	for _, b := range list {
		switch b.Type {
		case "text":
			p.Tell(audit.Entry{Kind: audit.AssistantText}, b.Text)
		case "thinking":
			p.Tell(audit.Entry{Kind: audit.Thinking}, b.Thinking)
		case "toolCall":
			p.Call(audit.Entry{Call: b.ID, Tool: b.Name, Act: keptActs[b.Name]}, b.Arguments)
		}
	}
}

func findKept(_ context.Context, w transcript.Where) []transcript.File {
	root := transcript.Quoted(w.Home("PI_CODING_AGENT_DIR", ".pi", "agent"))
	var patterns []string
	for _, dir := range w.Dirs {
		name := "--" + strings.NewReplacer("/", "-", `\`, "-", ":", "-").Replace(strings.TrimPrefix(dir, "/")) + "--"
		patterns = append(patterns, filepath.Join(root, "sessions", transcript.Quoted(name), "*.jsonl"))
	}
	if w.All {
		patterns = []string{filepath.Join(root, "sessions", "*", "*.jsonl")}
	}
	return transcript.Files(name, patterns...)
}
