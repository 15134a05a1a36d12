package vt

import (
	"bytes"
	"strings"
)

// Line is one line of a screen, as long as the terminal does not change.
type Line struct {
	t         *Terminal
	row       *row
	continues bool
	erased    bool
}

// Line gives a line of the screen that is shown.
func (t *Terminal) Line(y int) Line { return t.line(t.screen, y) }

func (t *Terminal) line(g *grid, y int) Line {
	r := g.rows[y]
	return Line{t: t, row: r, continues: r.wrapped}
}

// eraseLeaves tells that the lines of the main screen go because all of it is erased:
// those down to the last one that shows something.
func (t *Terminal) eraseLeaves() {
	if t.Left == nil || t.screen != t.main {
		return
	}
	n := t.rows
	for n > 0 && t.main.rows[n-1].used() == 0 {
		n--
	}
	for y := range n {
		l := t.line(t.main, y)
		l.erased = true
		t.Left(l)
	}
}

// Continues tells whether the next line goes on with this one, because it was full.
func (l Line) Continues() bool { return l.continues }

// Erased tells whether the program erased the line, rather than printed on.
func (l Line) Erased() bool { return l.erased }

// Text is what the line shows, without blanks at its end unless the next line goes on.
func (l Line) Text() string {
	var b []byte
	for _, c := range l.row.cells[:l.row.used()] {
		b = l.t.glyph(b, c)
	}
	if !l.continues {
		b = bytes.TrimRight(b, " ")
	}
	return string(b)
}

// Append appends the line with its colours, as it is to be printed at the beginning
// of a line of another terminal. The usual style is set before it and after it.
func (l Line) Append(dst []byte) []byte {
	p := painter{t: l.t, out: dst}
	n := len(l.row.cells)
	for n > 0 && l.row.cells[n-1] == 0 {
		n--
	}
	for _, c := range l.row.cells[:n] {
		if c&tail == 0 {
			p.cell(c)
		}
	}
	p.style(0)
	return p.out
}

// Text is what the screen shows, a line each, without blanks at their ends.
func (t *Terminal) Text() string {
	var b strings.Builder
	for y := range t.rows {
		b.WriteString(strings.TrimRight(t.Line(y).Text(), " "))
		b.WriteByte('\n')
	}
	return b.String()
}
