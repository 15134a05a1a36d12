package history

import (
	"fmt"
	"strings"

	"kedge/internal/text/plain"
)

// Markdown writes a conversation as a document: what was said as it is, but that HTML and
// pictures in it stay text; tool calls in a line each, edits as diffs.
func Markdown(head string, about []string, list []Message) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", tame(plain.Line(head)))
	for _, a := range about {
		fmt.Fprintf(&b, "- %s\n", plain.Line(a))
	}
	who := Who(0)
	for i := range list {
		m := &list[i]
		if m.Who != who && m.Who != Tool || i == 0 {
			fmt.Fprintf(&b, "\n## %s%s\n", heading(m), stampText(m))
			who = m.Who
		}
		if m.Call != nil {
			callMarkdown(&b, m)
			continue
		}
		text := m.Text
		if m.Compacted {
			text = "*The context was replaced by a summary here.*"
		}
		if m.Who == Thinking {
			text = "> " + strings.ReplaceAll(tame(plain.Text(text)), "\n", "\n> ")
		} else {
			text = tame(plain.Text(text))
		}
		fmt.Fprintf(&b, "\n%s\n", strings.TrimSpace(text))
	}
	return b.String()
}

// heading is whose words come.
func heading(m *Message) string {
	switch m.Who {
	case You:
		return "You"
	case Thinking:
		return "Agent, thinking"
	case Summary:
		return "Summary"
	case Program:
		return "Program"
	default:
		return "Agent"
	}
}

func stampText(m *Message) string {
	if m.At.IsZero() {
		return ""
	}
	return m.At.Format(", 2006-01-02 15:04 UTC")
}

// callMarkdown is a line, with the diff of an edit below it.
func callMarkdown(b *strings.Builder, m *Message) {
	what := plain.Line(m.Call.What)
	if what != "" {
		fence := strings.Repeat("`", longest(what, '`')+1)
		what = " " + fence + pad(what) + fence
	}
	fmt.Fprintf(b, "\n- **%s**%s: %s\n", plain.Line(m.Call.Tool), what, m.Call.Outcome())
	if len(m.Call.Diff) == 0 {
		return
	}
	most := 2
	for _, l := range m.Call.Diff {
		most = max(most, longest(l.Text, '`'))
	}
	fence := strings.Repeat("`", most+1)
	fmt.Fprintf(b, "\n  %sdiff\n", fence)
	for _, l := range m.Call.Diff {
		fmt.Fprintf(b, "  %c%s\n", l.Kind, plain.Text(l.Text))
	}
	fmt.Fprintf(b, "  %s\n", fence)
}

// pad keeps a text that begins or ends with a backtick apart from its fence.
func pad(s string) string {
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		return " " + s + " "
	}
	return s
}

// longest is the length of the longest run of a character.
func longest(s string, c byte) (most int) {
	n := 0
	for i := range len(s) {
		if s[i] != c {
			n = 0
			continue
		}
		n++
		most = max(most, n)
	}
	return most
}

// tame gives a text in which no HTML and no picture is one for who shows it: a page that
// shows the document asks for nothing. Code stays as it is, where it surely is code; a block
// of it that nobody closed is closed.
func tame(text string) string {
	var b, paragraph strings.Builder
	end := func() {
		b.WriteString(tameParagraph(paragraph.String()))
		paragraph.Reset()
	}
	fence := ""
	for l := range strings.Lines(text) {
		rest := strings.TrimRight(l, " \t\r\n")
		mark := fenceOf(rest)
		switch {
		case fence != "":
			if b.WriteString(l); mark == rest && strings.HasPrefix(mark, fence) {
				fence = ""
			}
		case mark != "" && !strings.Contains(rest[len(mark):], "`"):
			end()
			fence = mark
			b.WriteString(l)
		default:
			if paragraph.WriteString(l); rest == "" {
				end()
			}
		}
	}
	end()
	if fence != "" {
		b.WriteString("\n" + fence)
	}
	return b.String()
}

// fenceOf gives the signs with which a line begins or ends a block of code.
func fenceOf(l string) string {
	for _, sign := range []string{"`", "~"} {
		if mark := l[:len(l)-len(strings.TrimLeft(l, sign))]; len(mark) >= 3 {
			return mark
		}
	}
	return ""
}

// tameParagraph does so for lines that belong together, outside of the code in them.
func tameParagraph(l string) string {
	var b strings.Builder
	for i := 0; i < len(l); i++ {
		switch {
		case l[i] == '`':
			n := leading(l[i:])
			end := closing(l[i+n:], n)
			b.WriteString(l[i : i+n+end])
			i += n + end - 1
		case l[i] == '\\' && i+1 < len(l) && (l[i+1] == '`' || l[i+1] == '\\'):
			b.WriteString(l[i : i+2])
			i++
		case l[i] == '<':
			b.WriteString("&lt;")
		case l[i] == '!' && i+1 < len(l) && l[i+1] == '[':
			b.WriteString("&#33;")
		default:
			b.WriteByte(l[i])
		}
	}
	return b.String()
}

// closing is how far it is to the end of code that begins with n backticks; 0: nobody ends it.
func closing(s string, n int) int {
	for i := 0; i < len(s); i++ {
		if s[i] != '`' {
			continue
		}
		k := leading(s[i:])
		if k == n {
			return i + k
		}
		i += k - 1
	}
	return 0
}
