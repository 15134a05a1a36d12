package vt

// args are the parameters of a CSI sequence.
type args struct {
	n      int
	values [maxArgs]int32 // -1 where one was left out
	parts  uint64         // the bits of those that a colon stands before
	prefix byte           // one of < = > ?, or 0
	inter  byte           // an intermediate byte, or 0
	final  byte
}

const maxArgs = 64

// get is a parameter, or usual where it was left out.
func (a *args) get(i int, usual int) int {
	if i >= a.n || a.values[i] < 0 {
		return usual
	}
	return int(a.values[i])
}

// count is a parameter that counts something: at least 1.
func (a *args) count(i int) int { return max(a.get(i, 1), 1) }

// part tells whether a parameter is a part of the one before.
func (a *args) part(i int) bool { return a.parts>>uint(i)&1 != 0 }

// csi does what a control sequence says; b is what comes after its introducer.
func (t *Terminal) csi(b []byte) {
	if t.parse(b) && !t.scan.cut {
		t.dispatch()
	}
}

// parse reads the parameters. Control characters among them act at once. It is false
// where the sequence has no meaning.
func (t *Terminal) parse(b []byte) bool {
	a := &t.args
	a.n, a.parts, a.prefix, a.inter, a.final = 0, 0, 0, 0, 0
	value, some, ok := int32(-1), false, true
	for i, c := range b {
		switch {
		case c >= '0' && c <= '9':
			ok = ok && a.inter == 0
			value = min(max(value, 0)*10+int32(c-'0'), 65535)
			some = true
		case c == ';' || c == ':':
			ok = ok && a.inter == 0
			a.add(value, c == ':')
			value, some = -1, true
		case c >= '<' && c <= '?':
			ok = ok && i == 0
			a.prefix = c
		case c >= 0x20 && c <= 0x2f:
			ok = ok && a.inter == 0
			a.inter = c
		case c >= 0x40 && c <= 0x7e:
			a.final = c
		default:
			t.within(c)
		}
	}
	if some {
		a.add(value, false)
	}
	return ok && a.final != 0
}

// add keeps a parameter; those over the most are dropped.
func (a *args) add(value int32, partFollows bool) {
	if a.n == maxArgs {
		return
	}
	a.values[a.n] = value
	a.n++
	if partFollows && a.n < maxArgs {
		a.parts |= 1 << uint(a.n)
	}
}

// dispatch does what the sequence says.
func (t *Terminal) dispatch() {
	a := &t.args
	switch {
	case a.inter != 0:
		t.dispatchInter()
	case a.prefix == 0:
		if do := plainCSI[a.final&0x7f]; do != nil {
			do(t)
		}
	case a.prefix == '?':
		t.dispatchPrivate()
	default:
		t.dispatchPrefixed()
	}
}

// plainCSI are the sequences with neither a prefix nor an intermediate byte.
var plainCSI = [128]func(*Terminal){
	'@': func(t *Terminal) { t.insertHere(t.args.count(0)) },
	'A': func(t *Terminal) { t.up(t.args.count(0)) },
	'B': func(t *Terminal) { t.down(t.args.count(0)) },
	'C': func(t *Terminal) { t.forward(t.args.count(0)) },
	'D': func(t *Terminal) { t.back(t.args.count(0)) },
	'E': func(t *Terminal) { t.down(t.args.count(0)); t.x = t.home() },
	'F': func(t *Terminal) { t.up(t.args.count(0)); t.x = t.home() },
	'G': func(t *Terminal) { t.moveTo(t.args.count(0)-1+t.originX(), t.y) },
	'`': func(t *Terminal) { t.moveTo(t.args.count(0)-1+t.originX(), t.y) },
	'H': func(t *Terminal) { t.moveFromOrigin(t.args.count(1)-1, t.args.count(0)-1) },
	'f': func(t *Terminal) { t.moveFromOrigin(t.args.count(1)-1, t.args.count(0)-1) },
	'I': func(t *Terminal) { t.tab(t.args.count(0)) },
	'J': func(t *Terminal) {
		how := t.args.get(0, 0)
		if how >= 2 || how == 0 && t.x == 0 && t.y == 0 {
			t.erasing(how)
		}
		t.eraseScreen(how, t.erase)
	},
	'K': func(t *Terminal) { t.eraseLine(t.args.get(0, 0), t.erase) },
	'L': func(t *Terminal) { t.insertLines(t.args.count(0)) },
	'M': func(t *Terminal) { t.deleteLines(t.args.count(0)) },
	'P': func(t *Terminal) { t.deleteHere(t.args.count(0)) },
	'S': func(t *Terminal) { t.scrollUp(t.top, t.bottom, t.args.count(0), true) },
	'T': func(t *Terminal) {
		if t.args.n < 2 { // with five it was for following the mouse
			t.scrollDown(t.top, t.bottom, t.args.count(0))
		}
	},
	'^': func(t *Terminal) { t.scrollDown(t.top, t.bottom, t.args.count(0)) },
	'X': func(t *Terminal) {
		t.pending = false
		t.erase(t.y, t.x, min(t.x+t.args.count(0), t.cols))
	},
	'Z': func(t *Terminal) { t.backTab(t.args.count(0)) },
	'a': func(t *Terminal) { t.moveTo(t.x+t.args.count(0), t.y) },
	'b': func(t *Terminal) { t.repeat(t.args.count(0)) },
	'c': func(t *Terminal) {
		if t.args.get(0, 0) == 0 {
			t.answer("\x1b[?62;22c")
		}
	},
	'd': func(t *Terminal) { t.moveTo(t.x, t.args.count(0)-1+t.originY()) },
	'e': func(t *Terminal) { t.moveTo(t.x, t.y+t.args.count(0)) },
	'g': func(t *Terminal) { t.clearTabs(t.args.get(0, 0)) },
	'h': func(t *Terminal) { t.setANSI(true) },
	'l': func(t *Terminal) { t.setANSI(false) },
	'm': func(t *Terminal) { t.sgr() },
	'n': func(t *Terminal) { t.report() },
	'r': func(t *Terminal) { t.setMargins() },
	's': func(t *Terminal) {
		if t.modes&sideMargins != 0 {
			t.setSideMargins()
		} else {
			t.save()
		}
	},
	't': func(t *Terminal) { t.window() },
	'u': func(t *Terminal) { t.restore() },
	'x': func(t *Terminal) {
		if n := t.args.get(0, 0); n < 2 {
			t.answerf("\x1b[%d;1;1;128;128;1;0x", n+2)
		}
	},
}

// dispatchPrivate does what a sequence with ? says.
func (t *Terminal) dispatchPrivate() {
	switch a := &t.args; a.final {
	case 'J':
		t.eraseScreen(a.get(0, 0), t.eraseOpen)
	case 'K':
		t.eraseLine(a.get(0, 0), t.eraseOpen)
	case 'W':
		if a.get(0, 0) == 5 {
			t.resetTabs()
		}
	case 'h':
		t.setPrivate(true)
	case 'l':
		t.setPrivate(false)
	case 'm':
		t.reportKeys()
	case 'n':
		t.reportPrivate()
	case 'r':
		t.recallModes()
	case 's':
		t.rememberModes()
	case 'u':
		t.answerf("\x1b[?%du", t.KeyFlags())
	}
}

// dispatchPrefixed does what a sequence with <, = or > says.
func (t *Terminal) dispatchPrefixed() {
	a := &t.args
	switch [2]byte{a.prefix, a.final} {
	case [2]byte{'>', 'c'}:
		if a.get(0, 0) == 0 {
			t.answer("\x1b[>0;276;0c")
		}
	case [2]byte{'=', 'c'}:
		if a.get(0, 0) == 0 {
			t.answer("\x1bP!|00000000\x1b\\")
		}
	case [2]byte{'>', 'q'}:
		if a.get(0, 0) == 0 {
			t.answer("\x1bP>|kedge\x1b\\")
		}
	case [2]byte{'>', 'm'}:
		t.setOtherKeys()
	case [2]byte{'>', 'n'}:
		if n := a.get(0, 2); n < len(t.otherKeys) {
			t.otherKeys[n] = 0
		}
	case [2]byte{'>', 'u'}:
		t.pushKeys(uint8(a.get(0, 0)))
	case [2]byte{'<', 'u'}:
		t.popKeys(a.count(0))
	case [2]byte{'=', 'u'}:
		t.changeKeys(uint8(a.get(0, 0)), a.get(1, 1))
	}
}

// dispatchInter does what a sequence with an intermediate byte says.
func (t *Terminal) dispatchInter() {
	a := &t.args
	switch [3]byte{a.prefix, a.inter, a.final} {
	case [3]byte{0, ' ', 'q'}:
		if n := a.get(0, 1); n <= 6 {
			t.cursorKind = uint8(n)
		}
	case [3]byte{0, ' ', '@'}:
		if t.inMargins() {
			t.shift(t.left, -a.count(0))
		}
	case [3]byte{0, ' ', 'A'}:
		if t.inMargins() {
			t.shift(t.left, a.count(0))
		}
	case [3]byte{0, '\'', '}'}:
		if t.inMargins() {
			t.shift(t.x, a.count(0))
		}
	case [3]byte{0, '\'', '~'}:
		if t.inMargins() {
			t.shift(t.x, -a.count(0))
		}
	case [3]byte{0, '!', 'p'}:
		t.softReset()
	case [3]byte{0, '"', 'q'}:
		switch a.get(0, 0) {
		case 0, 2:
			t.pen.attrs &^= protected
		case 1:
			t.pen.attrs |= protected
		}
		t.penKnown = false
	case [3]byte{0, '$', 'p'}:
		t.reportMode(false)
	case [3]byte{'?', '$', 'p'}:
		t.reportMode(true)
	}
}
