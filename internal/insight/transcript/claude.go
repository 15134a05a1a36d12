package transcript

import (
	"context"
	"io"
	"strings"

	"kedge/internal/insight/audit"
)

// claudeActs are the tools of Claude Code that the figures tell apart.
var claudeActs = map[string]audit.Act{
	"Read": audit.Read, "Edit": audit.Edit, "Write": audit.Edit, "MultiEdit": audit.Edit, "NotebookEdit": audit.Edit, "Bash": audit.Shell,
}

// claude reads transcripts of Claude Code: all lines in the order of the file,
// without side chains, which are other conversations: those of sub-agents, which
// mostly have transcripts of their own. Its instructions, its tool
// schemas and CLAUDE.md are not in them.
func claude(ctx context.Context, r io.Reader, o Options, emit Emit) (Meta, error) {
	c := &claudeReader{teller: teller{Options: o, emit: emit}}
	skipped, err := eachLine(ctx, r, c.line)
	c.meta.Skipped = skipped
	c.meta.Unseen = []string{"rules", "tool_schemas"}
	return c.meta, err
}

type claudeReader struct {
	teller
	meta Meta
	l    claudeLine // the last one: the place of its blocks is used again
}

// claudeLine is the fields of a line that matter; values as they stand in it.
type claudeLine struct {
	typ, subtype, session, agent, dir, at, tools, attachment []byte
	operation, content                                       []byte // of the queue of what was typed
	side, meta, summary                                      bool
	message                                                  claudeMessage
}

// claudeMessage is the message of a line. Its content is a text or blocks.
type claudeMessage struct {
	id, model []byte
	said      measured
	blocks    []claudeBlock
	used      bool // it has a usage
	usage     audit.Usage
}

// measured is a string as it stands between its quotes, with how many characters
// it has; the zero value is none.
type measured struct {
	raw   []byte
	chars int
}

// claudeBlock is the fields of a block of a message.
type claudeBlock struct {
	typ, id, name, call []byte
	text, thinking      measured
	input, content      []byte
	result              int // characters of the content
	failed              bool
}

func (c *claudeReader) line(n int, b []byte) bool {
	l := &c.l
	if !l.parse(b) {
		return false
	}
	if l.side && !c.Side {
		return true
	}
	c.identify()
	c.n, c.at = n, stamp(string(l.at))
	c.give(audit.Entry{Kind: audit.Moment})
	switch string(l.typ) {
	case "user":
		c.message(false)
	case "assistant":
		c.message(true)
	case "system":
		switch string(l.subtype) {
		case "compact_boundary":
			c.give(audit.Entry{Kind: audit.Compaction})
		case "init": // of its stream of events, kept as a file
			c.offered(l.tools)
		}
	case "attachment":
		c.attached(l.attachment)
	case "queue-operation":
		if string(l.operation) == "enqueue" && len(l.content) > 0 {
			c.tell(audit.Entry{Kind: audit.Queued}, text(l.content))
		}
	}
	return true
}

// identify takes what a line says about the session. A sub-agent's names the
// session that it works for.
func (c *claudeReader) identify() {
	if c.meta.Dir == "" {
		c.meta.Dir = text(c.l.dir)
	}
	switch {
	case !c.Side && c.meta.ID == "":
		c.meta.ID = text(c.l.session)
	case c.Side && c.meta.ID == "" && len(c.l.agent) > 0:
		c.meta.ID, c.meta.Parent = sidePrefix+text(c.l.agent), text(c.l.session)
	}
}

// parse goes over the whole line, once, so that a broken one is noticed before
// anything of it is counted. Of a key that stands there twice the last counts.
func (l *claudeLine) parse(b []byte) bool {
	*l = claudeLine{message: claudeMessage{blocks: l.message.blocks[:0]}}
	s := &scanner{b: b}
	return s.object(func(key []byte) bool {
		if string(key) == "message" {
			return l.message.parse(s)
		}
		v, ok := s.value()
		switch string(key) {
		case "type":
			l.typ = inside(v)
		case "subtype":
			l.subtype = inside(v)
		case "sessionId":
			l.session = inside(v)
		case "agentId":
			l.agent = inside(v)
		case "cwd":
			l.dir = inside(v)
		case "timestamp":
			l.at = inside(v)
		case "isSidechain":
			l.side = isTrue(v)
		case "isMeta":
			l.meta = isTrue(v)
		case "isCompactSummary":
			l.summary = isTrue(v)
		case "tools":
			l.tools = v
		case "attachment":
			l.attachment = v
		case "operation":
			l.operation = inside(v)
		case "content":
			l.content = inside(v)
		}
		return ok
	}) && s.end()
}

// attached reads what the program added by itself, as far as it says which tools
// the model could call. Their schemas are not there.
func (c *claudeReader) attached(raw []byte) {
	var typ, names []byte
	if len(raw) == 0 || raw[0] != '{' {
		return
	}
	fields(raw, func(key string, v []byte) {
		switch key {
		case "type":
			typ = inside(v)
		case "addedNames":
			names = v
		}
	})
	if string(typ) == "deferred_tools_delta" {
		c.offered(names)
	}
}

// offered gives the tools of a list of names.
func (c *claudeReader) offered(names []byte) {
	if len(names) == 0 || names[0] != '[' {
		return
	}
	elements(names, func(v []byte) {
		if len(v) > 0 && v[0] == '"' {
			c.give(audit.Entry{Kind: audit.Offered, Tool: text(inside(v)), Chars: audit.NoSchema})
		}
	})
}

func isTrue(v []byte) bool { return string(v) == "true" }

func (m *claudeMessage) parse(s *scanner) bool {
	*m = claudeMessage{blocks: m.blocks[:0]}
	return s.objectOr(func(key []byte) bool {
		switch string(key) {
		case "content":
			return m.content(s)
		case "usage":
			return m.use(s)
		}
		v, ok := s.value()
		switch string(key) {
		case "id":
			m.id = inside(v)
		case "model":
			m.model = inside(v)
		}
		return ok
	})
}

func (m *claudeMessage) content(s *scanner) (ok bool) {
	m.said, m.blocks = measured{}, m.blocks[:0]
	if s.at('[') {
		return s.array(func() bool {
			if !s.at('{') {
				return s.skip()
			}
			m.blocks = append(m.blocks, claudeBlock{})
			return m.blocks[len(m.blocks)-1].parse(s)
		})
	}
	m.said, ok = s.measure()
	return ok
}

func (m *claudeMessage) use(s *scanner) bool {
	m.used, m.usage = s.at('{'), audit.Usage{}
	return s.objectOr(func(key []byte) bool {
		v, ok := s.value()
		switch string(key) {
		case "input_tokens":
			m.usage.Input = integer(v)
		case "cache_read_input_tokens":
			m.usage.CacheRead = integer(v)
		case "cache_creation_input_tokens":
			m.usage.CacheWrite = integer(v)
		case "output_tokens":
			m.usage.Output = integer(v)
		}
		return ok
	})
}

func (b *claudeBlock) parse(s *scanner) bool {
	return s.object(func(key []byte) (ok bool) {
		switch string(key) {
		case "text":
			b.text, ok = s.measure()
			return ok
		case "thinking":
			b.thinking, ok = s.measure()
			return ok
		case "content":
			return b.results(s)
		}
		v, ok := s.value()
		switch string(key) {
		case "type":
			b.typ = inside(v)
		case "id":
			b.id = inside(v)
		case "name":
			b.name = inside(v)
		case "input":
			b.input = v
		case "tool_use_id":
			b.call = inside(v)
		case "is_error":
			b.failed = isTrue(v)
		}
		return ok
	})
}

// results measures what a tool gave: a string, or the text blocks of a list,
// joined.
func (b *claudeBlock) results(s *scanner) (ok bool) {
	from := s.i
	b.result = 0
	if s.at('[') {
		ok = s.array(func() bool {
			var part claudeBlock
			if !s.at('{') {
				return s.skip()
			}
			ok := part.parse(s)
			if string(part.typ) == "text" {
				b.result += part.text.chars
			}
			return ok
		})
	} else {
		var m measured
		m, ok = s.measure()
		b.result = m.chars
	}
	b.content = s.b[from:s.i]
	return ok
}

// at tells what the next byte is.
func (s *scanner) at(c byte) bool { return s.i < len(s.b) && s.b[s.i] == c }

// objectOr is object, and takes any other value too.
func (s *scanner) objectOr(each func(key []byte) bool) bool {
	if !s.at('{') {
		return s.skip()
	}
	return s.object(each)
}

// measure takes a value of any kind and measures a string.
func (s *scanner) measure() (m measured, ok bool) {
	if !s.at('"') {
		return m, s.skip()
	}
	m.raw, ok = s.str()
	m.chars = s.chars(m.raw)
	return m, ok
}

func (c *claudeReader) message(assistant bool) {
	m := &c.l.message
	if assistant && string(m.model) != "<synthetic>" {
		e := audit.Entry{Kind: audit.Reply, Reply: text(m.id), Model: text(m.model)}
		if m.used {
			used := m.usage
			e.Usage = &used
		}
		c.give(e)
	}
	own := audit.Entry{Kind: audit.UserText, Rules: c.l.meta, Summary: c.l.summary}
	if assistant {
		own = audit.Entry{Kind: audit.AssistantText}
	}
	if m.said.raw != nil {
		c.say(own, m.said)
	}
	for i := range m.blocks {
		c.block(&m.blocks[i], own, assistant)
	}
}

// say gives a text.
func (c *claudeReader) say(e audit.Entry, m measured) {
	e.Chars = m.chars
	if c.Text {
		e.Text = text(m.raw)
	}
	c.give(e)
}

func (c *claudeReader) block(b *claudeBlock, own audit.Entry, assistant bool) {
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

// fields calls each with every field of an object that was checked.
func fields(raw []byte, each func(key string, v []byte)) {
	s := &scanner{b: raw, checked: true}
	s.object(func(key []byte) bool {
		v, ok := s.value()
		if ok {
			each(string(key), v)
		}
		return ok
	})
}

// elements calls each with every element of an array that was checked.
func elements(raw []byte, each func(v []byte)) {
	s := &scanner{b: raw, checked: true}
	s.array(func() bool {
		v, ok := s.value()
		if ok {
			each(v)
		}
		return ok
	})
}

func (c *claudeReader) toolCall(b *claudeBlock) {
	name := text(b.name)
	e := audit.Entry{Kind: audit.ToolCall, Call: text(b.id), Tool: name, Act: claudeActs[name], Chars: compact(b.input)}
	if e.Act != audit.Other {
		fields(b.input, func(key string, v []byte) {
			switch key {
			case "file_path", "notebook_path":
				e.Path = text(inside(v))
			case "command":
				e.Command = text(inside(v))
			}
		})
	}
	if c.Text {
		e.Text = string(b.input)
	}
	c.give(e)
}

// toolResult gives a result with its text.
func (c *claudeReader) toolResult(b *claudeBlock) {
	e := audit.Entry{Kind: audit.ToolResult, Call: text(b.call), Failed: b.failed, Chars: b.result}
	if c.Text {
		e.Text = resultText(b.content)
	}
	c.give(e)
}

// resultText is a string, or the text blocks of a list, joined.
func resultText(content []byte) string {
	if raw := inside(content); raw != nil {
		return text(raw)
	}
	var all strings.Builder
	elements(content, func(v []byte) {
		var typ, txt []byte
		fields(v, func(key string, v []byte) {
			switch key {
			case "type":
				typ = inside(v)
			case "text":
				txt = inside(v)
			}
		})
		if string(typ) == "text" {
			all.WriteString(text(txt))
		}
	})
	return all.String()
}
