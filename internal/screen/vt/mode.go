package vt

import (
	"maps"
	"slices"
)

// modes are the switches of the terminal.
type modes uint32

const (
	insert modes = 1 << iota
	newline
	appCursor
	reversed
	origin
	autowrap
	repeats
	blinks
	hidden // the cursor; the mode is the opposite
	reverseWrap
	keypad
	backspaceKey
	sideMargins
	focus
	alternateScroll
	eightBit
	metaEscape
	altEscape
	paste
	synchronized
	graphemes
	colourScheme
	sizeReports
)

const usualModes = autowrap | repeats | graphemes

// privateModes are the modes that CSI ? n h sets and that only have to be known.
var privateModes = []struct {
	number uint16
	mode   modes
}{
	{1, appCursor},
	{5, reversed},
	{6, origin},
	{7, autowrap},
	{8, repeats},
	{12, blinks},
	{25, hidden},
	{45, reverseWrap},
	{66, keypad},
	{67, backspaceKey},
	{69, sideMargins},
	{1004, focus},
	{1007, alternateScroll},
	{1034, eightBit},
	{1036, metaEscape},
	{1039, altEscape},
	{2004, paste},
	{2026, synchronized},
	{2027, graphemes},
	{2031, colourScheme},
	{2048, sizeReports},
}

func privateMode(number int) (modes, bool) {
	for _, m := range privateModes {
		if int(m.number) == number {
			return m.mode, true
		}
	}
	return 0, false
}

func (t *Terminal) setMode(m modes, on bool) {
	if on {
		t.modes |= m
	} else {
		t.modes &^= m
	}
}

// setANSI is SM and RM.
func (t *Terminal) setANSI(on bool) {
	for i := range t.args.n {
		switch t.args.get(i, 0) {
		case 4:
			t.setMode(insert, on)
		case 20:
			t.setMode(newline, on)
		}
	}
}

// setPrivate is DECSET and DECRST.
func (t *Terminal) setPrivate(on bool) {
	a := t.args // a switch of screens may use the terminal's
	for i := range a.n {
		t.switchPrivate(a.get(i, 0), on)
	}
}

func (t *Terminal) switchPrivate(number int, on bool) {
	switch number {
	case 9, 1000, 1001, 1002, 1003:
		t.mouse = numberIf(on, number)
	case 1005, 1006, 1015, 1016:
		t.encoding = numberIf(on, number)
	case 25:
		t.setMode(hidden, !on)
	case 47, 1047:
		t.showAlternate(on)
	case 1048:
		if on {
			t.save()
		} else {
			t.restore()
		}
	case 1049:
		t.switchBoth(on)
	case 6:
		t.setMode(origin, on)
		t.moveFromOrigin(0, 0)
	case 69:
		t.setMode(sideMargins, on)
		t.left, t.right = 0, t.cols-1
	case 2048:
		t.setMode(sizeReports, on)
		t.reportSize()
	default:
		if m, ok := privateMode(number); ok {
			t.setMode(m, on)
		}
	}
}

func numberIf(on bool, n int) uint16 {
	if on {
		return uint16(n)
	}
	return 0
}

// switchBoth is mode 1049: the cursor is saved with the switch.
func (t *Terminal) switchBoth(on bool) {
	if on {
		if t.screen == t.main {
			t.save()
		}
		t.showAlternate(true)
		return
	}
	t.showAlternate(false)
	t.restore()
}

// showAlternate switches screens. The alternate one is empty whenever it is entered.
func (t *Terminal) showAlternate(on bool) {
	if on == t.Alternate() {
		return
	}
	t.pending = t.pending && on
	t.screen = t.main
	if on {
		t.alt = newGrid(t.cols, t.rows)
		t.screen = t.alt
		if blank := t.blank(); blank != 0 {
			for _, r := range t.alt.rows {
				fill(r.cells, blank)
			}
		}
	} else {
		t.alt = nil
	}
	t.touchAll()
}

// modeSet tells how a mode stands, as DECRQM asks: 1 set, 2 reset, 0 unknown.
func (t *Terminal) modeSet(number int, private bool) int {
	switch {
	case !private && number == 4:
		return t.isSet(insert)
	case !private && number == 20:
		return t.isSet(newline)
	case !private:
		return 0
	}
	switch number {
	case 9, 1000, 1001, 1002, 1003:
		return oneIf(int(t.mouse) == number)
	case 1005, 1006, 1015, 1016:
		return oneIf(int(t.encoding) == number)
	case 25:
		return 3 - t.isSet(hidden)
	case 47, 1047, 1049:
		return oneIf(t.Alternate())
	case 1048:
		return 1
	}
	if m, ok := privateMode(number); ok {
		return t.isSet(m)
	}
	return 0
}

func (t *Terminal) isSet(m modes) int { return oneIf(t.modes&m != 0) }

func oneIf(set bool) int {
	if set {
		return 1
	}
	return 2
}

// rememberModes is XTSAVE.
func (t *Terminal) rememberModes() {
	for i := range t.args.n {
		n := t.args.get(i, 0)
		if !memorable(n) {
			continue
		}
		if t.remembered == nil {
			t.remembered = map[uint16]bool{}
		}
		t.remembered[uint16(n)] = t.modeSet(n, true) == 1
	}
}

// recallModes is XTRESTORE.
func (t *Terminal) recallModes() {
	a := t.args
	for i := range a.n {
		n := a.get(i, 0)
		if on, ok := t.remembered[uint16(n)]; ok && memorable(n) {
			t.switchPrivate(n, on)
		}
	}
}

// memorable tells whether XTSAVE can save a mode: those that only have to be known.
func memorable(number int) bool {
	_, known := privateMode(number)
	mouse := number == 9 || number >= 1000 && number <= 1003
	encoding := number == 1005 || number == 1006 || number == 1015 || number == 1016
	return known || mouse || encoding
}

// maxKeys bounds the stack of flags of the kitty keyboard protocol.
const maxKeys = 16

// keyFlags are those of the kitty keyboard protocol.
const keyFlags = 31

func (t *Terminal) pushKeys(flags uint8) {
	g := t.screen
	if len(g.keys) == maxKeys {
		copy(g.keys[1:], g.keys[2:])
		g.keys = g.keys[:maxKeys-1]
	}
	g.keys = append(g.keys, flags&keyFlags)
}

func (t *Terminal) popKeys(n int) {
	g := t.screen
	if n >= len(g.keys) {
		g.keys = append(g.keys[:0], 0)
		return
	}
	g.keys = g.keys[:len(g.keys)-n]
}

func (t *Terminal) changeKeys(flags uint8, how int) {
	last := &t.screen.keys[len(t.screen.keys)-1]
	flags &= keyFlags
	switch how {
	case 1:
		*last = flags
	case 2:
		*last |= flags
	case 3:
		*last &^= flags
	}
}

// setOtherKeys is XTMODKEYS: CSI > n ; value m.
func (t *Terminal) setOtherKeys() {
	if t.args.n == 0 {
		t.otherKeys = [8]uint16{}
		return
	}
	if n := t.args.get(0, 0); n < len(t.otherKeys) {
		t.otherKeys[n] = uint16(t.args.get(1, 0))
	}
}

// sortedRemembered is what XTSAVE saved, in order.
func (t *Terminal) sortedRemembered() []uint16 {
	return slices.Sorted(maps.Keys(t.remembered))
}
