package vt

import "kedge/internal/text/plain"

// print takes characters and control characters, up to an escape sequence or a
// character that is not whole.
func (t *Terminal) print(b []byte) int {
	for i := 0; i < len(b); {
		c := b[i]
		switch {
		case c >= 0x20 && c < 0x7f:
			n := i + 1
			for n < len(b) && b[n]-0x20 < 0x5f {
				n++
			}
			t.ascii(b[i:n])
			i = n
		case c == esc:
			return i
		case c < 0x20:
			t.act(c)
			i++
		case c == 0x7f:
			i++
		default:
			r, n := decode(b[i:])
			if n == 0 || n == 2 && isC1(b[i:]) {
				return i
			}
			t.put(r)
			i += n
		}
	}
	return len(b)
}

// ascii prints characters of one cell, as most are, in one go.
func (t *Terminal) ascii(s []byte) {
	if t.charsets.maps() || t.modes&insert != 0 {
		for _, c := range s {
			t.put(t.charsets.char(c))
		}
		return
	}
	base := styled(t.penNumber())
	for len(s) > 0 {
		if t.pending && t.modes&autowrap != 0 {
			t.wrap()
		}
		end := t.edge()
		n := min(len(s), end-t.x)
		t.atX, t.atY = t.x+n-1, t.y
		r := t.screen.rows[t.y]
		to := r.cells[t.x : t.x+n]
		t.uncover(r, t.x, t.x+n)
		for i := range to {
			to[i] = base | cell(s[i])
		}
		r.touched = t.clock
		s = s[n:]
		if t.x += n; t.x == end {
			t.x--
			t.pending = t.modes&autowrap != 0
			if !t.pending && len(s) > 1 {
				s = s[len(s)-1:] // each one replaces the one before
			}
		}
	}
	t.fresh, t.joinedSoFar = true, 0
}

// edge is the column behind the last one that printing reaches from here.
func (t *Terminal) edge() int {
	if t.x <= t.right {
		return t.right + 1
	}
	return t.cols
}

// uncover clears the other half of wide characters that a change of the cells from
// from up to to cuts.
func (t *Terminal) uncover(r *row, from, to int) {
	if r.cells[from]&tail != 0 {
		r.cells[from-1] = 0
	}
	if to < len(r.cells) && r.cells[to]&tail != 0 {
		r.cells[to] = r.nothing(to)
	}
}

// wrap goes to the beginning of the next line.
func (t *Terminal) wrap() {
	r := t.screen.rows[t.y]
	goesOn := t.right == t.cols-1 || t.x > t.right
	if goesOn {
		r.wrapped = true
		if last := &r.cells[t.cols-1]; *last&content == 0 {
			*last |= gap
		}
	}
	t.x = t.home()
	t.index()
	r.wrapped = goesOn && t.y > 0 && t.screen.rows[t.y-1] == r
}

// home is the column that a carriage return goes to.
func (t *Terminal) home() int {
	if t.x >= t.left {
		return t.left
	}
	return 0
}

// put prints one character.
func (t *Terminal) put(r rune) {
	g := plain.Begin(r)
	if !g.Lone() && t.join(r, g) {
		return
	}
	w := g.Width()
	if w == 0 || w > t.cols {
		return
	}
	number := t.penNumber()
	if t.pending && t.modes&autowrap != 0 {
		t.wrap()
	}
	if t.x+w > t.edge() {
		if t.modes&autowrap == 0 {
			return
		}
		t.wrap()
		if t.x+w > t.edge() {
			return
		}
	}
	row := t.screen.rows[t.y]
	t.makeRoom(row, w)
	t.uncover(row, t.x, t.x+w)
	c := styled(number) | cell(r)
	if w == 2 {
		c |= wide
		row.cells[t.x+1] = styled(number) | tail
	}
	row.cells[t.x] = c
	row.touched = t.clock
	t.atX, t.atY, t.fresh, t.joinedSoFar = t.x, t.y, true, g
	t.advance(w)
}

// makeRoom moves what follows the cursor away, in insert mode.
func (t *Terminal) makeRoom(r *row, w int) {
	if t.modes&insert != 0 && t.x >= t.left && t.x <= t.right {
		t.insertCells(r, t.x, t.right+1, w, 0)
	}
}

// advance moves the cursor behind what was printed.
func (t *Terminal) advance(w int) {
	end := t.edge()
	if t.x += w; t.x < end {
		return
	}
	t.x = end - 1
	t.pending = t.modes&autowrap != 0
}

// join adds a code point to the character before the cursor, if it belongs there.
// Marks do wherever the cursor came from; emoji join only what was printed just now.
func (t *Terminal) join(r rune, alone plain.Grapheme) bool {
	mark := alone.Width() == 0
	if !mark && (!t.fresh || t.modes&graphemes == 0) {
		return false
	}
	x, y, ok := t.before()
	if !ok {
		return mark
	}
	row := t.screen.rows[y]
	if mark && row.cells[x]&content == 0 {
		row.cells[x] = row.cells[x]&^gap | ' '
	}
	g := t.joinedSoFar
	if !t.fresh || g == 0 {
		g = t.grapheme(row.cells[x])
	}
	joined, ok := g.Add(r)
	if !ok {
		return false
	}
	widens := t.modes&graphemes != 0 && joined.Width() == 2 && row.cells[x]&wide == 0
	room := t.fresh && t.x == x+1 && !t.pending && t.x < t.edge()
	if widens && !room && !mark {
		return false
	}
	if number, ok := t.extended(row.cells[x], r); ok {
		row.cells[x] = row.cells[x]&^(code|cluster) | cluster | number
	}
	if t.fresh {
		t.joinedSoFar = joined
	}
	row.touched = t.clock
	if widens && room {
		t.widen(row, x)
	}
	return true
}

// before is the place of the character before the cursor.
func (t *Terminal) before() (x, y int, ok bool) {
	if t.fresh {
		return t.atX, t.atY, true
	}
	x = t.x - 1
	if t.pending {
		x = t.x
	}
	if x < 0 {
		return 0, 0, false
	}
	if t.screen.rows[t.y].cells[x]&tail != 0 {
		x--
	}
	return x, t.y, true
}

// widen gives the character before the cursor a second cell.
func (t *Terminal) widen(r *row, x int) {
	t.makeRoom(r, 1)
	t.uncover(r, x+1, x+2)
	c := r.cells[x]
	r.cells[x] = c | wide
	r.cells[x+1] = c&^content | tail
	t.advance(1)
}

// repeat prints the last character again, n times, if it was printed just now.
func (t *Terminal) repeat(n int) {
	if !t.fresh {
		return
	}
	text := string(t.glyph(nil, t.screen.rows[t.atY].cells[t.atX]))
	n = min(n, t.cols*t.rows)
	for range n {
		t.fresh = false
		for _, r := range text {
			t.put(r)
		}
	}
}

// charsets are what ASCII stands for.
type charsets struct {
	sets   [4]byte // G0 to G3: 0 for ASCII, else '0' for graphics, 'A' for British
	left   uint8   // which one is used
	single uint8   // which one is used for one character; 0 for none
}

func (c *charsets) maps() bool { return c.single != 0 || c.sets[c.left] != 0 }

// char is what a byte stands for.
func (c *charsets) char(b byte) rune {
	set := c.sets[c.left]
	if c.single != 0 {
		set, c.single = c.sets[c.single], 0
	}
	switch {
	case set == '0' && b >= 0x5f && b <= 0x7e:
		return graphics[b-0x5f]
	case set == 'A' && b == '#':
		return '£'
	}
	return rune(b)
}

// graphics are the characters of the DEC special graphics set, from 0x5f on.
var graphics = [...]rune{
	' ', '◆', '▒', '␉', '␌', '␍', '␊', '°', '±', '␤', '␋', '┘', '┐', '┌', '└', '┼',
	'⎺', '⎻', '─', '⎼', '⎽', '├', '┤', '┴', '┬', '│', '≤', '≥', 'π', '≠', '£', '·',
}
