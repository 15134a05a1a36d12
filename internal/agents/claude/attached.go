package claude

import (
	"slices"

	"kedge/internal/insight/audit"
	"kedge/internal/insight/transcript"
)

// attached reads what the program added to the context by itself. Newer versions write down
// the system prompt and the tools with their schemas.
func (c *keptReader) attached(raw []byte) {
	if len(raw) == 0 || raw[0] != '{' {
		return
	}
	var typ string
	fields := map[string][]byte{}
	transcript.Fields(raw, func(key string, v []byte) {
		if key == "type" {
			typ = transcript.Text(transcript.Inside(v))
		}
		fields[key] = v
	})
	switch typ {
	case "deferred_tools_delta":
		c.offered(fields["addedNames"])
		c.given(fields["addedLines"])
	case "prompt_snapshot":
		c.prompted(fields["systemPrompt"])
		c.schemas(fields["tools"])
	case "skill_listing", "hook_additional_context":
		c.given(fields["content"])
	case "agent_listing_delta", "mcp_instructions_delta":
		c.given(fields["addedLines"])
	case "session_context":
		c.given(fields["context"])
	}
}

// given counts a text of the program's own, whatever its form.
func (c *keptReader) given(v []byte) {
	n, text := charsIn(v)
	if n == 0 {
		return
	}
	e := audit.Entry{Kind: audit.Given, Chars: n}
	if c.Text {
		e.Text = text
	}
	c.Give(e)
}

// prompted counts the system prompt.
func (c *keptReader) prompted(v []byte) {
	n, _ := charsIn(v)
	if n > 0 {
		c.seen("rules")
		c.Give(audit.Entry{Kind: audit.Prompt, Chars: n})
	}
}

// schemas gives the tools with their schemas.
func (c *keptReader) schemas(v []byte) {
	if len(v) == 0 || v[0] != '[' {
		return
	}
	transcript.Elements(v, func(v []byte) {
		if len(v) == 0 || v[0] != '{' {
			return
		}
		e := audit.Entry{Kind: audit.Offered}
		transcript.Fields(v, func(key string, v []byte) {
			switch key {
			case "name":
				e.Tool = transcript.Text(transcript.Inside(v))
				e.Chars += transcript.Compact(v)
			case "description", "schema", "input_schema":
				e.Chars += transcript.Compact(v)
			}
		})
		if e.Tool != "" {
			c.seen("tool_schemas")
			c.Give(e)
		}
	})
}

// seen notes that a transcript has a source that most do not have.
func (c *keptReader) seen(source string) {
	if !slices.Contains(c.has, source) {
		c.has = append(c.has, source)
	}
}

// charsIn gives the texts in a value: a text, a list of texts, or the values of an object.
func charsIn(v []byte) (n int, text string) {
	if len(v) == 0 {
		return 0, ""
	}
	add := func(v []byte) {
		m, t := charsIn(v)
		n, text = n+m, text+t
	}
	switch v[0] {
	case '"':
		text = transcript.Text(transcript.Inside(v))
		return len([]rune(text)), text
	case '[':
		transcript.Elements(v, add)
	case '{':
		transcript.Fields(v, func(_ string, v []byte) { add(v) })
	}
	return n, text
}
