package history

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"kedge/internal/insight/audit"
	"kedge/internal/insight/resume"
	"kedge/internal/insight/transcript"
	"kedge/internal/text/redact"
)

// Message is one thing that was said or done in a conversation, without secrets.
type Message struct {
	Line      int       `json:"line"`
	At        time.Time `json:"at,omitzero"` // zero is unknown
	Who       Who       `json:"who"`
	Text      string    `json:"text"`
	Call      *Call     `json:"call,omitempty"`      // of a Tool
	Compacted bool      `json:"compacted,omitempty"` // the context was replaced by a summary here
}

// Call is a tool call with what came of it.
type Call struct {
	Tool   string     `json:"tool"`
	What   string     `json:"what"`             // its command or its file, else what its input says first; one line or several
	Input  string     `json:"input,omitempty"`  // all texts of its input, where What is not all there is
	Diff   []DiffLine `json:"diff,omitempty"`   // what an edit changed
	Result string     `json:"result,omitempty"` // as much as is kept of it
	Chars  int        `json:"result_chars"`
	Failed bool       `json:"failed,omitempty"`
	Ended  bool       `json:"ended"` // there is a result
}

// resultSize is how much of a result is kept, in bytes.
const resultSize = 16 << 10

// Read reads a whole conversation.
func Read(ctx context.Context, formats transcript.Formats, f transcript.File) (Conversation, []Message, int64, error) {
	split := formats.Of(f.Agent).Split
	src := &source{Conversation: Conversation{File: f}}
	c := &conversation{src: src, x: &extractor{src: src}, calls: map[string]*Call{}, split: split}
	m, err := formats.ReadFile(ctx, f, transcript.Options{Text: true}, c.add)
	src.note(m, nil)
	if dir := strings.TrimSuffix(src.Dir, "/") + "/"; dir != "/" {
		for _, call := range c.calls { // files are called as they are in the folder
			call.What = strings.TrimPrefix(call.What, dir)
		}
	}
	return src.Conversation, c.list, m.Skipped, err
}

// About says what is known of a conversation, without what was said.
func About(ctx context.Context, formats transcript.Formats, f transcript.File) (Conversation, error) {
	c, _, _, err := Read(ctx, formats, f)
	return c, err
}

// conversation is one while it is read.
type conversation struct {
	src   *source
	x     *extractor // of times and the title
	list  []Message
	calls map[string]*Call
	split bool
	last  int // line
}

func (c *conversation) add(e *audit.Entry) {
	if e.At != "" {
		c.x.seen(e.At)
	}
	switch e.Kind {
	case audit.ToolCall:
		c.call(e)
		return
	case audit.ToolResult:
		c.result(e)
		return
	case audit.Compaction:
		c.list = append(c.list, Message{Line: e.Line, At: parsed(e.At), Who: Program, Compacted: true})
		return
	case audit.Refused:
		c.list = append(c.list, Message{Line: e.Line, At: parsed(e.At), Who: Program, Text: redact.Text(e.Text)})
		return
	default:
	}
	who, text := said(e, c.src.File.Side)
	if text == "" {
		return
	}
	c.x.title(who, e, text)
	if who == You {
		text = resume.Typed(e)
	}
	if who == Title || c.again(who, text) {
		return
	}
	if n := len(c.list); c.split && n > 0 && c.list[n-1].Who == who && e.Line == c.last+1 {
		c.list[n-1].Text = redact.Text(c.list[n-1].Text + "\n" + text)
	} else {
		c.list = append(c.list, Message{Line: e.Line, At: parsed(e.At), Who: who, Text: redact.Text(text)})
	}
	c.last = e.Line
}

// again tells whether a text was there already: what is typed while the model works comes
// twice.
func (c *conversation) again(who Who, text string) bool {
	const near = 12 // messages
	for i := max(0, len(c.list)-near); i < len(c.list); i++ {
		if who == You && c.list[i].Who == You && c.list[i].Text == redact.Text(text) {
			return true
		}
	}
	return false
}

func (c *conversation) call(e *audit.Entry) {
	call := &Call{Tool: e.Tool, What: redact.Text(transcript.First(e.Command, e.Path))}
	input := e.Text
	if strings.HasPrefix(input, "{") || strings.HasPrefix(input, "[") {
		input = string(redact.JSON([]byte(input)))
		if call.What == "" {
			var b strings.Builder
			texts(transcript.NewScanner([]byte(input)), &b)
			call.Input = strings.TrimPrefix(b.String(), "\n")
			call.What, _, _ = strings.Cut(call.Input, "\n")
		}
		if e.Act == audit.Edit {
			call.Diff = diffOf([]byte(input))
		}
	} else if input != "" {
		call.Diff = patchLines(redact.Text(input))
	}
	if call.Input == call.What {
		call.Input = ""
	}
	if e.Call != "" {
		c.calls[e.Call] = call
	}
	c.list = append(c.list, Message{Line: e.Line, At: parsed(e.At), Who: Tool, Call: call})
}

func (c *conversation) result(e *audit.Entry) {
	call := c.calls[e.Call]
	if call == nil {
		return
	}
	call.Ended, call.Failed = true, e.Failed
	call.Chars = e.Chars
	call.Result = clip(redact.Text(strings.TrimRight(e.Text, "\n")), resultSize)
}

// clip cuts a text to so many bytes.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}

// Outcome is what came of a call, in a few words.
func (c *Call) Outcome() string {
	switch {
	case !c.Ended:
		return "no result"
	case c.Failed:
		return "failed, " + lines(c.Result, c.Chars)
	default:
		return lines(c.Result, c.Chars)
	}
}

// Changed counts the lines that an edit added and removed.
func (c *Call) Changed() (added, removed int) {
	for _, l := range c.Diff {
		switch l.Kind {
		case '+':
			added++
		case '-':
			removed++
		}
	}
	return added, removed
}
