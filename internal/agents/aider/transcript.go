package aider

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"kedge/internal/insight/audit"
	"kedge/internal/insight/transcript"
)

// kept is how it keeps what its sessions did.
func kept() transcript.Format {
	return transcript.Format{
		Agent: name, Place: ".aider.chat.history.md in the project, or AIDER_CHAT_HISTORY_FILE", Variables: []string{"AIDER_CHAT_HISTORY_FILE"}, Find: findKept, Read: readKept, ByFile: true, Added: true, Split: true,
		Is: func(h transcript.Head) bool { return bytes.HasPrefix(h.Line, []byte("# aider chat started at ")) },
	}
}

// readKept reads the chat history of Aider: one Markdown file for all sessions of
// a folder. "####" is the person, ">" the program; the rest is the model. Times
// are in it without their zone, so they are unknown.
func readKept(ctx context.Context, r io.Reader, o transcript.Options, emit transcript.Emit) (transcript.Meta, error) {
	a := &keptReader{Teller: transcript.Teller{Options: o, Emit: emit}}
	skipped, err := transcript.EachLine(ctx, r, a.line)
	return transcript.Meta{ID: name, Skipped: skipped, Unseen: []string{"rules", "tool_schemas", "file_reads"}}, err
}

type keptReader struct {
	transcript.Teller
	model string
}

func (a *keptReader) line(n int, b []byte) bool {
	a.N = n
	line := string(b)
	switch {
	case strings.HasPrefix(line, "# aider chat started at "):
	case strings.HasPrefix(line, "#### "):
		a.Tell(audit.Entry{Kind: audit.UserText}, line[len("#### "):])
	case strings.HasPrefix(line, "> "):
		a.program(strings.TrimSpace(line[2:]))
	case line != ">":
		a.Tell(audit.Entry{Kind: audit.AssistantText}, line)
	}
	return true
}

// program is a line that Aider itself wrote.
func (a *keptReader) program(line string) {
	for _, head := range []string{"Model: ", "Main model: "} {
		if rest, ok := strings.CutPrefix(line, head); ok {
			a.model, _, _ = strings.Cut(rest, " ")
		}
	}
	call := strconv.Itoa(a.N)
	switch rest, tokens := strings.CutPrefix(line, "Tokens: "); {
	case tokens:
		u, usd := keptUsage(rest)
		a.Give(audit.Entry{Kind: audit.Reply, Reply: call, Model: a.model, Usage: u, USD: usd})
	case strings.HasPrefix(line, "Applied edit to "):
		path := strings.TrimPrefix(line, "Applied edit to ")
		a.Give(audit.Entry{Kind: audit.ToolCall, Call: call, Tool: "edit", Act: audit.Edit, Path: path})
		a.Tell(audit.Entry{Kind: audit.ToolResult, Call: call}, line)
	case strings.HasPrefix(line, "Running "):
		command := strings.TrimPrefix(line, "Running ")
		a.Give(audit.Entry{Kind: audit.ToolCall, Call: call, Tool: "run", Act: audit.Shell, Command: command})
		a.Tell(audit.Entry{Kind: audit.ToolResult, Call: call}, line)
	default:
		a.Tell(audit.Entry{Kind: audit.ToolResult}, line)
	}
}

// keptUsage reads "2.1k sent, 1k cache write, 3k cache hit, 210 received. Cost:
// $0.01 message, $0.02 session."; cache tokens are counted apart.
func keptUsage(s string) (*audit.Usage, *float64) {
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

func findKept(_ context.Context, w transcript.Where) []transcript.File {
	var patterns []string
	if file := w.Getenv("AIDER_CHAT_HISTORY_FILE"); filepath.IsAbs(file) {
		patterns = append(patterns, transcript.Quoted(file))
	}
	for _, dir := range w.Dirs {
		patterns = append(patterns, filepath.Join(transcript.Quoted(dir), ".aider.chat.history.md"))
	}
	return transcript.Files(name, patterns...)
}
