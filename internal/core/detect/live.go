package detect

import (
	"strings"

	"kedge/internal/text/lazyre"
)

var (
	deadIf   = lazyre.New(`\b(?:if|while)\s*(?:\(\s*(?:false|0|!1|!true)\s*\)|false)\s*\{`)
	deadPart = lazyre.New(`(?m)^[ \t]*#[ \t]*if[ \t]+(?:0|false)[ \t]*$`)
	anyPart  = lazyre.New(`(?m)^[ \t]*#[ \t]*(if|else|elif|endif)`)
	deadLine = lazyre.New(`(?m)^([ \t]*)(?:if|while)\s+(?:False|0|None)\s*:[^\n]*$`)
	tries    = lazyre.New(`\btry\s*\{|\brunCatching\s*\{|\bcatch_unwind\s*\(`)
	catches  = lazyre.New(`^\s*catch\b\s*(?:\(([^)]*)\))?\s*\{`)
	speaks   = lazyre.New(`(?i)\b(?:throw|raise|\w*fail\w*|\w*assert\w*|\w*expect\w*|reject|abort|exit|panic|done|t\.\w+|should)\b`)
	pyTries  = lazyre.New(`(?m)^([ \t]*)(?:try\s*:|with\s+(?:contextlib\.)?suppress\s*\([^)\n]*(?:AssertionError|\bException|BaseException)[^)\n]*\)\s*:)\s*$`)
	pyExcept = lazyre.New(`^except\b\s*(?:\(?[^:]*\b(?:AssertionError|Exception|BaseException)\b[^:]*)?:`)
)

// Live blanks what never runs: code under a condition that is written down as false.
func (c Code) Live() Code {
	masked, bare := []byte(c.Masked), []byte(c.Bare)
	blank := func(from, to int) {
		for i := max(from, 0); i < min(to, len(masked)); i++ {
			if masked[i] != '\n' {
				masked[i], bare[i] = ' ', ' '
			}
		}
	}
	for _, m := range deadIf.FindAllStringIndex(c.Masked, -1) {
		blank(m[0], c.Partner(m[1]-1))
	}
	for _, m := range deadPart.FindAllStringIndex(c.Masked, -1) {
		blank(m[0], partEnd(c.Masked, m[1]))
	}
	for _, m := range deadLine.FindAllStringSubmatchIndex(c.Masked, -1) {
		blank(m[0], indentEnd(c.Masked, m[1], m[3]-m[2]))
	}
	c.Masked, c.Bare = string(masked), string(bare)
	return c
}

// partEnd is where the other branch, or the end, of a condition of the preprocessor stands.
func partEnd(src string, from int) int {
	depth := 0
	for _, m := range anyPart.FindAllStringSubmatchIndex(src[from:], -1) {
		switch word := src[from+m[2] : from+m[3]]; {
		case word == "if":
			depth++
		case word == "endif" && depth > 0:
			depth--
		case depth == 0:
			return from + m[0]
		}
	}
	return len(src)
}

// indentEnd is the end of the lines that stand deeper than an indent.
func indentEnd(src string, from, indent int) int {
	end := from
	for at := from + 1; at < len(src); {
		to := len(src)
		if i := strings.IndexByte(src[at:], '\n'); i >= 0 {
			to = at + i
		}
		line := src[at:to]
		if text := strings.TrimLeft(line, " \t"); strings.TrimSpace(text) != "" {
			if len(line)-len(text) <= indent {
				return end
			}
			end = to
		}
		at = to + 1
	}
	return end
}

// Quiet are the parts of a source whose failures somebody takes without a word: what is tried, and a
// handler that takes failed assertions and says nothing. Takes is what such a handler catches; nil:
// every one does.
func (c Code) Quiet(takes *lazyre.Regexp) [][2]int {
	var out [][2]int
	for _, m := range tries.FindAllStringIndex(c.Masked, -1) {
		end := c.Partner(m[1] - 1)
		if !strings.HasPrefix(c.Masked[m[0]:], "try") {
			if before := strings.TrimRight(c.Masked[max(0, m[0]-40):m[0]], " \t"); before == "" || strings.HasSuffix(before, "\n") || strings.HasSuffix(before, "_ = std::panic::") || strings.HasSuffix(before, "_ = panic::") {
				out = append(out, [2]int{m[1], end})
			}
			continue
		}
		handler := catches.FindStringSubmatchIndex(c.Masked[end:])
		if handler == nil || takes != nil && (handler[2] < 0 || !takes.MatchString(c.Masked[end+handler[2]:end+handler[3]])) {
			continue
		}
		if !speaks.MatchString(c.Masked[end+handler[1] : max(end+handler[1], c.Partner(end+handler[1]-1))]) {
			out = append(out, [2]int{m[1], end})
		}
	}
	return out
}

// QuietLines is Quiet for Python.
func (c Code) QuietLines() [][2]int {
	var out [][2]int
	for _, m := range pyTries.FindAllStringSubmatchIndex(c.Masked, -1) {
		indent := m[3] - m[2]
		end := indentEnd(c.Masked, m[1], indent)
		if !strings.HasPrefix(c.Masked[m[3]:], "try") {
			out = append(out, [2]int{m[1], end})
			continue
		}
		next := end + len(c.Masked[end:]) - len(strings.TrimLeft(c.Masked[end:], " \t\n"))
		head := pyExcept.FindStringIndex(c.Masked[next:])
		if head != nil && !speaks.MatchString(c.Masked[next+head[1]:max(next+head[1], indentEnd(c.Masked, next+len(firstLine(c.Masked[next:])), indent))]) {
			out = append(out, [2]int{m[1], end})
		}
	}
	return out
}

var (
	rubyBegin  = lazyre.New(`(?m)^([ \t]*)begin\s*$`)
	rubyRescue = lazyre.New(`^rescue\b[^\n]*(?:\bException|Assertion|Expectation|StandardError, Exception|Object)\b?[^\n]*`)
)

// QuietBlocks is Quiet for Ruby.
func (c Code) QuietBlocks() [][2]int {
	var out [][2]int
	for _, m := range rubyBegin.FindAllStringSubmatchIndex(c.Masked, -1) {
		indent := m[3] - m[2]
		end := indentEnd(c.Masked, m[1], indent)
		next := end + len(c.Masked[end:]) - len(strings.TrimLeft(c.Masked[end:], " \t\n"))
		head := rubyRescue.FindStringIndex(c.Masked[next:])
		if head != nil && !speaks.MatchString(c.Masked[next+head[1]:max(next+head[1], indentEnd(c.Masked, next+head[1], indent))]) {
			out = append(out, [2]int{m[1], end})
		}
	}
	return out
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

var (
	shellCut  = lazyre.New(`(?m)^(?:@test\b|\}[ \t]*$|test_expect_\w+ )`)
	shellDead = lazyre.New(`(?m)^exit(?:[ \t]+0)?[ \t]*$`)
)

// ShellCode masks a script piece by piece: a quote that is left open, in a here document, spoils no
// more than one piece. Brackets in shell are not always in pairs, so lines are its statements.
func ShellCode(src string) Code {
	c := Code{Src: src, Closes: make([]int32, len(src))}
	var masked, bare strings.Builder
	at := 0
	for _, m := range append(shellCut.FindAllStringIndex(src, -1), []int{len(src), len(src)}) {
		a, b := ShellSyntax.Mask(src[at:m[0]])
		masked.WriteString(a)
		bare.WriteString(b)
		at = m[0]
	}
	c.Masked, c.Bare = masked.String(), bare.String()
	if m := shellDead.FindStringIndex(c.Masked); m != nil { // what stands behind is never run
		blank := strings.Map(func(r rune) rune {
			if r == '\n' {
				return r
			}
			return ' '
		}, strings.ToValidUTF8(c.Masked[m[1]:], " "))
		if len(blank) == len(c.Masked)-m[1] {
			c.Masked, c.Bare = c.Masked[:m[1]]+blank, c.Bare[:m[1]]+blank
		}
	}
	for i := range c.Closes {
		c.Closes[i] = int32(min(i+1, len(src)))
	}
	return c
}
