package vt

// moveTo goes to a place of the screen; with origin mode it stays within the margins.
func (t *Terminal) moveTo(x, y int) {
	t.pending = false
	if t.modes&origin != 0 {
		t.x, t.y = clamp(x, t.left, t.right), clamp(y, t.top, t.bottom)
		return
	}
	t.x, t.y = clamp(x, 0, t.cols-1), clamp(y, 0, t.rows-1)
}

func (t *Terminal) moveFromOrigin(x, y int) { t.moveTo(x+t.originX(), y+t.originY()) }

func (t *Terminal) originX() int {
	if t.modes&origin != 0 {
		return t.left
	}
	return 0
}

func (t *Terminal) originY() int {
	if t.modes&origin != 0 {
		return t.top
	}
	return 0
}

// up stops at the upper margin, if it comes from below it.
func (t *Terminal) up(n int) {
	t.pending = false
	least := 0
	if t.y >= t.top {
		least = t.top
	}
	t.y = max(t.y-n, least)
}

func (t *Terminal) down(n int) {
	t.pending = false
	most := t.rows - 1
	if t.y <= t.bottom {
		most = t.bottom
	}
	t.y = min(t.y+n, most)
}

func (t *Terminal) forward(n int) {
	t.pending = false
	t.x = min(t.x+n, t.edge()-1)
}

func (t *Terminal) back(n int) {
	t.pending = false
	least := 0
	if t.x >= t.left {
		least = t.left
	}
	t.x = max(t.x-n, least)
}

func (t *Terminal) clearTabs(how int) {
	switch how {
	case 0:
		t.tabs[t.x] = false
	case 3:
		clear(t.tabs)
	}
}

// setMargins is DECSTBM.
func (t *Terminal) setMargins() {
	top, bottom := t.args.count(0)-1, t.args.get(1, 0)-1
	if bottom < 0 || bottom >= t.rows {
		bottom = t.rows - 1
	}
	if top < bottom {
		t.top, t.bottom = top, bottom
		t.moveFromOrigin(0, 0)
	}
}

// setSideMargins is DECSLRM.
func (t *Terminal) setSideMargins() {
	left, right := t.args.count(0)-1, t.args.get(1, 0)-1
	if right < 0 || right >= t.cols {
		right = t.cols - 1
	}
	if left < right {
		t.left, t.right = left, right
		t.moveFromOrigin(0, 0)
	}
}

// insertLines is IL: it works between the margins only.
func (t *Terminal) insertLines(n int) {
	if t.inMargins() {
		t.pending = false
		t.scrollDown(t.y, t.bottom, n)
		t.x = t.left
	}
}

func (t *Terminal) deleteLines(n int) {
	if t.inMargins() {
		t.pending = false
		t.scrollUp(t.y, t.bottom, n, false)
		t.x = t.left
	}
}

// insertHere is ICH.
func (t *Terminal) insertHere(n int) {
	t.pending = false
	if t.x >= t.left && t.x <= t.right {
		t.insertCells(t.screen.rows[t.y], t.x, t.right+1, n, t.blank())
	}
}

// deleteHere is DCH.
func (t *Terminal) deleteHere(n int) {
	t.pending = false
	if t.x >= t.left && t.x <= t.right {
		t.deleteCells(t.screen.rows[t.y], t.x, t.right+1, n, t.blank())
	}
}

// softReset is DECSTR.
func (t *Terminal) softReset() {
	t.modes = t.modes&^(insert|origin|appCursor|keypad|reverseWrap|sideMargins|hidden) | autowrap
	t.resetMargins()
	t.setPen(style{})
	t.charsets = charsets{}
	t.screen.saved = freshSaved()
	t.screen.keys = append(t.screen.keys[:0], 0)
	t.pending = false
}
