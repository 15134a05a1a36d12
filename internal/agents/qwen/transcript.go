package qwen

import (
	"context"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"kedge/internal/agents/gemini"
	"kedge/internal/insight/audit"
	"kedge/internal/insight/transcript"
)

// kept is how it keeps what its sessions did.
func kept() transcript.Format {
	return transcript.Format{
		Agent: name, Place: "~/.qwen", Find: findKept, Read: readKept, Added: true,
		Is: func(h transcript.Head) bool { return h.Message.Parts != nil || h.Usage != nil },
	}
}

// readKept reads the sessions of Qwen Code.
func readKept(ctx context.Context, r io.Reader, o transcript.Options, emit transcript.Emit) (transcript.Meta, error) {
	q := &keptReader{Teller: transcript.Teller{Options: o, Emit: emit}}
	return transcript.ReadLines(ctx, r, &q.meta, q.line)
}

// hides tells whether a version asks a model for things that it neither tells nor writes
// down: whether a tool may run, what to remember, what you could ask next. 0.15.10 does
// not, 0.21.2 does.
func hides(version string) bool {
	major, rest, _ := strings.Cut(version, ".")
	minor, _, _ := strings.Cut(rest, ".")
	n, err := strconv.Atoi(minor)
	return version != "" && (major != "0" || err != nil || n > 15)
}

type keptReader struct {
	transcript.Teller
	meta transcript.Meta
}

type keptLine struct {
	ID      string `json:"uuid"`
	Session string `json:"sessionId"`
	Dir     string `json:"cwd"`
	Branch  string `json:"gitBranch"`
	At      string `json:"timestamp"`
	Type    string `json:"type"`
	Subtype string `json:"subtype"`
	Model   string `json:"model"`
	Version string `json:"version"`
	Message struct {
		Parts []gemini.Part `json:"parts"`
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

func (q *keptReader) line(n int, b []byte) bool {
	var l keptLine
	if q.meta.ID != "" && q.Passes(b, `"usageMetadata"`) {
		return true
	}
	if !transcript.Decode(b, &l) {
		return false
	}
	q.meta.ID, q.meta.Dir = transcript.First(q.meta.ID, l.Session), transcript.First(q.meta.Dir, l.Dir)
	q.N, q.At = n, transcript.Stamp(l.At)
	q.Give(audit.Entry{Kind: audit.Moment, Branch: l.Branch})
	switch l.Type {
	case "assistant":
		q.meta.Partial = q.meta.Partial || hides(l.Version)
		q.reply(l)
	case "system":
		if l.Subtype == "chat_compression" {
			q.Give(audit.Entry{Kind: audit.Compaction})
		}
	}
	for _, p := range l.Message.Parts {
		q.part(l, p)
	}
	return true
}

func (q *keptReader) reply(l keptLine) {
	e := audit.Entry{Kind: audit.Reply, Reply: l.ID, Model: l.Model}
	if u := l.Usage; u != nil {
		cached := min(u.Cached, u.Prompt)
		e.Usage = &audit.Usage{Input: u.Prompt - cached, CacheRead: cached, Output: u.Candidates + u.Thoughts}
	}
	q.Give(e)
}

func (q *keptReader) part(l keptLine, p gemini.Part) {
	switch {
	case p.Function != nil:
		f := p.Function
		q.Call(audit.Entry{Call: f.ID, Tool: f.Name, Act: gemini.Acts[f.Name]}, f.Args)
	case p.Response != nil:
		text, failed := gemini.Outcome(p.Response.Response)
		q.Tell(audit.Entry{Kind: audit.ToolResult, Call: p.Response.ID, Failed: failed || l.Result.Status == "error"}, text)
	case l.Type == "assistant" && p.Thought:
		q.Tell(audit.Entry{Kind: audit.Thinking}, p.Text)
	case l.Type == "assistant":
		q.Tell(audit.Entry{Kind: audit.AssistantText}, p.Text)
	case l.Type == "user":
		q.Tell(audit.Entry{Kind: audit.UserText}, p.Text)
	}
}

func findKept(_ context.Context, w transcript.Where) []transcript.File {
	var patterns []string
	for _, dir := range w.Dirs {
		patterns = append(patterns, filepath.Join(transcript.Quoted(w.Home("", ".qwen")), "projects", transcript.Slug(dir), "chats", "*.jsonl"))
	}
	if w.All {
		patterns = []string{filepath.Join(transcript.Quoted(w.Home("", ".qwen")), "projects", "*", "chats", "*.jsonl")}
	}
	return transcript.Files(name, patterns...)
}
