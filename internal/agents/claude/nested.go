package claude

import (
	"bytes"

	"kedge/internal/insight/audit"
	"kedge/internal/insight/transcript"
)

// kept1h is how much of a cache write is kept for an hour.
func kept1h(v []byte) (tokens int64) {
	if len(v) == 0 || v[0] != '{' {
		return 0
	}
	transcript.Fields(v, func(key string, v []byte) {
		if key == "ephemeral_1h_input_tokens" {
			tokens = transcript.Integer(v)
		}
	})
	return tokens
}

// progress gives what a reply to a sub-agent used, of which a session writes down the news.
func (c *keptReader) progress(data []byte) {
	if !bytes.Contains(data, []byte(`"usage"`)) {
		return
	}
	transcript.Fields(data, func(key string, v []byte) {
		if key == "agentId" {
			c.agents.hears(transcript.Inside(v), c.l.parent)
		}
		if key != "message" || len(v) == 0 || v[0] != '{' {
			return
		}
		var l keptLine
		if !l.parse(v) || string(l.typ) != "assistant" {
			return
		}
		session := c.At
		c.At = transcript.First(transcript.Stamp(string(l.at)), session)
		c.reply(&l.message, l.asked, true)
		c.At = session
	})
}

// reply gives a reply of the model, which the program itself did not write.
func (c *keptReader) reply(m *keptMessage, asked []byte, nested bool) {
	if string(m.model) == "<synthetic>" {
		return
	}
	e := audit.Entry{Kind: audit.Reply, Reply: transcript.Text(m.id), Asked: transcript.Text(asked), Model: transcript.Text(m.model), Nested: nested}
	if e.Reply == "" { // a server that is not the vendor's
		e.Reply = e.Asked
	}
	if m.fast {
		e.Model += " (fast)" // which has a price of its own
	}
	if m.used {
		used := m.usage
		used.Hour = min(used.Hour, used.CacheWrite)
		e.Usage = &used
	}
	c.Give(e)
}
