package vt

// Snapshot gives bytes that bring a fresh terminal of the same size into this one's
// state, and the offset in what was written from which to go on: a sequence or a
// character that has not come to its end yet is held back, and comes with what follows. Of
// one that is too long to have an effect only that it has begun is written.
// A grapheme that may still grow is printed last.
func (t *Terminal) Snapshot() (b []byte, from int64) { return t.snapshot(nil) }

func (t *Terminal) snapshot(past []*row) (b []byte, from int64) {
	p := &painter{t: t}
	p.settings()
	p.titles()
	p.tabs()
	p.screen(t.main, past)
	if t.alt != nil {
		p.style(0)
		p.put("\r\x1b[?1047h")
		p.screen(t.alt, nil)
	}
	p.style(0)
	p.margins()
	p.modes()
	p.cursor()
	if begin, pending, ok := t.scan.endless(); ok {
		p.put(begin)
		return p.out, t.scan.fed - pending
	}
	return p.out, t.scan.fed - t.scan.heldLen
}

// settings are the colours that the program changed, and the modes that it put aside.
func (p *painter) settings() {
	for _, n := range p.t.sortedPalette() {
		p.put("\x1b]")
		if n < dynamic {
			p.put("4;", int(n))
		} else {
			p.put(int(n) - dynamic + 10)
		}
		c := int(p.t.palette[n] & values)
		p.put(";rgb:", hex2(c>>16), "/", hex2(c>>8), "/", hex2(c), "\x1b\\")
	}
	fresh := New(2, 2)
	for _, n := range p.t.sortedRemembered() {
		p.private(int(n), p.t.remembered[n])
		p.put("\x1b[?", int(n), "s")
		p.private(int(n), fresh.modeSet(int(n), true) == 1)
	}
}

func hex2(n int) string {
	const digits = "0123456789abcdef"
	return string([]byte{digits[n>>4&15], digits[n&15]})
}

func (p *painter) private(number int, on bool) {
	p.put("\x1b[?", number)
	if on {
		p.put("h")
	} else {
		p.put("l")
	}
}

func (p *painter) titles() {
	for _, old := range p.t.titles {
		p.put("\x1b]2;", old.window, "\x1b\\\x1b]1;", old.icon, "\x1b\\\x1b[22t")
	}
	if now := p.t.title; now.window != "" || len(p.t.titles) > 0 {
		p.put("\x1b]2;", now.window, "\x1b\\")
	}
	if now := p.t.title; now.icon != "" || len(p.t.titles) > 0 {
		p.put("\x1b]1;", now.icon, "\x1b\\")
	}
}

func (p *painter) tabs() {
	usual := true
	for x, set := range p.t.tabs {
		usual = usual && set == (x > 0 && x%8 == 0)
	}
	if usual {
		return
	}
	p.put("\x1b[3g")
	for x, set := range p.t.tabs {
		if set {
			p.at(x, 0)
			p.put("\x1bH")
		}
	}
}

// screen writes one of the two screens, with its saved cursor and its keyboard flags.
func (p *painter) screen(g *grid, past []*row) {
	p.saved(&g.saved)
	p.above(past, g.rows)
	for i, flags := range g.keys {
		switch {
		case i > 0:
			p.put("\x1b[>", int(flags), "u")
		case flags != 0:
			p.put("\x1b[=", int(flags), "u")
		}
	}
}

// saved sets what DECSC saved, on a screen that is still empty.
func (p *painter) saved(s *saved) {
	if *s == freshSaved() {
		return
	}
	p.style(0)
	if s.origin {
		p.private(6, true)
	}
	p.at(s.x, s.y)
	if s.pending {
		p.put(" ")
	}
	p.setStyle(s.pen, style{})
	p.charsets(s.charsets)
	p.put("\x1b7")
	p.setStyle(style{}, s.pen)
	if s.charsets != (charsets{}) {
		p.put("\x1b(B\x1b)B\x1b*B\x1b+B\x0f")
	}
	if s.origin {
		p.private(6, false)
	}
	if s.pending {
		p.at(s.x, s.y)
		p.put("\x1b[X")
	}
}

func (p *painter) charsets(c charsets) {
	for i, set := range c.sets {
		if set != 0 {
			p.put("\x1b", "()*+"[i:i+1], string(rune(set)))
		}
	}
	p.put([...]string{"", "\x0e", "\x1bn", "\x1bo"}[c.left])
	p.put([...]string{"", "", "\x1bN", "\x1bO"}[c.single])
}

// shift prepares for a character of ASCII that the charset in use would make another
// one of: it was printed with a single shift.
func (p *painter) shift(b byte) {
	stands := func(c charsets) bool { return b >= 0x80 || c.char(b) == rune(b) }
	c := p.t.charsets
	for i, seq := range []string{"", "\x1bN", "\x1bO"} {
		if c.single = uint8(i) + min(uint8(i), 1); stands(c) {
			p.put(seq)
			return
		}
	}
}

// row writes a line. One that goes on with the line before is printed behind that
// one's end, so that the terminal knows it, too.
func (p *painter) row(g *grid, y int) {
	at := -1 // somewhere else
	if y > 0 && g.rows[y-1].wrapped {
		at = p.goOn(g, y)
	}
	r := g.rows[y]
	for x := 0; x < len(r.cells); {
		c := r.cells[x] &^ gap
		n := 1
		for x+n < len(r.cells) && r.cells[x+n]&^gap == c && c&content == 0 {
			n++
		}
		if c == 0 {
			x += n
			continue
		}
		if x == 0 && y > 0 && g.rows[y-1].wrapped {
			n = 1 // to erase the whole line would part it from the one before
		}
		if at != x {
			p.at(x, y)
			at = x
		}
		if c&content == 0 {
			p.style(c.style())
			p.put("\x1b[", n, "X")
			x += n
			continue
		}
		p.cell(c)
		x += c.width()
		at = x
		if x < len(r.cells) && p.t.uncertain(c) {
			at = -1
		}
	}
}

// goOn makes the terminal wrap into line y, and gives the column that the cursor is
// at then, if the first character of the line does the rest.
func (p *painter) goOn(g *grid, y int) int {
	first := g.rows[y].cells[0]
	missing := g.rows[y-1].cells[p.t.cols-1]&content == 0
	if missing {
		p.at(p.t.cols-1, y-1)
		if first&wide != 0 && first&cluster == 0 {
			return 0
		}
		p.put("世")
	} else {
		if first&content != 0 {
			p.private(7, true) // it is so already, and what the line begins with joins nothing
			return 0
		}
		p.put(" ")
	}
	p.at(0, y)
	p.style(0)
	p.put("\x1b[X")
	return -1
}

// uncertain tells whether terminals differ in the width of what a cell shows, or it
// could join what comes next.
func (t *Terminal) uncertain(c cell) bool {
	return c&cluster != 0 || c&code >= 0x1f000 || c&code >= 0x80 && !t.grapheme(c).Lone()
}

func (p *painter) margins() {
	t := p.t
	if t.modes&sideMargins != 0 {
		p.private(69, true)
		if !t.fullWidth() {
			p.put("\x1b[", t.left+1, ";", t.right+1, "s")
		}
	}
	if t.top != 0 || t.bottom != t.rows-1 {
		p.put("\x1b[", t.top+1, ";", t.bottom+1, "r")
	}
}

func (p *painter) modes() {
	t := p.t
	for _, m := range privateModes {
		late := m.mode&(sideMargins|autowrap|origin|sizeReports) != 0 // see margins and cursor
		if (t.modes^usualModes)&m.mode != 0 && !late {
			p.private(int(m.number), (t.modes&m.mode != 0) != (m.mode == hidden))
		}
	}
	p.apart = t.modes&graphemes == 0
	if t.modes&newline != 0 {
		p.put("\x1b[20h")
	}
	if t.modes&sizeReports != 0 {
		p.private(2048, true)
	}
	for _, n := range []uint16{t.mouse, t.encoding} {
		if n != 0 {
			p.private(int(n), true)
		}
	}
	if t.cursorKind != 0 {
		p.put("\x1b[", int(t.cursorKind), " q")
	}
	for i, v := range t.otherKeys {
		if v != 0 {
			p.put("\x1b[>", i, ";", int(v), "m")
		}
	}
}

// cursor goes to the place of the cursor. What was printed just now is printed again,
// so that marks join it; so is the last column, if the next character wraps.
func (p *painter) cursor() {
	t := p.t
	if t.modes&origin != 0 {
		p.private(6, true)
	}
	if t.modes&autowrap == 0 && !t.pending {
		p.private(7, false)
	}
	row := t.screen.rows[t.y]
	x, again := t.x, t.fresh || t.pending
	switch {
	case t.fresh:
		x, row = t.atX, t.screen.rows[t.atY]
	case t.pending && row.cells[x]&tail != 0:
		x--
	}
	p.put("\x1b[", t.y-t.originY()+1, ";", x-t.originX()+1, "H")
	if t.fresh && t.modes&insert != 0 {
		p.put("\x1b[", row.cells[x].width(), "P")
	}
	if again && !t.fresh {
		p.cell(row.cells[x])
	}
	if t.modes&insert != 0 {
		p.put("\x1b[4h")
	}
	p.setStyle(t.pen, t.styles[p.now])
	p.charsets(t.charsets)
	if t.fresh {
		glyph := t.glyph(nil, row.cells[x])
		p.shift(glyph[0])
		p.out = append(p.out, glyph...)
	}
	if t.pending && !t.fresh {
		p.private(7, t.modes&autowrap != 0) // and marks join only what they would have joined
	}
}
