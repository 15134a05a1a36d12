package detect

import (
	"strings"
	"unicode"
)

// Syntax is what must be known of a language to tell code from strings and
// comments.
type Syntax struct {
	line     string   // begins a comment up to the end of the line
	block    bool     // has /* */ comments
	nested   bool     // which may hold one another
	quotes   string   // the quotes of strings that end with their line
	long     []string // the quotes of strings that may have many lines
	raw      bool     // has Rust's r"", r#""# and lifetimes
	regexps  bool     // has JavaScript's /…/
	verbatim bool     // a backslash means nothing between backquotes
	hash     bool     // # begins a comment too
	spaced   bool     // a comment begins only behind a blank: $# and a#b are none
	shell    bool     // a backslash hides a quote, and means nothing between single ones
}

// Braced tells whether blocks stand in braces.
func (x Syntax) Braced() bool { return x.line == "//" }

// The languages whose strings and comments can be told from their code.
var (
	PythonSyntax = Syntax{line: "#", quotes: `'"`, long: []string{`"""`, `'''`}}
	JSSyntax     = Syntax{line: "//", block: true, quotes: `'"`, long: []string{"`"}, regexps: true}
	RustSyntax   = Syntax{line: "//", block: true, nested: true, long: []string{`"`}, raw: true}
	JavaSyntax   = Syntax{line: "//", block: true, quotes: `'"`, long: []string{`"""`}}
	GoSyntax     = Syntax{line: "//", block: true, verbatim: true, quotes: `'"`, long: []string{"`"}}
	CSyntax      = Syntax{line: "//", block: true, quotes: `'"`}
	PHPSyntax    = Syntax{line: "//", block: true, hash: true, long: []string{`"`, `'`}}
	RubySyntax   = Syntax{line: "#", quotes: `'"`, regexps: true, spaced: true}
	ShellSyntax  = Syntax{line: "#", long: []string{`"`, `'`}, spaced: true, shell: true}
)

// Mask gives the source with the insides of strings and all comments replaced by
// blanks, byte for byte, so that offsets and lines stay what they were.
// Bare has only the comments blank.
func (x Syntax) Mask(src string) (masked, bare string) {
	m := masker{Syntax: x, src: src, out: []byte(src), bare: []byte(src)}
	for m.pos < len(src) {
		m.step()
	}
	return string(m.out), string(m.bare)
}

type masker struct {
	Syntax
	src  string
	out  []byte
	bare []byte
	pos  int
	last byte // the last character of code that was not blank
}

func (m *masker) has(prefix string) bool {
	return prefix != "" && strings.HasPrefix(m.src[m.pos:], prefix)
}

// step passes one character of code, or a whole string or comment.
func (m *masker) step() {
	c := m.src[m.pos]
	switch {
	case m.comments(c):
		m.comment(m.index("\n", m.pos))
	case m.block && m.has("/*"):
		m.comment(m.commentEnd())
	case m.shell && c == '\\':
		m.pos = min(m.pos+2, len(m.src))
	case m.shell && c == '\'':
		m.inside(1, m.index("'", m.pos+1), 1)
	case m.raw && m.rawString():
	case m.longString():
	case strings.IndexByte(m.quotes, c) >= 0:
		m.inside(1, m.stringEnd(string(c), m.pos+1, true), 1)
	case m.raw && c == '\'':
		m.charOrLifetime()
	case m.regexps && c == '/' && m.regexpStarts():
		m.inside(1, m.regexpEnd(), 1)
	default:
		if c != ' ' && c != '\t' {
			m.last = c
		}
		m.pos++
	}
}

// comments tells whether a comment up to the end of the line begins here.
func (m *masker) comments(c byte) bool {
	if !m.has(m.line) && (!m.hash || c != '#' || m.has("#[")) {
		return false
	}
	return !m.spaced || m.pos == 0 || strings.IndexByte(" \t\n;(", m.src[m.pos-1]) >= 0
}

// comment blanks a comment everywhere.
func (m *masker) comment(end int) {
	from := m.pos
	m.blankTo(end)
	copy(m.bare[from:end], m.out[from:end])
}

// index is strings.Index from a position, with the end of the source for none.
func (m *masker) index(s string, from int) int {
	if i := strings.Index(m.src[min(from, len(m.src)):], s); i >= 0 {
		return from + i
	}
	return len(m.src)
}

// blankTo replaces all up to end.
func (m *masker) blankTo(end int) {
	for i := m.pos; i < end; i++ {
		if m.out[i] != '\n' {
			m.out[i] = ' '
		}
	}
	m.pos = end
}

// inside blanks what is between the quotes, of which before and after give the
// lengths, and goes on behind.
func (m *masker) inside(before, end, after int) {
	m.pos = min(m.pos+before, len(m.src))
	m.blankTo(max(end, m.pos))
	m.pos = min(m.pos+after, len(m.src))
	m.last = '"'
}

func (m *masker) commentEnd() int {
	depth, i := 1, m.pos+2
	for i < len(m.src) {
		switch {
		case strings.HasPrefix(m.src[i:], "*/"):
			i += 2
			if depth--; depth == 0 {
				return i
			}
		case m.nested && strings.HasPrefix(m.src[i:], "/*"):
			depth++
			i += 2
		default:
			i++
		}
	}
	return i
}

func (m *masker) longString() bool {
	for _, q := range m.long {
		if m.has(q) {
			end := m.index(q, m.pos+1)
			if !m.verbatim || q != "`" {
				end = m.stringEnd(q, m.pos+len(q), false)
			}
			for len(q) == 3 && end+3 < len(m.src) && m.src[end+3] == q[0] {
				end++ // the last three of a row of quotes close it
			}
			m.inside(len(q), end, len(q))
			return true
		}
	}
	return false
}

// stringEnd is where the closing quote stands, or the end of the line for a
// string that must end there.
func (m *masker) stringEnd(quote string, from int, oneLine bool) int {
	for i := from; i < len(m.src); i++ {
		switch {
		case m.src[i] == '\\':
			i++
		case oneLine && m.src[i] == '\n':
			return i
		case strings.HasPrefix(m.src[i:], quote):
			return i
		}
	}
	return len(m.src)
}

// rawString passes Rust's r"…" and r#"…"#.
func (m *masker) rawString() bool {
	if m.src[m.pos] != 'r' || m.pos > 0 && WordByte(m.src[m.pos-1]) && m.src[m.pos-1] != 'b' {
		return false
	}
	i := m.pos + 1
	for i < len(m.src) && m.src[i] == '#' {
		i++
	}
	if i >= len(m.src) || m.src[i] != '"' {
		return false
	}
	closing := `"` + strings.Repeat("#", i-m.pos-1)
	m.inside(i+1-m.pos, m.index(closing, i+1), len(closing))
	return true
}

// charOrLifetime tells 'a' from 'a.
func (m *masker) charOrLifetime() {
	end := m.stringEnd("'", m.pos+1, true)
	if end-m.pos <= 12 && (m.pos+1 < len(m.src) && m.src[m.pos+1] == '\\' || end-m.pos <= 5 && !strings.ContainsAny(m.src[m.pos+1:end], " ,>)&")) {
		m.inside(1, end, 1)
		return
	}
	m.pos++
}

// regexpStarts tells a regular expression from a division by what stands before.
func (m *masker) regexpStarts() bool {
	if m.last == 0 || strings.IndexByte("(,=:[!&|?{};+\n", m.last) >= 0 {
		return true
	}
	before := strings.TrimRight(m.src[max(0, m.pos-10):m.pos], " \t")
	return strings.HasSuffix(before, "return") || strings.HasSuffix(before, "typeof")
}

func (m *masker) regexpEnd() int {
	class := false
	for i := m.pos + 1; i < min(len(m.src), m.pos+1000) && m.src[i] != '\n'; i++ {
		switch c := m.src[i]; {
		case c == '\\':
			i++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			return i
		}
	}
	return m.pos + 1 // no end in its line: it was none
}

// WordByte tells whether a byte is part of a word.
func WordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// Code is a source with its mask and, for every bracket that opens, the offset
// just behind the one that closes it: the end of the source when there is none.
// Kinds of brackets are not told apart.
type Code struct {
	Src, Masked, Bare string
	Closes            []int32
}

// Code masks a source and pairs its brackets.
func (x Syntax) Code(src string) Code {
	c := Code{Src: src, Closes: make([]int32, len(src))}
	c.Masked, c.Bare = x.Mask(src)
	var open []int
	for i := range len(c.Masked) {
		switch c.Masked[i] {
		case '(', '[', '{':
			c.Closes[i] = int32(len(src))
			open = append(open, i)
		case ')', ']', '}':
			if n := len(open); n > 0 {
				c.Closes[open[n-1]] = int32(i + 1)
				open = open[:n-1]
			}
		}
	}
	return c
}

// Partner is behind the bracket that closes the one at open.
func (c Code) Partner(open int) int { return int(c.Closes[open]) }

// Blanks gives the offset of the first character from at on that is not blank.
func (c Code) Blanks(at int) int {
	for at < len(c.Masked) && strings.IndexByte(" \t\r\n", c.Masked[at]) >= 0 {
		at++
	}
	return at
}

// Words gives the words of a text, as names of programs are made.
func Words(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// Change is one file in its two versions; nil stands for no file.
type Change struct {
	Path          string
	Before, After []byte
}

// common are names that say nothing: every program has them.
var common = map[string]bool{"main": true, "init": true, "self": true, "this": true, "test": true, "setup": true, "index": true, "from": true, "name": true, "data": true, "value": true, "error": true, "result": true}

// Common tells whether a name says nothing, because every program has it.
func Common(name string) bool { return common[strings.ToLower(name)] }
