package claude

import (
	"context"
	"io"
	"slices"
	"strings"

	"kedge/internal/insight/audit"
	"kedge/internal/insight/transcript"
)

// kept is how it keeps what its sessions did.
func kept() transcript.Format {
	return transcript.Format{
		Agent: name, Place: "~/.claude, or CLAUDE_CONFIG_DIR", Variables: []string{"CLAUDE_CONFIG_DIR"}, Find: findKept, Read: readKept, Side: isSide, Lacks: lacks, Usual: true, Added: true,
		Is: func(h transcript.Head) bool {
			if h.Payload != nil || h.ProjectHash != "" || h.Message.Parts != nil || h.Usage != nil || h.Data != nil && strings.Contains(h.Type, ".") {
				return false // another program's, with names that are the same
			}
			return h.Leaf != "" || h.Snapshot != nil || (h.Type == "user" || h.Type == "assistant") && h.UUID != ""
		},
	}
}

// keptActs are the tools of Claude Code that the figures tell apart.
var keptActs = map[string]audit.Act{
	"Read": audit.Read, "Edit": audit.Edit, "Write": audit.Edit, "MultiEdit": audit.Edit, "NotebookEdit": audit.Edit, "Bash": audit.Shell,
}

// readKept reads transcripts of Claude Code: all lines in the order of the file,
// without side chains, which are other conversations: those of sub-agents, which
// mostly have transcripts of their own. What the replies there used is told, as nested:
// older versions keep them in lines of the session, or in its news of progress.
func readKept(ctx context.Context, r io.Reader, o transcript.Options, emit transcript.Emit) (transcript.Meta, error) {
	c := &keptReader{Teller: transcript.Teller{Options: o, Emit: emit}}
	m, err := transcript.ReadLines(ctx, r, &c.meta, c.line)
	m.Untold = c.agents.untold()
	m.Unseen = slices.DeleteFunc(m.Unseen, func(source string) bool { return slices.Contains(c.has, source) })
	return m, err
}

type keptReader struct {
	transcript.Teller
	meta transcript.Meta
	has  []string // sources that this transcript has, and most have not

	branch string // as the last line has it

	agents begun
	l      keptLine // the last one: the place of its blocks is used again
}

// keptLine is the fields of a line that matter; values as they stand in it.
type keptLine struct {
	typ, subtype, session, agent, dir, at, tools, attachment []byte
	title                                                    []byte // what the session is called
	operation, content                                       []byte // of the queue of what was typed
	asked, data, result, parent                              []byte
	failure                                                  []byte // the name of the error in whose place a reply stands
	mode, branch, pull                                       []byte // where the work is
	side, meta, summary, copied                              bool
	message                                                  keptMessage
}

// keptMessage is the message of a line. Its content is a text or blocks.
type keptMessage struct {
	id, model []byte
	said      transcript.Measured
	blocks    []keptBlock
	used      bool // it has a usage
	fast      bool // it was served in the fast mode
	usage     audit.Usage
}

// keptBlock is the fields of a block of a message.
type keptBlock struct {
	typ, id, name, call []byte
	text, thinking      transcript.Measured
	input, content      []byte
	result              int // characters of the content
	failed              bool
}

func (c *keptReader) line(n int, b []byte) bool {
	l := &c.l
	if c.meta.ID != "" && c.meta.Dir != "" && c.Passes(b, `"usage"`) && !c.agents.wait() || c.Said && saysNothing(b) {
		return true
	}
	if !l.parse(b) {
		return false
	}
	if l.side && !c.Side {
		c.N, c.At = n, transcript.Stamp(string(l.at))
		if string(l.typ) == "assistant" {
			c.agents.side = true
			c.reply(&l.message, l.asked, true)
		}
		return true
	}
	c.identify()
	c.N, c.At = n, transcript.Stamp(string(l.at))
	c.Give(c.moment())
	switch string(l.typ) {
	case "progress":
		c.progress(l.data)
	case "user":
		c.message(false)
	case "assistant":
		c.message(true)
	case "system":
		switch string(l.subtype) {
		case "compact_boundary":
			c.Give(audit.Entry{Kind: audit.Compaction})
		case "init": // of its stream of events, kept as a file
			c.offered(l.tools)
		}
	case "attachment":
		c.attached(l.attachment)
	case "summary", "ai-title", "custom-title":
		if len(l.title) > 0 {
			c.Tell(audit.Entry{Kind: audit.Title}, transcript.Text(l.title))
		}
	case "queue-operation":
		if string(l.operation) == "enqueue" && len(l.content) > 0 {
			c.Tell(audit.Entry{Kind: audit.Queued}, transcript.Text(l.content))
		}
	}
	return true
}

// moment is the time of a line, with what changed of where the work is.
func (c *keptReader) moment() audit.Entry {
	e := audit.Entry{Kind: audit.Moment, Mode: transcript.Text(c.l.mode), Pull: transcript.Text(c.l.pull)}
	if string(c.l.branch) != c.branch { // nearly every line names it
		c.branch = string(c.l.branch)
		e.Branch = transcript.Text(c.l.branch)
	}
	return e
}

// identify takes what a line says about the session. A sub-agent's names the
// session that it works for.
func (c *keptReader) identify() {
	if c.meta.Dir == "" {
		c.meta.Dir = transcript.Text(c.l.dir)
	}
	switch {
	case !c.Side && c.meta.ID == "":
		c.meta.ID = transcript.Text(c.l.session)
	case c.Side && c.meta.ID == "" && len(c.l.agent) > 0:
		c.meta.ID, c.meta.Parent = sidePrefix+transcript.Text(c.l.agent), transcript.Text(c.l.session)
	}
}

// parse goes over the whole line, once, so that a broken one is noticed before
// anything of it is counted: in what is read, and in where values end. Of a key that stands there twice the last counts.
func (l *keptLine) parse(b []byte) bool {
	*l = keptLine{message: keptMessage{blocks: l.message.blocks[:0]}}
	s := transcript.NewScanner(b)
	return s.Object(func(key []byte) bool {
		switch string(key) {
		case "message":
			return l.message.parse(s)
		case "snapshot": // nothing of it is read
			return s.Pass()
		case "toolUseResult": // half of a transcript, and next to nothing of it is read
			from := s.Place()
			ok := s.Pass()
			l.result = s.Since(from)
			return ok
		}
		v, ok := s.Value()
		switch string(key) {
		case "type":
			l.typ = transcript.Inside(v)
		case "subtype":
			l.subtype = transcript.Inside(v)
		case "sessionId":
			l.session = transcript.Inside(v)
		case "agentId":
			l.agent = transcript.Inside(v)
		case "cwd":
			l.dir = transcript.Inside(v)
		case "timestamp":
			l.at = transcript.Inside(v)
		case "isSidechain":
			l.side = isTrue(v)
		case "summary", "aiTitle", "customTitle", "title":
			l.title = transcript.Inside(v)
		case "permissionMode":
			l.mode = transcript.Inside(v)
		case "gitBranch":
			l.branch = transcript.Inside(v)
		case "prUrl":
			l.pull = transcript.Inside(v)
		case "isMeta":
			l.meta = isTrue(v)
		case "isCompactSummary":
			l.summary = isTrue(v)
		case "tools":
			l.tools = v
		case "attachment":
			l.attachment = v
		case "error":
			l.failure = transcript.Inside(v)
		case "operation":
			l.operation = transcript.Inside(v)
		case "content":
			l.content = transcript.Inside(v)
		case "requestId":
			l.asked = transcript.Inside(v)
		case "forkedFrom":
			l.copied = len(v) > 0 && v[0] == '{'
		case "data":
			l.data = v
		case "parentToolUseID":
			l.parent = transcript.Inside(v)
		}
		return ok
	}) && s.End()
}

// offered gives the tools of a list of names.
func (c *keptReader) offered(names []byte) {
	if len(names) == 0 || names[0] != '[' {
		return
	}
	transcript.Elements(names, func(v []byte) {
		if len(v) > 0 && v[0] == '"' {
			c.Give(audit.Entry{Kind: audit.Offered, Tool: transcript.Text(transcript.Inside(v)), Chars: audit.NoSchema})
		}
	})
}

func isTrue(v []byte) bool { return string(v) == "true" }

func (m *keptMessage) parse(s *transcript.Scanner) bool {
	*m = keptMessage{blocks: m.blocks[:0]}
	return s.ObjectOr(func(key []byte) bool {
		switch string(key) {
		case "content":
			return m.content(s)
		case "usage":
			return m.use(s)
		}
		v, ok := s.Value()
		switch string(key) {
		case "id":
			m.id = transcript.Inside(v)
		case "model":
			m.model = transcript.Inside(v)
		}
		return ok
	})
}

func (m *keptMessage) content(s *transcript.Scanner) (ok bool) {
	m.said, m.blocks = transcript.Measured{}, m.blocks[:0]
	if s.At('[') {
		return s.Array(func() bool {
			if !s.At('{') {
				return s.Skip()
			}
			m.blocks = append(m.blocks, keptBlock{})
			return m.blocks[len(m.blocks)-1].parse(s)
		})
	}
	m.said, ok = s.Measure()
	return ok
}

func (m *keptMessage) use(s *transcript.Scanner) bool {
	m.used, m.usage, m.fast = s.At('{'), audit.Usage{}, false
	return s.ObjectOr(func(key []byte) bool {
		v, ok := s.Value()
		switch string(key) {
		case "input_tokens":
			m.usage.Input = transcript.Integer(v)
		case "cache_read_input_tokens":
			m.usage.CacheRead = transcript.Integer(v)
		case "cache_creation_input_tokens":
			m.usage.CacheWrite = transcript.Integer(v)
		case "cache_creation":
			m.usage.Hour = kept1h(v)
		case "speed":
			m.fast = string(v) == `"fast"`
		case "output_tokens":
			m.usage.Output = transcript.Integer(v)
		}
		return ok
	})
}

func (b *keptBlock) parse(s *transcript.Scanner) bool {
	return s.Object(func(key []byte) (ok bool) {
		switch string(key) {
		case "text":
			b.text, ok = s.Measure()
			return ok
		case "thinking":
			b.thinking, ok = s.Measure()
			return ok
		case "content":
			return b.results(s)
		}
		v, ok := s.Value()
		switch string(key) {
		case "type":
			b.typ = transcript.Inside(v)
		case "id":
			b.id = transcript.Inside(v)
		case "name":
			b.name = transcript.Inside(v)
		case "input":
			b.input = v
		case "tool_use_id":
			b.call = transcript.Inside(v)
		case "is_error":
			b.failed = isTrue(v)
		}
		return ok
	})
}

// results measures what a tool gave: a string, or the text blocks of a list,
// joined.
func (b *keptBlock) results(s *transcript.Scanner) (ok bool) {
	from := s.Place()
	b.result = 0
	if s.At('[') {
		ok = s.Array(func() bool {
			var part keptBlock
			if !s.At('{') {
				return s.Skip()
			}
			ok := part.parse(s)
			if string(part.typ) == "text" {
				b.result += part.text.Chars
			}
			return ok
		})
	} else {
		var m transcript.Measured
		m, ok = s.Measure()
		b.result = m.Chars
	}
	b.content = s.Since(from)
	return ok
}

func (c *keptReader) message(assistant bool) {
	m := &c.l.message
	if assistant && string(m.model) == "<synthetic>" {
		c.refused(m)
	}
	if assistant {
		c.reply(m, c.l.asked, c.l.copied)
	}
	own := audit.Entry{Kind: audit.UserText, Rules: c.l.meta, Summary: c.l.summary}
	if assistant {
		own = audit.Entry{Kind: audit.AssistantText}
	}
	if m.said.Raw != nil {
		c.say(own, m.said)
	}
	for i := range m.blocks {
		c.block(&m.blocks[i], own, assistant)
	}
}

// refused gives the error in whose place a reply stands: its text, and its name where
// that is written down. Answers of the program to a command of its own are none.
func (c *keptReader) refused(m *keptMessage) {
	text := transcript.Text(m.said.Raw)
	for i := range m.blocks {
		text += transcript.Text(m.blocks[i].text.Raw)
	}
	name := transcript.Text(c.l.failure)
	if name == "" && !strings.HasPrefix(text, "API Error") && !strings.Contains(text, "limit reached") {
		return
	}
	c.Tell(audit.Entry{Kind: audit.Refused}, strings.TrimSpace(text+" "+name))
}

// say gives a text.
func (c *keptReader) say(e audit.Entry, m transcript.Measured) {
	e.Chars = m.Chars
	if c.Wants(&e) {
		e.Text = transcript.Text(m.Raw)
	}
	c.Give(e)
}

func (c *keptReader) block(b *keptBlock, own audit.Entry, assistant bool) {
	switch typ := string(b.typ); {
	case typ == "text":
		c.say(own, b.text)
	case typ == "thinking" && assistant:
		c.say(audit.Entry{Kind: audit.Thinking}, b.thinking)
	case typ == "tool_use" && assistant:
		c.toolCall(b)
	case typ == "tool_result" && !assistant:
		c.toolResult(b)
	}
}

func (c *keptReader) toolCall(b *keptBlock) {
	name := transcript.Text(b.name)
	e := audit.Entry{Kind: audit.ToolCall, Call: transcript.Text(b.id), Tool: name, Act: keptActs[name]}
	c.agents.calls(name, e.Call)
	if !c.Said {
		e.Chars = transcript.Compact(b.input)
	}
	if e.Act != audit.Other {
		transcript.Fields(b.input, func(key string, v []byte) {
			switch key {
			case "file_path", "notebook_path":
				e.Path = transcript.Text(transcript.Inside(v))
			case "command":
				e.Command = transcript.Text(transcript.Inside(v))
			}
		})
	}
	if c.Text && !(c.Said && e.Act != audit.Other) {
		e.Text = string(b.input)
	}
	c.Give(e)
}

// toolResult gives a result with its text.
func (c *keptReader) toolResult(b *keptBlock) {
	e := audit.Entry{Kind: audit.ToolResult, Call: transcript.Text(b.call), Failed: b.failed, Chars: b.result}
	c.agents.ends(e.Call, c.l.result, b.content)
	if c.Wants(&e) {
		e.Text = resultText(b.content)
	}
	c.Give(e)
}

// resultText is a string, or the text blocks of a list, joined.
func resultText(content []byte) string {
	if raw := transcript.Inside(content); raw != nil {
		return transcript.Text(raw)
	}
	var all strings.Builder
	transcript.Elements(content, func(v []byte) {
		var typ, txt []byte
		transcript.Fields(v, func(key string, v []byte) {
			switch key {
			case "type":
				typ = transcript.Inside(v)
			case "text":
				txt = transcript.Inside(v)
			}
		})
		if string(typ) == "text" {
			all.WriteString(transcript.Text(txt))
		}
	})
	return all.String()
}
