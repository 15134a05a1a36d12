package frame

import (
	"bytes"
	"io"
	"strings"
	"unicode/utf8"
)

// Folded is a text for people that a terminal need not cut within words: what is
// too long goes on below, under the column that begins after indent characters.
func Folded[T any](env *Env, indent int, text func(w io.Writer, reply T)) func(w io.Writer, reply T) {
	cols := env.Width()
	if cols == 0 {
		return text
	}
	return func(w io.Writer, reply T) {
		var b bytes.Buffer
		text(&b, reply)
		_, _ = io.WriteString(w, fold(b.String(), cols, indent)) // to the filter, whose errors show at its end
	}
}

// fold breaks lines of more than cols characters at spaces. A word that is longer
// than a line stays whole.
func fold(text string, cols, indent int) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line, nl := strings.CutSuffix(line, "\n")
		for {
			at := foldAt(line, cols, indent)
			if at <= 0 {
				break
			}
			b.WriteString(strings.TrimRight(line[:at], " ") + "\n")
			line = strings.Repeat(" ", indent) + strings.TrimLeft(line[at:], " ")
		}
		b.WriteString(line)
		if nl {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// foldAt is the last space at which a line can be broken so that its beginning
// fits, else the first one after that; 0 when it fits or has none. What stands
// within the indent is a name and no text to break.
func foldAt(line string, cols, indent int) int {
	line = strings.TrimRight(line, " ")
	if utf8.RuneCountInString(line) <= cols {
		return 0
	}
	at, n := 0, 0
	for i, r := range line {
		if n > cols && at > 0 {
			break
		}
		if r == ' ' && n > indent {
			at = i
		}
		n++
	}
	return at
}
