package main

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// style is how a character looks.
type style struct {
	fg        int // 0: the usual one; else 1 + the number of an ANSI colour, 0 to 15
	bold, dim bool
}

type cell struct {
	r rune
	style
}

// screen is as much of a terminal as Kedge's own output needs: lines that grow
// downwards, the cursor moved up, lines cleared, colours. Rows are not limited.
type screen struct {
	cols, x, y int
	lines      [][]cell
	style      style
	drawn      func() // called when a drawing is complete: Kedge ends each by clearing what is below
}

func newScreen(cols int) *screen { return &screen{cols: cols, lines: [][]cell{nil}} }

// frames are the drawings of a program that draws its output again and again.
func frames(out string, cols int) [][][]cell {
	var all [][][]cell
	s := newScreen(cols)
	s.drawn = func() { all = append(all, s.rows()) }
	s.write(out)
	return all
}

// rows is a copy of the lines, without empty ones at the end.
func (s *screen) rows() [][]cell {
	n := len(s.lines)
	for n > 0 && len(s.lines[n-1]) == 0 {
		n--
	}
	out := make([][]cell, n)
	for i := range out {
		out[i] = append([]cell(nil), s.lines[i]...)
	}
	return out
}

func text(rows [][]cell) string {
	var b strings.Builder
	for _, row := range rows {
		for _, c := range row {
			b.WriteRune(c.r)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func (s *screen) write(out string) {
	for len(out) > 0 {
		if rest, ok := strings.CutPrefix(out, "\x1b["); ok {
			n := strings.IndexFunc(rest, func(r rune) bool { return r >= '@' && r <= '~' })
			if n < 0 {
				return
			}
			s.control(rest[:n], rest[n])
			out = rest[n+1:]
			continue
		}
		r, size := utf8.DecodeRuneInString(out)
		s.put(r)
		out = out[size:]
	}
}

func (s *screen) put(r rune) {
	switch {
	case r == '\r':
		s.x = 0
	case r == '\n':
		s.x = 0
		s.down()
	case r == '\t':
		for s.put(' '); s.x%8 != 0; {
			s.put(' ')
		}
	case r < ' ':
	default:
		if s.x == s.cols { // the line breaks before what has no room on it
			s.x = 0
			s.down()
		}
		s.set(cell{r, s.style})
	}
}

func (s *screen) down() {
	if s.y++; s.y == len(s.lines) {
		s.lines = append(s.lines, nil)
	}
}

func (s *screen) set(c cell) {
	line := s.lines[s.y]
	for len(line) <= s.x {
		line = append(line, cell{r: ' '})
	}
	line[s.x] = c
	s.lines[s.y] = line
	s.x++
}

// control does what an escape sequence asks for, as far as it changes the picture.
func (s *screen) control(args string, what byte) {
	n, _ := strconv.Atoi(args)
	switch what {
	case 'A':
		s.y = max(s.y-max(n, 1), 0)
	case 'K':
		if n == 2 {
			s.lines[s.y] = nil
		} else {
			s.lines[s.y] = s.lines[s.y][:min(s.x, len(s.lines[s.y]))]
		}
	case 'J':
		s.lines = s.lines[:s.y+1]
		s.lines[s.y] = s.lines[s.y][:min(s.x, len(s.lines[s.y]))]
		if s.drawn != nil {
			s.drawn()
		}
	case 'm':
		for _, arg := range strings.Split(args, ";") {
			n, _ := strconv.Atoi(arg)
			s.style = s.style.with(n)
		}
	}
}

// with is the style after one number of an SGR sequence.
func (st style) with(n int) style {
	switch {
	case n == 0:
		return style{}
	case n == 1:
		st.bold = true
	case n == 2:
		st.dim = true
	case n == 22:
		st.bold, st.dim = false, false
	case n >= 30 && n <= 37:
		st.fg = 1 + n - 30
	case n == 39:
		st.fg = 0
	case n >= 90 && n <= 97:
		st.fg = 1 + 8 + n - 90
	}
	return st
}
