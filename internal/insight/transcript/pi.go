package transcript

import (
	"context"
	"encoding/json"
	"io"

	"kedge/internal/insight/audit"
)

var piActs = map[string]audit.Act{"read": audit.Read, "write": audit.Edit, "edit": audit.Edit, "bash": audit.Shell}

// pi reads the sessions of Pi, all lines in their order, although they are a
// tree. What a reply cost is in them.
func pi(ctx context.Context, r io.Reader, o Options, emit Emit) (Meta, error) {
	p := &piReader{teller: teller{Options: o, emit: emit}}
	skipped, err := eachLine(ctx, r, p.line)
	p.meta.Skipped = skipped
	p.meta.Unseen = []string{"rules", "tool_schemas"}
	return p.meta, err
}

type piReader struct {
	teller
	meta Meta
}

type piLine struct {
	Type    string `json:"type"`
	ID      string `json:"id"`
	At      string `json:"timestamp"`
	Dir     string `json:"cwd"`
	Summary string `json:"summary"`
	Message struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
		Model   string          `json:"model"`
		Usage   *piUsage        `json:"usage"`
		Call    string          `json:"toolCallId"`
		Failed  bool            `json:"isError"`
	} `json:"message"`
}

// piUsage counts cached tokens apart from the input.
type piUsage struct {
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cacheRead"`
	CacheWrite int64 `json:"cacheWrite"`
	Cost       struct {
		Total *float64 `json:"total"`
	} `json:"cost"`
}

func (p *piReader) line(n int, b []byte) bool {
	var l piLine
	if !decode(b, &l) {
		return false
	}
	p.n, p.at = n, stamp(l.At)
	p.give(audit.Entry{Kind: audit.Moment})
	switch l.Type {
	case "session":
		p.meta.ID, p.meta.Dir = first(p.meta.ID, l.ID), first(p.meta.Dir, l.Dir)
	case "compaction":
		p.give(audit.Entry{Kind: audit.Compaction})
		p.tell(audit.Entry{Kind: audit.UserText, Summary: true}, l.Summary)
	case "message":
		p.message(l)
	}
	return true
}

func (p *piReader) message(l piLine) {
	m := l.Message
	switch m.Role {
	case "user":
		p.tell(audit.Entry{Kind: audit.UserText}, texts(m.Content))
	case "toolResult":
		p.tell(audit.Entry{Kind: audit.ToolResult, Call: m.Call, Failed: m.Failed}, texts(m.Content))
	case "assistant":
		e := audit.Entry{Kind: audit.Reply, Reply: l.ID, Model: m.Model}
		if u := m.Usage; u != nil {
			e.Usage = &audit.Usage{Input: u.Input, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, Output: u.Output}
			e.USD = u.Cost.Total
		}
		p.give(e)
		p.blocks(m.Content)
	}
}

func (p *piReader) blocks(raw json.RawMessage) {
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
			p.tell(audit.Entry{Kind: audit.AssistantText}, b.Text)
		case "thinking":
			p.tell(audit.Entry{Kind: audit.Thinking}, b.Thinking)
		case "toolCall":
			p.call(audit.Entry{Call: b.ID, Tool: b.Name, Act: piActs[b.Name]}, b.Arguments)
		}
	}
}
