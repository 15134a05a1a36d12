package transcript

import (
	"context"
	"io"

	"kedge/internal/audit"
)

// claudeActs are the tools of Claude Code that the figures tell apart.
var claudeActs = map[string]audit.Act{
	"Read": audit.Read, "Edit": audit.Edit, "Write": audit.Edit, "MultiEdit": audit.Edit, "NotebookEdit": audit.Edit, "Bash": audit.Shell,
}

// claude reads transcripts of Claude Code: all lines in the order of the file,
// without side chains, which are other conversations. Its instructions, its tool
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

	meant, summary bool // of the line: put in by the program; a compaction's summary
}

// claudeLine is the fields of a line that matter; values as they stand in it.
type claudeLine struct {
	typ, subtype, session, dir, at, message, tools, attachment []byte
	side, meta, summary                                        bool
}

func (c *claudeReader) line(n int, b []byte) bool {
	l, ok := parseClaudeLine(b)
	if !ok {
		return false
	}
	if l.side {
		return true
	}
	if c.meta.ID == "" {
		c.meta.ID = text(l.session)
	}
	if c.meta.Dir == "" {
		c.meta.Dir = text(l.dir)
	}
	c.n, c.at, c.meant, c.summary = n, stamp(string(l.at)), l.meta, l.summary
	c.give(audit.Entry{Kind: audit.Moment})
	switch string(l.typ) {
	case "user":
		c.message(l.message, false)
	case "assistant":
		c.message(l.message, true)
	case "system":
		switch string(l.subtype) {
		case "compact_boundary":
			c.give(audit.Entry{Kind: audit.Compaction})
		case "init": // of its stream of events, kept as a file
			c.offered(l.tools)
		}
	case "attachment":
		c.attached(l.attachment)
	}
	return true
}

// parseClaudeLine goes over the whole line, so that a broken one is noticed
// before anything of it is counted.
func parseClaudeLine(b []byte) (l claudeLine, ok bool) {
	s := &scanner{b: b}
	ok = s.object(func(key []byte) bool {
		v, ok := s.value()
		switch string(key) {
		case "type":
			l.typ = inside(v)
		case "subtype":
			l.subtype = inside(v)
		case "sessionId":
			l.session = inside(v)
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
		case "message":
			l.message = v
		case "tools":
			l.tools = v
		case "attachment":
			l.attachment = v
		}
		return ok
	})
	return l, ok && s.end()
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

// say gives a text, which stands in raw as between quotes.
func (c *claudeReader) say(e audit.Entry, raw []byte) {
	e.Chars = runes(raw)
	if c.Text {
		e.Text = text(raw)
	}
	c.give(e)
}

func (c *claudeReader) message(raw []byte, assistant bool) {
	var id, model, content, usage []byte
	fields(raw, func(key string, v []byte) {
		switch key {
		case "id":
			id = inside(v)
		case "model":
			model = inside(v)
		case "content":
			content = v
		case "usage":
			usage = v
		}
	})
	if assistant && string(model) != "<synthetic>" {
		c.give(audit.Entry{Kind: audit.Reply, Reply: string(id), Model: text(model), Usage: claudeUsage(usage)})
	}
	own := audit.Entry{Kind: audit.UserText, Rules: c.meant, Summary: c.summary}
	if assistant {
		own = audit.Entry{Kind: audit.AssistantText}
	}
	if len(content) > 0 && content[0] == '"' {
		c.say(own, inside(content))
		return
	}
	elements(content, func(block []byte) { c.block(block, own, assistant) })
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

func claudeUsage(raw []byte) *audit.Usage {
	if len(raw) == 0 || raw[0] != '{' {
		return nil
	}
	u := &audit.Usage{}
	fields(raw, func(key string, v []byte) {
		switch key {
		case "input_tokens":
			u.Input = integer(v)
		case "cache_read_input_tokens":
			u.CacheRead = integer(v)
		case "cache_creation_input_tokens":
			u.CacheWrite = integer(v)
		case "output_tokens":
			u.Output = integer(v)
		}
	})
	return u
}

// claudeBlock is the fields of a block of a message.
type claudeBlock struct {
	typ, text, thinking, id, name, input, call, content []byte
	failed                                              bool
}

func (c *claudeReader) block(raw []byte, own audit.Entry, assistant bool) {
	var b claudeBlock
	fields(raw, func(key string, v []byte) {
		switch key {
		case "type":
			b.typ = inside(v)
		case "text":
			b.text = inside(v)
		case "thinking":
			b.thinking = inside(v)
		case "id":
			b.id = inside(v)
		case "name":
			b.name = inside(v)
		case "input":
			b.input = v
		case "tool_use_id":
			b.call = inside(v)
		case "content":
			b.content = v
		case "is_error":
			b.failed = isTrue(v)
		}
	})
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

func (c *claudeReader) toolCall(b claudeBlock) {
	name := text(b.name)
	e := audit.Entry{Kind: audit.ToolCall, Call: string(b.id), Tool: name, Act: claudeActs[name], Chars: compact(b.input)}
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

// toolResult gives a result with its text: a string, or the text blocks of a
// list, joined.
func (c *claudeReader) toolResult(b claudeBlock) {
	e := audit.Entry{Kind: audit.ToolResult, Call: string(b.call), Failed: b.failed}
	if len(b.content) > 0 && b.content[0] == '"' {
		c.say(e, inside(b.content))
		return
	}
	var all []byte
	elements(b.content, func(v []byte) {
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
			all = append(all, txt...)
		}
	})
	c.say(e, all)
}
