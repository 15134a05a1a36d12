package vt

// View is what somebody else's terminal shows of a screen. It may have another size: what
// has no room is cut off, and the cursor stays in sight; what is left over stays empty.
// The bytes that it gives change that terminal from what they made it show before.
type View struct {
	cols, rows int
	x, y       int // the place of the screen at its upper left

	of    *Terminal // as below, or nothing is known
	epoch uint64
	clock uint64
	shown []cell
	keys  keysOf
	cells int // columns and lines of the screen in sight
	lines int
	atX   int // where the viewer's cursor is
	atY   int
}

// keysOf is what makes a terminal send other bytes for the same keys, and look otherwise
// as a whole.
type keysOf struct {
	modes           modes
	mouse, encoding uint16
	flags           uint8
	otherKeys       [8]uint16
	cursor          uint8
	title           title
}

// shownModes are the modes that a viewer's terminal gets, too.
const shownModes = appCursor | reversed | hidden | keypad | focus | paste

// NewView is for a terminal of a size, of which nothing is known.
func NewView(cols, rows int) *View {
	return &View{cols: clamp(cols, 1, maxCols), rows: clamp(rows, 1, maxRows)}
}

// Resize tells that the viewer's terminal has another size now; it is painted anew.
func (v *View) Resize(cols, rows int) {
	keys := v.keys
	*v = *NewView(cols, rows)
	v.keys = keys
}

// Origin is the place of the screen at the upper left of the view.
func (v *View) Origin() (x, y int) { return v.x, v.y }

// Render gives the bytes that make the viewer's terminal show the screen as it is
// now; none if it does already.
func (v *View) Render(t *Terminal) []byte {
	const begin, end = "\x1b[?2026h\x1b[?25l", "\x1b[?2026l"
	p := &painter{t: t, bare: true, out: []byte(begin)}
	moved := v.follow(t)
	start := len(p.out)
	if v.of != t {
		p.put("\x1b[m\x1b[r\x1b[?6;69l\x1b[4l\x1b[?7l\x1b(B\x0f\x1b[2J")
		*v = View{cols: v.cols, rows: v.rows, x: v.x, y: v.y, cells: v.cells, lines: v.lines, keys: v.keys}
		v.shown = make([]cell, v.cells*v.lines)
	}
	known := v.of == t && v.epoch == t.epoch
	for y := range v.lines {
		if r := t.screen.rows[v.y+y]; !known || moved || t.all >= v.clock || r.touched >= v.clock {
			v.row(p, y, r, known)
		}
	}
	p.style(0)
	all := v.of != t
	v.of, v.epoch = t, t.epoch
	t.clock++
	v.clock = t.clock
	now := t.keysNow()
	if drawn := len(p.out) > start; !drawn && now == v.keys && !v.cursorMoved(t) && !all {
		return nil
	}
	p.differences(v.keys, now, all)
	v.keys = now
	v.cursor(p)
	p.put(end)
	return p.out
}

// Leave gives the bytes that bring the viewer's terminal back to what is usual.
func (v *View) Leave() []byte {
	p := &painter{t: New(1, 1)}
	p.differences(v.keys, keysOf{title: v.keys.title}, false)
	p.put("\x1b[m\x1b[?7h\x1b[?25h")
	v.of = nil
	return p.out
}

// follow moves the view so that the cursor is in sight.
func (v *View) follow(t *Terminal) (moved bool) {
	cells, lines := min(v.cols, t.cols), min(v.rows, t.rows)
	if cells != v.cells || lines != v.lines {
		v.of = nil
	}
	v.cells, v.lines = cells, lines
	x, y := v.x, v.y
	v.x = clamp(v.x, t.x-cells+1, t.x)
	v.y = clamp(v.y, t.y-lines+1, t.y)
	v.x, v.y = clamp(v.x, 0, t.cols-cells), clamp(v.y, 0, t.rows-lines)
	return x != v.x || y != v.y
}

// row writes what changed in a line of the view.
func (v *View) row(p *painter, y int, r *row, known bool) {
	was := v.shown[y*v.cells : (y+1)*v.cells]
	at := -1 // where the viewer's cursor is, if that is known
	end := v.x + v.cells
	for end > v.x && r.cells[end-1] == 0 {
		end--
	}
	for i := 0; i < v.cells; {
		c, n := v.cellAt(r, i)
		if known && v.same(was[i:i+n], c) {
			i += n
			continue
		}
		if v.x+i >= end {
			v.clearRest(p, y, i, was)
			return
		}
		if at != i {
			p.at(i, y)
		}
		p.cell(c)
		was[i] = c
		if n == 2 {
			was[i+1] = tail
		}
		i += n
		if at = i; p.t.uncertain(c) {
			at = -1
		}
	}
}

// cellAt is what the view shows at a column: a blank instead of half a character.
func (v *View) cellAt(r *row, i int) (c cell, n int) {
	c = r.cells[v.x+i]
	if c&tail != 0 || c&wide != 0 && i+1 == v.cells {
		return c&^content | ' ', 1
	}
	return c, c.width()
}

func (v *View) same(was []cell, c cell) bool {
	return was[0] == c && (len(was) == 1 || was[1] == tail)
}

// clearRest clears the line from a column on.
func (v *View) clearRest(p *painter, y, i int, was []cell) {
	p.style(0)
	p.at(i, y)
	p.put("\x1b[K")
	clear(was[i:])
}

func (v *View) cursorMoved(t *Terminal) bool {
	return v.atX != t.x-v.x || v.atY != t.y-v.y
}

// cursor puts the viewer's cursor where the screen has it.
func (v *View) cursor(p *painter) {
	t := p.t
	v.atX, v.atY = t.x-v.x, t.y-v.y
	p.at(v.atX, v.atY)
	if t.modes&hidden == 0 {
		p.put("\x1b[?25h")
	}
}

func (t *Terminal) keysNow() keysOf {
	return keysOf{
		modes: t.modes & shownModes, mouse: t.mouse, encoding: t.encoding, flags: t.KeyFlags(),
		otherKeys: t.otherKeys, cursor: t.cursorKind, title: t.title,
	}
}

// differences writes what of a terminal's modes changed; all of it if nothing is known.
func (p *painter) differences(was, now keysOf, all bool) {
	for _, m := range privateModes {
		if m.mode&shownModes&^hidden != 0 && (all || (was.modes^now.modes)&m.mode != 0) {
			p.private(int(m.number), now.modes&m.mode != 0)
		}
	}
	for _, n := range [][2]uint16{{was.mouse, now.mouse}, {was.encoding, now.encoding}} {
		if n[0] != n[1] && n[0] != 0 {
			p.private(int(n[0]), false)
		}
		if n[0] != n[1] && n[1] != 0 {
			p.private(int(n[1]), true)
		}
	}
	if was.flags != now.flags {
		p.put("\x1b[=", int(now.flags), "u")
	}
	for i := range now.otherKeys {
		if was.otherKeys[i] != now.otherKeys[i] {
			p.put("\x1b[>", i, ";", int(now.otherKeys[i]), "m")
		}
	}
	if was.cursor != now.cursor {
		p.put("\x1b[", int(now.cursor), " q")
	}
	if was.title.window != now.title.window {
		p.put("\x1b]2;", now.title.window, "\x1b\\")
	}
	if was.title.icon != now.title.icon {
		p.put("\x1b]1;", now.title.icon, "\x1b\\")
	}
}
