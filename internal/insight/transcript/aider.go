package transcript

import (
	"context"
	"io"
	"strconv"
	"strings"

	"kedge/internal/insight/audit"
)

// aider reads the chat history of Aider: one Markdown file for all sessions of
// a folder. "####" is the person, ">" the program; the rest is the model. Times
// are in it without their zone, so they are unknown.
func aider(ctx context.Context, r io.Reader, o Options, emit Emit) (Meta, error) {
	a := &aiderReader{teller: teller{Options: o, emit: emit}}
	skipped, err := eachLine(ctx, r, a.line)
	return Meta{ID: "aider", Skipped: skipped, Unseen: []string{"rules", "tool_schemas", "file_reads"}}, err
}

type aiderReader struct {
	teller
	model string
}

func (a *aiderReader) line(n int, b []byte) bool {
	a.n = n
	line := string(b)
	switch {
	case strings.HasPrefix(line, "# aider chat started at "):
	case strings.HasPrefix(line, "#### "):
		a.tell(audit.Entry{Kind: audit.UserText}, line[len("#### "):])
	case strings.HasPrefix(line, "> "):
		a.program(strings.TrimSpace(line[2:]))
	case line != ">":
		a.tell(audit.Entry{Kind: audit.AssistantText}, line)
	}
	return true
}

// program is a line that Aider itself wrote.
func (a *aiderReader) program(line string) {
	for _, head := range []string{"Model: ", "Main model: "} {
		if rest, ok := strings.CutPrefix(line, head); ok {
			a.model, _, _ = strings.Cut(rest, " ")
		}
	}
	call := strconv.Itoa(a.n)
	switch rest, tokens := strings.CutPrefix(line, "Tokens: "); {
	case tokens:
		u, usd := aiderUsage(rest)
		a.give(audit.Entry{Kind: audit.Reply, Reply: call, Model: a.model, Usage: u, USD: usd})
	case strings.HasPrefix(line, "Applied edit to "):
		path := strings.TrimPrefix(line, "Applied edit to ")
		a.give(audit.Entry{Kind: audit.ToolCall, Call: call, Tool: "edit", Act: audit.Edit, Path: path})
		a.tell(audit.Entry{Kind: audit.ToolResult, Call: call}, line)
	case strings.HasPrefix(line, "Running "):
		command := strings.TrimPrefix(line, "Running ")
		a.give(audit.Entry{Kind: audit.ToolCall, Call: call, Tool: "run", Act: audit.Shell, Command: command})
		a.tell(audit.Entry{Kind: audit.ToolResult, Call: call}, line)
	default:
		a.tell(audit.Entry{Kind: audit.ToolResult}, line)
	}
}

// aiderUsage reads "2.1k sent, 1k cache write, 3k cache hit, 210 received. Cost:
// $0.01 message, $0.02 session."; cache tokens are counted apart.
func aiderUsage(s string) (*audit.Usage, *float64) {
	sizes, cost, _ := strings.Cut(s, " Cost: ")
	u := &audit.Usage{}
	for _, f := range strings.Split(strings.TrimSuffix(strings.TrimSpace(sizes), "."), ", ") {
		size, what, _ := strings.Cut(f, " ")
		n, ok := scaled(size)
		if !ok {
			return nil, nil
		}
		switch what {
		case "sent":
			u.Input = n
		case "cache write":
			u.CacheWrite = n
		case "cache hit":
			u.CacheRead = n
		case "received":
			u.Output = n
		}
	}
	amount, _, ok := strings.Cut(strings.TrimPrefix(cost, "$"), " message")
	usd, err := strconv.ParseFloat(amount, 64)
	if !ok || err != nil || usd < 0 || usd > 1e9 {
		return u, nil
	}
	return u, &usd
}

// scaled reads 12, 3.4k, 1M.
func scaled(s string) (int64, bool) {
	factor := 1.0
	switch {
	case strings.HasSuffix(s, "k"):
		s, factor = s[:len(s)-1], 1e3
	case strings.HasSuffix(s, "M"):
		s, factor = s[:len(s)-1], 1e6
	}
	v, err := strconv.ParseFloat(strings.ReplaceAll(s, ",", ""), 64)
	if err != nil || v < 0 || v > 1e12 || v != v {
		return 0, false
	}
	return int64(v*factor + 0.5), true
}
