package vt

// sgr sets what the next characters look like.
func (t *Terminal) sgr() {
	a := &t.args
	t.penKnown, t.blankKnown = false, false
	if a.n == 0 {
		t.plainPen()
		return
	}
	for i := 0; i < a.n; i++ {
		if a.part(i) {
			continue // of something that has no parts, or was read
		}
		switch n := a.get(i, 0); n {
		case 38, 48, 58:
			c, used := a.colour(i + 1)
			i += used
			if c != none {
				t.setColour(n, c)
			}
		case 4:
			kind := 1
			if a.part(i+1) && i+1 < a.n {
				kind = a.get(i+1, 1)
			}
			t.underline(kind)
		case 0:
			t.plainPen()
		default:
			t.simple(n)
		}
	}
}

// plainPen resets the pen; a link and protection last longer.
func (t *Terminal) plainPen() {
	t.pen = style{link: t.pen.link, attrs: t.pen.attrs & protected}
}

func (t *Terminal) underline(kind int) {
	if kind <= 5 {
		t.pen.attrs = t.pen.attrs&^lines | attrs(kind)<<lineShift
	}
}

// switches are the parameters that set an attribute, and those that clear some.
var (
	switchesOn  = [...]attrs{1: bold, 2: dim, 3: italic, 5: blink, 6: fastBlink, 7: inverse, 8: invisible, 9: strike}
	switchesOff = [...]attrs{22: bold | dim, 23: italic, 24: lines, 25: blink | fastBlink, 27: inverse, 28: invisible, 29: strike}
)

func (t *Terminal) simple(n int) {
	switch {
	case n < len(switchesOn):
		t.pen.attrs |= switchesOn[n]
	case n == 21:
		t.underline(2)
	case n < len(switchesOff):
		t.pen.attrs &^= switchesOff[n]
	case n >= 30 && n <= 37:
		t.pen.fg = indexed | colour(n-30)
	case n == 39:
		t.pen.fg = 0
	case n >= 40 && n <= 47:
		t.pen.bg = indexed | colour(n-40)
	case n == 49:
		t.pen.bg = 0
	case n == 53:
		t.pen.attrs |= overline
	case n == 55:
		t.pen.attrs &^= overline
	case n == 59:
		t.pen.line = 0
	case n >= 90 && n <= 97:
		t.pen.fg = indexed | colour(n-90+8)
	case n >= 100 && n <= 107:
		t.pen.bg = indexed | colour(n-100+8)
	}
}

func (t *Terminal) setColour(what int, c colour) {
	switch what {
	case 38:
		t.pen.fg = c
	case 48:
		t.pen.bg = c
	default:
		t.pen.line = c
	}
}

// none is what colour gives where there is no valid one.
const none colour = 1<<32 - 1

// colour reads one from parameter i on, with semicolons or with colons, and tells how
// many parameters that took.
func (a *args) colour(i int) (c colour, used int) {
	if a.part(i) && i < a.n {
		n := 1
		for i+n < a.n && a.part(i+n) {
			n++
		}
		return a.colourOfParts(i, n), n
	}
	switch a.get(i, 0) {
	case 5:
		if v := a.get(i+1, 0); i+1 < a.n && v < 256 {
			return indexed | colour(v), 2
		}
		return none, 2
	case 2:
		if i+3 < a.n {
			return rgb(a.get(i+1, 0), a.get(i+2, 0), a.get(i+3, 0)), 4
		}
		return none, 4
	}
	return none, min(1, max(a.n-i, 0))
}

// colourOfParts reads 5:n, 2:r:g:b, or 2:space:r:g:b, which may go on.
func (a *args) colourOfParts(i, n int) colour {
	switch kind := a.get(i, 0); {
	case kind == 5 && n > 1 && a.get(i+1, 0) < 256:
		return indexed | colour(a.get(i+1, 0))
	case kind == 2 && n > 4:
		return rgb(a.get(i+2, 0), a.get(i+3, 0), a.get(i+4, 0))
	case kind == 2 && n == 4:
		return rgb(a.get(i+1, 0), a.get(i+2, 0), a.get(i+3, 0))
	}
	return none
}

func rgb(r, g, b int) colour {
	if r > 255 || g > 255 || b > 255 {
		return none
	}
	return direct | colour(r)<<16 | colour(g)<<8 | colour(b)
}
