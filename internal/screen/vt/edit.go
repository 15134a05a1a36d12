package vt

// scrollUp moves the lines from first to last up, within the margins at the sides.
// Lines that go over the upper edge of the main screen leave it.
func (t *Terminal) scrollUp(first, last, n int, leaves bool) {
	n = min(n, last-first+1)
	if n <= 0 {
		return
	}
	rows := t.screen.rows
	if !t.fullWidth() {
		for y := first; y <= last-n; y++ {
			t.copyBetween(rows[y], rows[y+n])
		}
		t.clearBetween(first+max(last-first+1-n, 0), last)
		return
	}
	if first > 0 {
		rows[first-1].wrapped = false
	}
	blank := t.blank()
	var few [4]*row
	gone := append(few[:0], rows[first:first+n]...)
	if leaves && first == 0 && t.screen == t.main {
		t.leaveTop(gone)
	}
	copy(rows[first:last+1], rows[first+n:last+1])
	for i, r := range gone {
		fill(r.cells, blank)
		r.wrapped = false
		rows[last+1-n+i] = r
	}
	if last+1-n > first && last < t.rows-1 {
		rows[last-n].wrapped = false
	}
	t.touchLines(first, last)
}

// scrollDown moves the lines from first to last down.
func (t *Terminal) scrollDown(first, last, n int) {
	n = min(n, last-first+1)
	if n <= 0 {
		return
	}
	rows := t.screen.rows
	if !t.fullWidth() {
		for y := last; y >= first+n; y-- {
			t.copyBetween(rows[y], rows[y-n])
		}
		t.clearBetween(first, first+n-1)
		return
	}
	if first > 0 {
		rows[first-1].wrapped = false
	}
	blank := t.blank()
	var few [4]*row
	gone := append(few[:0], rows[last+1-n:last+1]...)
	copy(rows[first+n:last+1], rows[first:last+1-n])
	for i, r := range gone {
		fill(r.cells, blank)
		r.wrapped = false
		rows[first+i] = r
	}
	rows[last].wrapped = false
	t.touchLines(first, last)
}

func (t *Terminal) touchLines(first, last int) {
	if first == 0 && last == t.rows-1 {
		t.touchAll()
		return
	}
	for y := first; y <= last; y++ {
		t.touch(y)
	}
}

func (t *Terminal) fullWidth() bool { return t.left == 0 && t.right == t.cols-1 }

// copyBetween copies what is within the margins at the sides.
func (t *Terminal) copyBetween(to, from *row) {
	for _, r := range []*row{from, to} {
		r.cut(t.left)
		r.cut(t.right + 1)
	}
	copy(to.cells[t.left:t.right+1], from.cells[t.left:t.right+1])
	to.wrapped, from.wrapped = false, false
	to.touched, from.touched = t.clock, t.clock
}

// clearBetween clears what is within the margins at the sides.
func (t *Terminal) clearBetween(first, last int) {
	for y := first; y <= last; y++ {
		t.erase(y, t.left, t.right+1)
	}
}

func fill(cells []cell, c cell) {
	if c == 0 {
		clear(cells)
		return
	}
	for i := range cells {
		cells[i] = c
	}
}

// erase clears the cells of a line from from up to to.
func (t *Terminal) erase(y, from, to int) {
	if from >= to {
		return
	}
	blank := t.blank()
	r := t.screen.rows[y]
	t.uncover(r, from, to)
	fill(r.cells[from:to], blank)
	if to == t.cols {
		r.wrapped = false
		if from == 0 && y > 0 && t.cols > 1 {
			t.screen.rows[y-1].wrapped = false
		}
	}
	r.touched = t.clock
}

// eraseOpen clears the cells that are not protected.
func (t *Terminal) eraseOpen(y, from, to int) {
	blank := t.blank()
	r := t.screen.rows[y]
	for i := from; i < to; i++ {
		if t.styles[r.cells[i].style()].attrs&protected == 0 {
			r.cells[i] = blank
		}
	}
	for i := max(from-1, 0); i < min(to+1, t.cols); i++ { // halves of wide characters
		c := r.cells[i]
		if c&wide != 0 && (i+1 == t.cols || r.cells[i+1]&tail == 0) || c&tail != 0 && r.cells[i-1]&wide == 0 {
			r.cells[i] = 0
		}
	}
	r.wrapped = r.wrapped && r.cells[t.cols-1]&content != 0
	r.touched = t.clock
}

// eraseLine is EL: to the end, to the beginning, or all of the line.
func (t *Terminal) eraseLine(how int, erase func(y, from, to int)) {
	switch how {
	case 0:
		erase(t.y, t.after(), t.cols)
	case 1:
		erase(t.y, 0, t.x+1)
	case 2:
		erase(t.y, 0, t.cols)
	}
}

// after is where erasing to the end begins: a last column that was just written to stays.
func (t *Terminal) after() int {
	if t.pending {
		return t.x + 1
	}
	return t.x
}

// eraseScreen is ED: to the end, to the beginning, or all of the screen.
func (t *Terminal) eraseScreen(how int, erase func(y, from, to int)) {
	switch how {
	case 0:
		erase(t.y, t.after(), t.cols)
		for y := t.y + 1; y < t.rows; y++ {
			erase(y, 0, t.cols)
		}
	case 1:
		for y := range t.y {
			erase(y, 0, t.cols)
		}
		erase(t.y, 0, t.x+1)
	case 2:
		for y := range t.rows {
			erase(y, 0, t.cols)
		}
	}
}

// insertCells moves the cells from x up to end to the right.
func (t *Terminal) insertCells(r *row, x, end, n int, blank cell) {
	n = min(n, end-x)
	r.cut(x)
	r.cut(end)
	r.cut(end - n)
	copy(r.cells[x+n:end], r.cells[x:end-n])
	fill(r.cells[x:x+n], blank)
	if end == t.cols {
		r.wrapped = false
	}
	r.touched = t.clock
}

// deleteCells moves the cells from x+n up to end to the left.
func (t *Terminal) deleteCells(r *row, x, end, n int, blank cell) {
	n = min(n, end-x)
	r.cut(x)
	r.cut(end)
	r.cut(x + n)
	copy(r.cells[x:end-n], r.cells[x+n:end])
	fill(r.cells[end-n:end], blank)
	if end == t.cols {
		r.wrapped = false
	}
	r.touched = t.clock
}

// inMargins tells whether the cursor is within the margins.
func (t *Terminal) inMargins() bool {
	return t.y >= t.top && t.y <= t.bottom && t.x >= t.left && t.x <= t.right
}

// shift inserts (n > 0) or deletes (n < 0) columns at x, in all lines within the margins.
func (t *Terminal) shift(x, n int) {
	blank := t.blank()
	for y := t.top; y <= t.bottom; y++ {
		if r := t.screen.rows[y]; n > 0 {
			t.insertCells(r, x, t.right+1, n, blank)
		} else {
			t.deleteCells(r, x, t.right+1, -n, blank)
		}
	}
}

// backIndex is DECBI: one column back, or all columns one on.
func (t *Terminal) backIndex() {
	t.pending = false
	switch {
	case t.x != t.left:
		t.x = max(t.x-1, 0)
	case t.y >= t.top && t.y <= t.bottom:
		t.shift(t.left, 1)
	}
}

// forwardIndex is DECFI: one column on, or all columns one back.
func (t *Terminal) forwardIndex() {
	t.pending = false
	switch {
	case t.x != t.right:
		t.x = min(t.x+1, t.cols-1)
	case t.y >= t.top && t.y <= t.bottom:
		t.shift(t.left, -1)
	}
}
