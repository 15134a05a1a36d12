package transcript

import (
	"context"
	"io"

	"kedge/internal/insight/audit"
)

// qwen reads the sessions of Qwen Code.
func qwen(ctx context.Context, r io.Reader, o Options, emit Emit) (Meta, error) {
	q := &qwenReader{teller: teller{Options: o, emit: emit}}
	skipped, err := eachLine(ctx, r, q.line)
	q.meta.Skipped = skipped
	q.meta.Unseen = []string{"rules", "tool_schemas"}
	return q.meta, err
}

type qwenReader struct {
	teller
	meta Meta
}

type qwenLine struct {
	ID      string `json:"uuid"`
	Session string `json:"sessionId"`
	Dir     string `json:"cwd"`
	At      string `json:"timestamp"`
	Type    string `json:"type"`
	Subtype string `json:"subtype"`
	Model   string `json:"model"`
	Message struct {
		Parts []part `json:"parts"`
	} `json:"message"`
	Usage *struct {
		Prompt     int64 `json:"promptTokenCount"`
		Cached     int64 `json:"cachedContentTokenCount"`
		Candidates int64 `json:"candidatesTokenCount"`
		Thoughts   int64 `json:"thoughtsTokenCount"`
	} `json:"usageMetadata"`
	Result struct {
		Status string `json:"status"`
	} `json:"toolCallResult"`
}

func (q *qwenReader) line(n int, b []byte) bool {
	var l qwenLine
	if !decode(b, &l) {
		return false
	}
	q.meta.ID, q.meta.Dir = first(q.meta.ID, l.Session), first(q.meta.Dir, l.Dir)
	q.n, q.at = n, stamp(l.At)
	q.give(audit.Entry{Kind: audit.Moment})
	switch l.Type {
	case "assistant":
		q.reply(l)
	case "system":
		if l.Subtype == "chat_compression" {
			q.give(audit.Entry{Kind: audit.Compaction})
		}
	}
	for _, p := range l.Message.Parts {
		q.part(l, p)
	}
	return true
}

func (q *qwenReader) reply(l qwenLine) {
	e := audit.Entry{Kind: audit.Reply, Reply: l.ID, Model: l.Model}
	if u := l.Usage; u != nil {
		cached := min(u.Cached, u.Prompt)
		e.Usage = &audit.Usage{Input: u.Prompt - cached, CacheRead: cached, Output: u.Candidates + u.Thoughts}
	}
	q.give(e)
}

func (q *qwenReader) part(l qwenLine, p part) {
	switch {
	case p.Function != nil:
		f := p.Function
		q.call(audit.Entry{Call: f.ID, Tool: f.Name, Act: geminiActs[f.Name]}, f.Args)
	case p.Response != nil:
		text, failed := outcome(p.Response.Response)
		q.tell(audit.Entry{Kind: audit.ToolResult, Call: p.Response.ID, Failed: failed || l.Result.Status == "error"}, text)
	case l.Type == "assistant" && p.Thought:
		q.tell(audit.Entry{Kind: audit.Thinking}, p.Text)
	case l.Type == "assistant":
		q.tell(audit.Entry{Kind: audit.AssistantText}, p.Text)
	case l.Type == "user":
		q.tell(audit.Entry{Kind: audit.UserText}, p.Text)
	}
}
