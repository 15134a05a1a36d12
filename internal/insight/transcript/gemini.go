package transcript

import (
	"context"
	"encoding/json"
	"io"

	"kedge/internal/insight/audit"
)

// geminiActs are the tools of Gemini CLI, and of Qwen Code, which grew from it.
var geminiActs = map[string]audit.Act{
	"read_file": audit.Read, "write_file": audit.Edit, "replace": audit.Edit, "edit": audit.Edit, "run_shell_command": audit.Shell,
}

// gemini reads the sessions of Gemini CLI. A later line with the id of an
// earlier one replaces it, so that entries are given at the end; they are kept
// without their texts unless those are asked for.
func gemini(ctx context.Context, r io.Reader, o Options, emit Emit) (Meta, error) {
	g := &geminiReader{said: map[string][]audit.Entry{}}
	g.teller = teller{Options: o, emit: func(e *audit.Entry) { g.now = append(g.now, *e) }}
	skipped, err := eachLine(ctx, r, g.line)
	g.meta.Skipped = skipped
	g.meta.Unseen = []string{"rules", "tool_schemas"}
	for _, id := range g.order {
		for i := range g.said[id] {
			emit(&g.said[id][i])
		}
	}
	return g.meta, err
}

type geminiReader struct {
	teller
	meta  Meta
	now   []audit.Entry
	said  map[string][]audit.Entry
	order []string
}

type geminiLine struct {
	Session  string          `json:"sessionId"`
	Start    string          `json:"startTime"`
	ID       string          `json:"id"`
	At       string          `json:"timestamp"`
	Type     string          `json:"type"`
	Content  json.RawMessage `json:"content"`
	Model    string          `json:"model"`
	Thoughts []struct {
		Subject     string `json:"subject"`
		Description string `json:"description"`
	} `json:"thoughts"`
	Tokens *geminiTokens `json:"tokens"`
	Calls  []geminiCall  `json:"toolCalls"`
}

// geminiTokens counts cached tokens as part of the input.
type geminiTokens struct {
	Input    int64 `json:"input"`
	Output   int64 `json:"output"`
	Cached   int64 `json:"cached"`
	Thoughts int64 `json:"thoughts"`
}

type geminiCall struct {
	ID     string          `json:"id"`
	Name   string          `json:"name"`
	Args   json.RawMessage `json:"args"`
	Result json.RawMessage `json:"result"`
	Status string          `json:"status"`
}

func (g *geminiReader) line(n int, b []byte) bool {
	var l geminiLine
	if !decode(b, &l) {
		return false
	}
	g.meta.ID = first(g.meta.ID, l.Session)
	g.n, g.at, g.now = n, stamp(first(l.At, l.Start)), nil
	g.message(l)
	if _, again := g.said[l.ID]; !again {
		g.order = append(g.order, l.ID)
	}
	if l.ID == "" {
		g.now = append(g.said[""], g.now...) // headers and patches replace nothing
	}
	g.said[l.ID] = g.now
	return true
}

func (g *geminiReader) message(l geminiLine) {
	g.give(audit.Entry{Kind: audit.Moment})
	switch l.Type {
	case "user":
		g.tell(audit.Entry{Kind: audit.UserText}, texts(l.Content))
	case "gemini":
		g.reply(l)
		for _, t := range l.Thoughts {
			g.tell(audit.Entry{Kind: audit.Thinking}, t.Subject+t.Description)
		}
		g.tell(audit.Entry{Kind: audit.AssistantText}, texts(l.Content))
		for _, c := range l.Calls {
			g.call(audit.Entry{Call: c.ID, Tool: c.Name, Act: geminiActs[c.Name]}, c.Args)
			if len(c.Result) > 0 {
				g.tell(audit.Entry{Kind: audit.ToolResult, Call: c.ID, Failed: c.Status == "error"}, responses(c.Result))
			}
		}
	}
}

func (g *geminiReader) reply(l geminiLine) {
	e := audit.Entry{Kind: audit.Reply, Reply: l.ID, Model: l.Model}
	if t := l.Tokens; t != nil {
		cached := min(t.Cached, t.Input)
		e.Usage = &audit.Usage{Input: t.Input - cached, CacheRead: cached, Output: t.Output + t.Thoughts}
	}
	g.give(e)
}

// part is one part of a message in the form of Google's models.
type part struct {
	Text     string `json:"text"`
	Thought  bool   `json:"thought"`
	Function *struct {
		ID   string          `json:"id"`
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	} `json:"functionCall"`
	Response *struct {
		ID       string          `json:"id"`
		Response json.RawMessage `json:"response"`
	} `json:"functionResponse"`
}

// responses gives the texts of the results of a call, joined.
func responses(raw json.RawMessage) string {
	var parts []part
	if json.Unmarshal(raw, &parts) != nil {
		return texts(raw)
	}
	all := ""
	for _, p := range parts {
		all += p.Text
		if p.Response != nil {
			text, _ := outcome(p.Response.Response)
			all += text
		}
	}
	return all
}

// outcome is what a function answered: its output or its error, else all of it.
func outcome(raw json.RawMessage) (text string, failed bool) {
	var r struct {
		Output *string `json:"output"`
		Error  *string `json:"error"`
	}
	switch err := json.Unmarshal(raw, &r); {
	case err == nil && r.Error != nil:
		return *r.Error, true
	case err == nil && r.Output != nil:
		return *r.Output, false
	default:
		return string(raw), false
	}
}
