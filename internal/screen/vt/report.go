package vt

import (
	"fmt"
	"strconv"
)

func (t *Terminal) answer(s string) {
	if t.Reply != nil {
		t.Reply([]byte(s))
	}
}

func (t *Terminal) answerf(format string, args ...any) {
	if t.Reply != nil {
		t.Reply(fmt.Appendf(nil, format, args...))
	}
}

// report is DSR: that all is well, and where the cursor is.
func (t *Terminal) report() {
	switch t.args.get(0, 0) {
	case 5:
		t.answer("\x1b[0n")
	case 6:
		t.answerf("\x1b[%d;%dR", t.y-t.originY()+1, t.x-t.originX()+1)
	}
}

// reportPrivate is DSR with ?.
func (t *Terminal) reportPrivate() {
	switch t.args.get(0, 0) {
	case 6:
		t.answerf("\x1b[?%d;%d;1R", t.y-t.originY()+1, t.x-t.originX()+1)
	case 15:
		t.answer("\x1b[?13n") // no printer
	case 25:
		t.answer("\x1b[?21n") // keys that a user defines are locked
	case 26:
		t.answer("\x1b[?27;1;0;0n") // the keyboard is American
	case 53, 55:
		t.answer("\x1b[?53n") // no locator
	case 56:
		t.answer("\x1b[?57;0n")
	case 75:
		t.answer("\x1b[?70n")
	case 996:
		t.answer("\x1b[?997;" + strconv.Itoa(t.scheme()) + "n")
	}
}

// scheme is 1 for a dark background and 2 for a light one.
func (t *Terminal) scheme() int {
	c := t.colourOf(dynamic + 1)
	if (c>>16&255)*3+(c>>8&255)*6+c&255 > 1275 {
		return 2
	}
	return 1
}

// reportMode is DECRQM.
func (t *Terminal) reportMode(private bool) {
	n, sign := t.args.get(0, 0), ""
	if private {
		sign = "?"
	}
	t.answerf("\x1b[%s%d;%d$y", sign, n, t.modeSet(n, private))
}

// reportKeys is XTQMODKEYS.
func (t *Terminal) reportKeys() {
	if n := t.args.get(0, 0); n < len(t.otherKeys) {
		t.answerf("\x1b[>%d;%dm", n, t.otherKeys[n])
	}
}

// reportSize tells the size if the program wants to be told.
func (t *Terminal) reportSize() {
	if t.modes&sizeReports != 0 {
		t.answerf("\x1b[48;%d;%d;0;0t", t.rows, t.cols)
	}
}

// window is XTWINOPS, as far as it has a meaning without a window.
func (t *Terminal) window() {
	switch a := &t.args; a.get(0, 0) {
	case 11:
		t.answer("\x1b[1t")
	case 18:
		t.answerf("\x1b[8;%d;%dt", t.rows, t.cols)
	case 19:
		t.answerf("\x1b[9;%d;%dt", t.rows, t.cols)
	case 22:
		t.pushTitle()
	case 23:
		t.popTitle(a.get(1, 0))
	}
}
