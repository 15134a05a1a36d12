package detect

import (
	"strings"

	"kedge/internal/text/lazyre"
)

// Tokens cuts code into words, numbers, strings and signs.
func Tokens(code string) []string {
	var out []string
	for i := 0; i < len(code); {
		n := tokenEnd(code, i)
		if t := code[i:n]; strings.TrimSpace(t) != "" {
			out = append(out, oneQuote(t))
		}
		i = n
	}
	return tidy(out)
}

func tokenEnd(code string, i int) int {
	c := code[i]
	switch {
	case WordByte(c):
		for i++; i < len(code) && (WordByte(code[i]) || code[i] == '.' && c >= '0' && c <= '9'); i++ {
		}
		return i
	case c == '"' || c == '\'' || c == '`':
		for j := i + 1; j < len(code) && code[j] != '\n'; j++ {
			if code[j] == '\\' {
				j++
			} else if code[j] == c {
				return j + 1
			}
		}
	case strings.HasPrefix(code[i:], "->") || strings.HasPrefix(code[i:], ":="):
		return i + 2
	case strings.IndexByte("=!<>&|", c) >= 0:
		for i++; i < len(code) && strings.IndexByte("=!<>&|~", code[i]) >= 0; i++ {
		}
		return i
	}
	return i + 1
}

// oneQuote writes strings with the same quotes.
func oneQuote(t string) string {
	if n := len(t); n > 1 && (t[0] == '\'' || t[0] == '`') && t[n-1] == t[0] && strings.IndexByte(t[1:n-1], '"') < 0 {
		return `"` + t[1:n-1] + `"`
	}
	return t
}

// tidy drops what formatters put and take: semicolons, and commas before a bracket that closes.
func tidy(words []string) []string {
	out := words[:0]
	for i, w := range words {
		if w == ";" || w == "\\" || w == "," && (i+1 == len(words) || strings.Contains(")]}", words[i+1])) {
			continue
		}
		out = append(out, w)
	}
	return out
}

// Commented gives the words of the comments in a part of a text.
func Commented(src, bare string) string {
	if src == bare {
		return ""
	}
	out := []byte(src)
	for i := range out {
		if out[i] == bare[i] && out[i] != '\n' && out[i] != ' ' {
			out[i] = ' '
		}
	}
	var words []string
	for line := range strings.SplitSeq(string(out), "\n") {
		words = append(words, Tokens(strings.TrimLeft(line, " \t/#*-"))...)
	}
	return strings.Join(words, " ")
}

var (
	constant = lazyre.New(`^(?:["'` + "`" + `].*|[0-9].*|true|false|null|nil|none|True|False|None|NULL|undefined)$`)
	wordy    = lazyre.New(`^[\pL_"'` + "`" + `0-9]`)
)

// Literal tells of a token whether it is a text, a number, a truth or nothing.
func Literal(token string) bool { return constant.MatchString(token) }

// Wordy tells of a token whether it is a name, a text or a number, and no sign.
func Wordy(token string) bool { return wordy.MatchString(token) }

// LineCounter tells the line of an offset; callers go through a file once, so that the
// count goes on from where it stopped.
type LineCounter struct {
	Src       string
	off, line int
}

// At is the line of an offset, from 1.
func (c *LineCounter) At(off int) int {
	if off < c.off {
		c.off, c.line = 0, 0
	}
	c.line += strings.Count(c.Src[c.off:off], "\n")
	c.off = off
	return c.line + 1
}

// KeptLines counts the lines that are still there.
func KeptLines(was, is []string) int {
	have := map[string]int{}
	for _, l := range is {
		have[l]++
	}
	kept := 0
	for _, l := range was {
		if have[l] > 0 {
			have[l]--
			kept++
		}
	}
	return kept
}
