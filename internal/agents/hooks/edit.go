package hooks

import (
	"slices"
	"strings"
)

// Cut is one place of a text that was changed: Len bytes at At, where Old stood.
type Cut struct {
	At  int    `json:"at"`
	Len int    `json:"len"`
	Old string `json:"old,omitempty"`
}

// editor changes a text in place and knows how to take it back.
type editor struct {
	text string
	cuts []Cut
}

// replace puts put where n bytes at at stood.
func (e *editor) replace(at, n int, put string) {
	delta := len(put) - n
	old := e.text[at : at+n]
	e.text = e.text[:at] + put + e.text[at+n:]
	within := false
	for i := range e.cuts {
		c := &e.cuts[i]
		switch {
		case at > c.At && at+n < c.At+c.Len: // in what was put there before
			c.Len += delta
			within = true
		case c.At >= at+n:
			c.At += delta
		}
	}
	if !within {
		e.cuts = append(e.cuts, Cut{At: at, Len: len(put), Old: old})
	}
}

// Undo takes the cuts, which are places of this text, back; false where they
// cannot be.
func Undo(text string, cuts []Cut) (string, bool) {
	cuts = slices.Clone(cuts)
	slices.SortFunc(cuts, func(a, b Cut) int { return b.At - a.At })
	end := len(text)
	for _, c := range cuts {
		if c.At < 0 || c.Len < 0 || c.At+c.Len > end {
			return "", false
		}
		text = text[:c.At] + c.Old + text[c.At+c.Len:]
		end = c.At
	}
	return text, true
}

// add puts a member or an element at the end of an object or a list, in the way
// it is written. A comment behind the last one stays there.
func (e *editor) add(n *node, value string) {
	if len(n.kids) == 0 {
		e.addFirst(n, value)
		return
	}
	last := n.kids[len(n.kids)-1]
	sep := " "
	if strings.Contains(e.text[n.from:n.kids[0].from], "\n") {
		sep = e.newline() + e.indent(last.from)
	}
	end := n.to - 1
	for blank(e.text[end-1]) {
		end--
	}
	if last.comma >= 0 {
		e.replace(end, 0, sep+value+",")
		return
	}
	if end == last.val.to {
		e.replace(end, 0, ","+sep+value)
		return
	}
	e.replace(end, 0, sep+value)
	e.replace(last.val.to, 0, ",")
}

// addFirst fills an empty object or list.
func (e *editor) addFirst(n *node, value string) {
	outer := e.indent(n.from)
	step := e.step()
	nl := e.newline()
	e.replace(n.from+1, 0, nl+outer+step+value+nl+outer)
}

// indent is the white space that the line of an offset begins with.
func (e *editor) indent(at int) string {
	start := strings.LastIndexByte(e.text[:at], '\n') + 1
	line := e.text[start:at]
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// step is one level of indentation as the text has it.
func (e *editor) step() string {
	for line := range strings.Lines(e.text) {
		if rest := strings.TrimLeft(line, " \t"); len(rest) < len(line) && strings.TrimSpace(rest) != "" {
			return line[:len(line)-len(rest)]
		}
	}
	return "  "
}

func (e *editor) newline() string {
	if strings.Contains(e.text, "\r\n") {
		return "\r\n"
	}
	return "\n"
}

// drop takes a member or an element out, with one comma and the blanks around it.
func (e *editor) drop(n *node, i int) {
	k := n.kids[i]
	from, to := k.from, k.val.to
	if k.comma >= 0 {
		to = k.comma + 1
	}
	if i > 0 {
		from = e.before(n.kids[i-1].val.to, from)
		e.replace(from, to-from, "")
		if k.comma < 0 {
			e.replace(n.kids[i-1].comma, 1, "")
		}
		return
	}
	for blank(e.text[to]) {
		to++
	}
	if len(n.kids) == 1 {
		from = e.before(n.from+1, from)
	}
	e.replace(from, to-from, "")
}

// before is where the blanks before an offset begin. The end of a line that is a
// comment belongs to it.
func (e *editor) before(after, at int) int {
	gap := strings.TrimRight(e.text[after:at], " \t\r\n")
	line := gap[strings.LastIndexByte(gap, '\n')+1:]
	if strings.HasSuffix(line, "*/") || !strings.Contains(line, "//") {
		return after + len(gap)
	}
	end := strings.IndexByte(e.text[after+len(gap):at], '\n')
	return after + len(gap) + end + 1
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }
