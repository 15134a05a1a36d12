package frame

import (
	"bytes"
	"io"
	"strings"

	"kedge/internal/text/plain"
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
	if Cells(line) <= cols {
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
		n += plain.Width(r)
	}
	return at
}

// Labelled writes a line that begins with a label, and goes on below, after indent cells,
// where it is too long for the terminal.
func Labelled(w io.Writer, indent int, label, text string) {
	line := label + text
	if indent > 0 {
		line = label + strings.Repeat(" ", max(indent-Cells(label), 1)) + text
	}
	if p, ok := w.(*Page); ok && p.cols > 0 {
		line = fold(line, p.cols, indent)
	}
	Put(w, Quiet, label)
	Put(w, Plain, line[len(label):]+"\n")
}

// Stated writes a line that begins with a text in its role, and goes on below, after indent
// cells, where it is too long for the terminal.
func Stated(w io.Writer, indent int, role Role, begin, rest string) {
	line := begin + rest
	if p, ok := w.(*Page); ok && p.cols > 0 {
		line = fold(line, p.cols, indent)
	}
	if !strings.HasPrefix(line, begin) { // it was broken within
		Put(w, Plain, line+"\n")
		return
	}
	Put(w, role, begin)
	Put(w, Plain, line[len(begin):]+"\n")
}

// Row writes a label and a text in its role, which begins after indent cells and goes on
// below there where it is too long for the terminal.
func Row(w io.Writer, indent int, role Role, label, text string) {
	label += strings.Repeat(" ", max(indent-Cells(label), 1))
	line := label + text
	if p, ok := w.(*Page); ok && p.cols > 0 {
		line = fold(line, p.cols, indent)
	}
	Put(w, Quiet, label)
	for i, part := range strings.Split(strings.TrimPrefix(line, label), "\n") {
		if i > 0 {
			Put(w, Plain, "\n")
		}
		body := strings.TrimLeft(part, " ")
		Put(w, Plain, part[:len(part)-len(body)])
		if p, ok := w.(*Page); ok && p.cols > indent { // of a path that is too long the end counts
			body = CutFrom(body, p.cols-indent)
		}
		Put(w, role, body)
	}
	Put(w, Plain, "\n")
}
