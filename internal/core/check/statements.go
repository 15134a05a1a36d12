package check

import (
	"slices"
	"strings"

	"kedge/internal/text/lazyre"
)

// shellStart is how a command begins that is handed to a shell of its own.
var shellStart = lazyre.New(`^(?:\S*/)?(?:ba|z|da)?sh -l?c `)

// Into stands among the words of a statement before the name of a file that its output
// is written to, Aside before one for what goes wrong; no word looks so.
const (
	Into  = "\x00>"
	Aside = "\x002>"
)

// maxScan bounds how much of a command is looked at, in bytes.
const maxScan = 32 << 10

// document is where a text begins that a command is given in its own lines.
var document = lazyre.New(`<<-?\s*\\?["']?([A-Za-z_]\w*)["']?`)

// withoutDocuments gives a command without such texts: what stands in them is not run.
// One without an end reaches to that of the command where that was cut.
func withoutDocuments(command string, whole bool) string {
	if !strings.Contains(command, "<<") {
		return command
	}
	lines := strings.SplitAfter(command, "\n")
	var b strings.Builder
	for i := 0; i < len(lines); i++ {
		b.WriteString(lines[i])
		m := document.FindStringSubmatch(strings.ReplaceAll(lines[i], "<<<", ""))
		if m == nil {
			continue
		}
		end := slices.IndexFunc(lines[i+1:], func(l string) bool { return strings.TrimSpace(l) == m[1] })
		if end >= 0 {
			i += end + 1
		} else if !whole {
			break
		}
	}
	return b.String()
}

// Statements cuts a command, as far as it is looked at, into the words of each of its
// parts, without quotes; before a file that is written to stands Into.
func Statements(command string) [][]string {
	whole := len(command) <= maxScan && !strings.HasSuffix(command, "…")
	command = command[:min(len(command), maxScan)]
	if at := shellStart.FindStringIndex(command); at != nil {
		command = unquoted(command[at[1]:])
	}
	command = withoutDocuments(command, whole)
	var c cutter
	for _, r := range command {
		c.take(r)
	}
	c.endStatement()
	return c.list
}

// cutter cuts a command into statements and words, rune by rune.
type cutter struct {
	list    [][]string
	words   []string // of the statement so far
	word    strings.Builder
	begun   bool // there is a word, be it empty
	escaped bool // the next rune is itself
	within  rune // quotes of this kind, or '#' for a remark; 0 is neither
	last    rune // the one before, where it stands in neither
}

func (c *cutter) take(r rune) {
	switch {
	case c.escaped:
		c.escaped = false
		c.itself(r)
	case r == '\\' && c.within != '\'' && c.within != '#':
		c.escaped = true
	case c.within == '#' && r == '\n':
		c.within = 0
		c.endStatement()
	case c.within == r && r != '#':
		c.within = 0
	case c.within == '#':
	case c.within != 0:
		c.write(r)
	default:
		c.bare(r)
	}
	if c.last = r; c.escaped || c.within != 0 {
		c.last = 0
	}
}

// itself takes a rune behind a backslash. Two lines are one by it, and between quotes
// it is itself before most.
func (c *cutter) itself(r rune) {
	if r == '\n' {
		return
	}
	if c.within != 0 && !strings.ContainsRune("$`\"\\", r) {
		c.write('\\')
	}
	c.write(r)
}

// bare takes a rune that stands in no quotes.
func (c *cutter) bare(r rune) {
	switch {
	case r == '\'' || r == '"':
		c.within, c.begun = r, true
	case r == '#' && !c.begun:
		c.within = '#'
	case r == ' ' || r == '\t':
		c.endWord()
	case c.last == '>' && (r == '>' || r == '&' || r == '|'): // of one sign
	case r == '>':
		sign := signOf(&c.word)
		c.begun = c.begun && c.word.Len() > 0
		c.endWord()
		c.words = append(c.words, sign)
	case strings.ContainsRune(";|&\n()", r):
		c.endStatement()
	default:
		c.write(r)
	}
}

func (c *cutter) write(r rune) {
	c.word.WriteRune(r)
	c.begun = true
}

func (c *cutter) endWord() {
	if c.begun {
		c.words = append(c.words, c.word.String())
	}
	c.word.Reset()
	c.begun = false
}

func (c *cutter) endStatement() {
	c.endWord()
	c.list, c.words = append(c.list, c.words), nil
}

// signOf tells what a ">" behind a word sends elsewhere; a number is no word then.
func signOf(word *strings.Builder) string {
	number := word.String()
	if number == "1" || number == "2" {
		word.Reset()
	}
	if number == "2" {
		return Aside
	}
	return Into
}

// unquoted gives what a shell of its own is handed, without the quotes around it.
func unquoted(s string) string {
	for _, q := range []string{`"`, "'"} {
		if rest, ok := strings.CutPrefix(s, q); ok && !strings.Contains(strings.TrimSuffix(rest, q), q) {
			return strings.TrimSuffix(rest, q)
		}
	}
	return strings.Trim(s, `"`)
}
