package history

import (
	"os"
	"path/filepath"
	"strings"

	"kedge/internal/insight/audit"
	"kedge/internal/insight/resume"
	"kedge/internal/insight/transcript"
	"kedge/internal/text/redact"
)

func baseOf(f *os.File) string { return filepath.Base(f.Name()) }

// said gives what is searched of an entry, and whose words they are; nothing of most.
func said(e *audit.Entry, side bool) (Who, string) {
	switch e.Kind {
	case audit.UserText, audit.Queued:
		switch {
		case e.Rules:
			return 0, ""
		case e.Summary:
			return Summary, e.Text
		case side:
			return Agent, e.Text
		case resume.Typed(e) == "":
			return Program, e.Text
		}
		return You, e.Text
	case audit.AssistantText:
		return Agent, e.Text
	case audit.Thinking:
		return Thinking, e.Text
	case audit.ToolCall:
		return Tool, called(e)
	case audit.Title:
		return Title, e.Text
	default:
		return 0, ""
	}
}

// called is a tool call as it is searched: the tool, and its command, its file, or the texts
// of its input.
func called(e *audit.Entry) string {
	switch {
	case e.Command != "":
		return e.Tool + ": " + e.Command
	case e.Path != "":
		return e.Tool + ": " + e.Path
	case e.Act != audit.Other || len(e.Text) == 0:
		return e.Tool
	default:
		return e.Tool + ": " + inputText(e.Text)
	}
}

// inputText is all texts of an input that is JSON, else the input.
func inputText(input string) string {
	if input == "" || input[0] != '{' && input[0] != '[' {
		return input
	}
	var b strings.Builder
	texts(transcript.NewScanner(redact.JSON([]byte(input))), &b)
	return strings.TrimPrefix(b.String(), "\n")
}

// texts adds every string of a JSON value, but not the keys of objects.
func texts(s *transcript.Scanner, b *strings.Builder) bool {
	switch {
	case s.At('{'):
		return s.Object(func([]byte) bool { return texts(s, b) })
	case s.At('['):
		return s.Array(func() bool { return texts(s, b) })
	default:
		v, ok := s.Value()
		if raw := transcript.Inside(v); ok && raw != nil {
			b.WriteByte('\n')
			b.WriteString(transcript.Text(raw))
		}
		return ok
	}
}
