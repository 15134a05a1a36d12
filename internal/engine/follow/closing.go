package follow

import (
	"strings"

	"kedge"
	"kedge/internal/core/watch"
	"kedge/internal/text/redact"
	"kedge/internal/text/words"
)

// Closing keeps what the agent said last: everything since its last call of a tool or,
// where it said nothing after that, what it said before it.
type Closing struct {
	said []string
	over bool // it acted since: what it says next begins anew
}

// Take takes in an event.
func (c *Closing) Take(ev watch.Act) {
	switch ev.Kind {
	case watch.Call:
		c.over = true
	case watch.Say:
		text := forPeople(ev.Text)
		if text == "" {
			return
		}
		if c.over {
			c.said, c.over = nil, false
		}
		c.said = append(c.said[max(0, len(c.said)-maxSaid+1):], text)
	default:
	}
}

// maxSaid bounds how many messages in a row are remembered.
const maxSaid = 8

// Text is what is kept of it. Secrets are removed before it is cut: half of one is not
// recognised any more.
func (c *Closing) Text() string {
	text := redact.Text(strings.Join(c.said, "\n"))
	if len(text) <= kedge.MaxClosing {
		return text
	}
	const head = kedge.MaxClosing * 3 / 5
	tail := text[len(text)-(kedge.MaxClosing-head-len(gap)):]
	if _, rest, ok := strings.Cut(tail, " "); ok {
		tail = rest // from a whole word on
	}
	return words.ClipBytes(text[:head], head-len("…")) + gap + strings.ToValidUTF8(tail, "")
}

// gap stands where the middle of a long text was.
const gap = "\n…\n"

// forPeople leaves out the lines that are meant for Kedge.
func forPeople(text string) string {
	var out []string
	for line := range strings.Lines(strings.ToValidUTF8(text, "\uFFFD")) {
		if line = strings.TrimRight(line, " \t\r\n"); !strings.HasPrefix(line, "KEDGE {") {
			out = append(out, line)
		}
	}
	return strings.TrimSpace(strings.Join(out, "\n"))
}
