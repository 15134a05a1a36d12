package vt

// act does what a control character says.
func (t *Terminal) act(c byte) {
	t.fresh = false
	switch c {
	case '\r':
		t.x, t.pending = t.home(), false
	case '\n', '\v', '\f':
		t.index()
		if t.modes&newline != 0 {
			t.x = t.home()
		}
	case '\b':
		t.backspace()
	case '\t':
		t.tab(1)
	case 0x0e:
		t.charsets.left = 1
	case 0x0f:
		t.charsets.left = 0
	}
}

// backspace goes one column back; over the end of the line before, if the mode
// for that is set.
func (t *Terminal) backspace() {
	if t.pending {
		t.pending = false
		if t.modes&reverseWrap != 0 {
			return
		}
	}
	least := 0
	if t.x >= t.left {
		least = t.left
	}
	switch {
	case t.x > least:
		t.x--
	case t.modes&reverseWrap != 0 && t.x == 0 && t.y > t.top && t.y <= t.bottom:
		if above := t.screen.rows[t.y-1]; above.wrapped {
			above.wrapped = false
			t.y--
			t.x = t.cols - 1
			if above.cells[t.x]&content == 0 && t.x > 0 {
				t.x--
			}
		}
	}
}

// index goes one line down; at the lower margin the lines within the margins go up.
func (t *Terminal) index() {
	t.pending = false
	switch {
	case t.y != t.bottom:
		t.y = min(t.y+1, t.rows-1)
	case t.x >= t.left && t.x <= t.right:
		t.scrollUp(t.top, t.bottom, 1, true)
	}
}

// reverseIndex goes one line up; at the upper margin the lines go down.
func (t *Terminal) reverseIndex() {
	t.pending = false
	switch {
	case t.y != t.top:
		t.y = max(t.y-1, 0)
	case t.x >= t.left && t.x <= t.right:
		t.scrollDown(t.top, t.bottom, 1)
	}
}

// tab goes n tab stops on.
func (t *Terminal) tab(n int) {
	if t.pending {
		return
	}
	last := t.cols - 1
	if t.x <= t.right {
		last = t.right
	}
	for ; n > 0 && t.x < last; n-- {
		for t.x++; t.x < last && !t.tabs[t.x]; t.x++ {
		}
	}
}

// backTab goes n tab stops back.
func (t *Terminal) backTab(n int) {
	t.pending = false
	least := t.home()
	for ; n > 0 && t.x > least; n-- {
		for t.x--; t.x > least && !t.tabs[t.x]; t.x-- {
		}
	}
}

// perform does what a whole sequence says, or prints a character that came in pieces.
func (t *Terminal) perform(b []byte) {
	body := b
	switch {
	case b[0] == esc:
		for body = b[1:]; len(body) > 0 && (body[0] < 0x20 || body[0] >= 0x7f); body = body[1:] {
			t.within(body[0])
		}
		if len(body) > 0 {
			body = body[1:]
		}
	case len(b) > 1 && isC1(b):
		body = b[2:]
	default:
		r, _ := decode(b)
		t.put(r)
		return
	}
	switch kind := t.scan.kind; {
	case kind == '[':
		t.csi(body)
	case t.scan.cut && (kind < 0x20 || kind >= 0x30):
	case t.scan.cut:
		for _, c := range body {
			t.within(c)
		}
	case kind == ']':
		t.osc(payload(body))
	case kind == 'P':
		t.dcs(payload(body))
	case kind >= 0x20 && kind < 0x30:
		t.designate(kind, body)
	default:
		t.escape(kind)
	}
	t.fresh = t.fresh && t.scan.kind == '[' && t.args.final == 'b'
	t.settle()
}

// settle writes a blank where the cursor waits behind a place that is empty, because it
// was erased since: to wait there, the cursor must have come from something.
func (t *Terminal) settle() {
	if !t.pending {
		return
	}
	if r := t.screen.rows[t.y]; r.cells[t.x]&content == 0 {
		r.cells[t.x] = r.cells[t.x]&^gap | ' '
		r.touched = t.clock
	}
}

// within does what a control character inside of a sequence says.
func (t *Terminal) within(c byte) {
	if c < 0x20 && c != esc && c != can && c != sub {
		t.act(c)
	}
}

// payload is a text without what ends it.
func payload(b []byte) []byte {
	switch n := len(b); {
	case n > 0 && b[n-1] == bel:
		return b[:n-1]
	case n > 1 && b[n-2] == esc:
		return b[:n-2]
	}
	return b
}

// escape does what ESC and one letter say.
func (t *Terminal) escape(kind byte) {
	switch kind {
	case '7':
		t.save()
	case '8':
		t.restore()
	case '6':
		t.backIndex()
	case '9':
		t.forwardIndex()
	case 'D':
		t.index()
	case 'E':
		t.x = t.home()
		t.index()
	case 'H':
		t.tabs[t.x] = true
	case 'M':
		t.reverseIndex()
	case 'N':
		t.charsets.single = 2
	case 'O':
		t.charsets.single = 3
	case 'Z':
		t.answer("\x1b[?62;22c")
	case 'c':
		t.eraseLeaves()
		t.reset()
	case '=':
		t.modes |= keypad
	case '>':
		t.modes &^= keypad
	case 'n':
		t.charsets.left = 2
	case 'o':
		t.charsets.left = 3
	}
}

// designate does what ESC, intermediate bytes and one letter say.
func (t *Terminal) designate(kind byte, body []byte) {
	if len(body) == 0 {
		return
	}
	final := body[len(body)-1]
	for _, c := range body[:len(body)-1] {
		t.within(c)
	}
	switch kind {
	case '(', ')', '*', '+':
		if final == 'B' || final == '@' || final == '1' || final == '2' {
			final = 0
		}
		if final != '0' && final != 'A' {
			final = 0
		}
		t.charsets.sets[kind-'('] = final
	case '#':
		if final == '8' {
			t.align()
		}
	}
}

// align fills the screen with the letter E.
func (t *Terminal) align() {
	t.resetMargins()
	t.x, t.y, t.pending = 0, 0, false
	for _, r := range t.screen.rows {
		r.wrapped = false
		for i := range r.cells {
			r.cells[i] = 'E'
		}
	}
	t.touchAll()
}

// saved is what DECSC saves.
type saved struct {
	x, y     int
	pending  bool
	origin   bool
	pen      style
	charsets charsets
}

func freshSaved() saved { return saved{} }

func (t *Terminal) save() {
	t.screen.saved = saved{t.x, t.y, t.pending, t.modes&origin != 0, t.pen, t.charsets}
	t.screen.saved.charsets.single = 0
	t.screen.saved.pending = t.pending && t.x == t.cols-1
}

func (t *Terminal) restore() {
	s := t.screen.saved
	t.x, t.y = min(s.x, t.cols-1), min(s.y, t.rows-1)
	t.setMode(origin, s.origin)
	if s.origin {
		t.x, t.y = clamp(t.x, t.left, t.right), clamp(t.y, t.top, t.bottom)
	}
	t.pending = s.pending && t.x == s.x && t.x == t.edge()-1
	t.setPen(s.pen)
	t.charsets = s.charsets
}

func (t *Terminal) setPen(s style) {
	t.pen = s
	t.penKnown, t.blankKnown = false, false
}
