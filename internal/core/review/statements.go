package review

import (
	"strings"

	"kedge/internal/core/detect"
	"kedge/internal/text/lazyre"
)

// Code is a source with what must be known to find its statements.
type Code struct {
	detect.Code
	OfTests bool     // what is read is a test, and not what stands around it
	Braced  bool     // blocks stand in braces
	Lined   bool     // a statement ends with its line
	Silent  [][2]int // where a failure is taken without a word
}

// HeadOf is the condition under which an offset stands; empty if there is none.
func (c Code) HeadOf(at, from int) string {
	for i := at - 1; i >= max(from, at-600); i-- {
		if c.Masked[i] != '{' || c.Partner(i) <= at {
			continue
		}
		start := max(strings.LastIndexAny(c.Masked[from:i], ";{}")+1+from, from)
		if head := strings.TrimSpace(c.Bare[start:i]); strings.HasPrefix(head, "if") {
			return head
		}
		return ""
	}
	return ""
}

// StatementStart is where the statement around an offset begins.
func (c Code) StatementStart(at, from int) int {
	start := from + strings.LastIndexAny(c.Masked[from:at], "\n;") + 1
	for i := start; i < at; i++ {
		if c.Masked[i] != '{' {
			continue
		}
		if end := c.Partner(i); end > i+1 && end <= at {
			i = end - 1
			continue
		}
		start = i + 1
	}
	return start
}

// StatementEnd is where the statement around an offset ends: at a semicolon, at a bracket that
// was open before, or at the end of a line that is not continued.
func (c Code) StatementEnd(at, to int) int {
	if c.Lined {
		return min(to, c.textEnd(at))
	}
	last := byte(0)
	for i := at; i < to; i++ {
		switch b := c.Masked[i]; b {
		case '(', '[', '{':
			if p := c.Partner(i); p > i+1 {
				i = min(p, to) - 1
			}
			last = ')'
		case ')', ']', '}', ';':
			return i
		case '\n':
			if !c.continued(i, last) {
				return i
			}
		case ' ', '\t', '\r':
		default:
			last = b
		}
	}
	return to
}

// textEnd is the end of the line that an offset is in, or of the one in which a text ends that began
// there.
func (c Code) textEnd(at int) int {
	end := LineEnd(c.Masked, at)
	if m := hereText.FindStringSubmatch(c.Bare[at:end]); m != nil {
		for n, next := 0, end; n < maxText && next < len(c.Bare); n++ {
			line := c.Bare[next+1 : LineEnd(c.Bare, next+1)]
			next += 1 + len(line)
			if strings.TrimSpace(line) == m[1] {
				return next
			}
		}
	}
	for n := 0; n < maxText && end < len(c.Masked) && openText(c.Masked[at:end]); n++ {
		end = LineEnd(c.Masked, end+1)
	}
	return end
}

// continued tells whether the statement goes on behind a line's end.
func (c Code) continued(newline int, last byte) bool {
	if strings.IndexByte(",=&|+\\.(<>", last) >= 0 && last != 0 {
		return true
	}
	next := c.Blanks(newline)
	return next < len(c.Masked) && (c.Masked[next] == '.' || strings.HasPrefix(c.Masked[next:], "->") || strings.HasPrefix(c.Masked[next:], "?.") || c.Masked[next] == '=' || strings.HasPrefix(c.Masked[next:], "&&") || strings.HasPrefix(c.Masked[next:], "||"))
}

// Innermost is the body of the function that a test is.
func (c Code) Innermost(from, to int) (int, int) {
	if i := strings.IndexByte(c.Masked[from:to], '{'); i >= 0 && !strings.Contains(c.Masked[from:from+i], ";") && strings.TrimRight(c.Masked[min(c.Partner(from+i), to):to], " \t\n);,") == "" {
		return from + i + 1, max(from+i+1, min(c.Partner(from+i)-1, to))
	}
	return from, to
}

// Conditional tells whether a return depends on something that stands before it in its statement.
func (c Code) Conditional(from, at int) bool {
	before := strings.TrimRight(c.Masked[from:at], " \t\n")
	return strings.HasSuffix(before, ")") || strings.HasSuffix(before, "else") || strings.HasSuffix(before, "?:") || strings.HasSuffix(before, "=>") || strings.HasSuffix(before, "&&") || strings.HasSuffix(before, "||")
}

// Block is the block behind a condition, and where it ends; empty if there is none.
func (c Code) Block(at, to int) (string, int) {
	i := c.Blanks(at)
	for i < to && c.Masked[i] != '{' {
		switch c.Masked[i] {
		case '(', '[':
			i = max(i+1, c.Partner(i))
		case ';', '}', '\n':
			return "", at
		default:
			i++
		}
		if next := c.Blanks(i); next < to && c.Masked[next] == '{' {
			i = next
		}
	}
	if i >= to {
		return "", at
	}
	end := min(c.Partner(i), to)
	return c.Masked[i+1 : max(i+1, end-1)], end
}

// openText tells whether a piece of masked code ends inside a text.
func openText(s string) bool { return strings.Count(s, `"`)%2 == 1 || strings.Count(s, "'")%2 == 1 }

// hereText is a text that follows a line of shell, up to a word.
var hereText = lazyre.New(`<<[-~]?\s*["']?([A-Za-z_!]\w*|!)["']?`)

// maxText is how many lines a text may have.
const maxText = 40

// LineEnd is the offset of the end of the line.
func LineEnd(s string, at int) int {
	if i := strings.IndexByte(s[min(at, len(s)):], '\n'); i >= 0 {
		return at + i
	}
	return len(s)
}
