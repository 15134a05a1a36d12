package vt

// place is where a cursor stands in a grid.
type place struct {
	x, y    int
	pending bool
}

// Resize changes the size. The lines of the main screen are broken anew; the
// alternate screen is cut. Lines that have no room any more leave at the top.
func (t *Terminal) Resize(cols, rows int) {
	cols, rows = clamp(cols, 1, maxCols), clamp(rows, 1, maxRows)
	if cols == t.cols && rows == t.rows {
		return
	}
	t.fresh = false
	t.resizeTabs(cols)
	if t.alt == nil {
		t.resizeMain(&t.x, &t.y, &t.pending, cols, rows)
	} else {
		saved := &t.main.saved
		t.resizeMain(&saved.x, &saved.y, &saved.pending, cols, rows)
		at := place{t.x, t.y, t.pending}
		t.alt.setHeight(rows, t.cols, &at)
		t.alt.cutWidth(cols)
		t.x, t.y, t.pending = min(at.x, cols-1), at.y, false
	}
	t.cols, t.rows = cols, rows
	for _, g := range []*grid{t.main, t.alt} {
		if g != nil {
			g.saved.x, g.saved.y = min(g.saved.x, cols-1), min(g.saved.y, rows-1)
			g.saved.pending = g.saved.pending && g.saved.x == cols-1
		}
	}
	if rows == 1 { // then a snapshot could not say which lines go on
		for _, r := range t.past.rows {
			r.wrapped = false
		}
	}
	t.resetMargins()
	t.pending = t.pending && t.x == cols-1
	t.settle()
	t.touchAll()
	t.epoch++
	t.reportSize()
}

func (t *Terminal) resizeMain(x, y *int, pending *bool, cols, rows int) {
	at := place{*x, *y, *pending}
	back := t.comeBack(rows - len(t.main.rows))
	at.y += back
	over := t.main.setHeight(rows, t.cols, &at)
	t.leaveTop(over)
	if cols != t.cols {
		t.reflow(cols, &at)
	}
	*x, *y, *pending = at.x, at.y, at.pending
}

// comeBack puts up to n lines from above on the main screen again.
func (t *Terminal) comeBack(n int) int {
	above := t.past.all()
	n = min(n, len(above))
	if n <= 0 {
		return 0
	}
	t.past.keep(above[:len(above)-n], t.cols)
	t.main.rows = append(above[len(above)-n:], t.main.rows...)
	t.tellReturned(n)
	return n
}

func (t *Terminal) tellReturned(n int) {
	if t.Returned != nil && n > 0 {
		t.Returned(n)
	}
}

func (t *Terminal) resizeTabs(cols int) {
	for x := len(t.tabs); x < cols; x++ {
		t.tabs = append(t.tabs, x%8 == 0)
	}
	t.tabs = t.tabs[:cols]
}

// setHeight takes lines away below the cursor, then at the top, which it gives, or adds
// some below.
func (g *grid) setHeight(rows, cols int, at *place) (above []*row) {
	old := len(g.rows)
	if rows >= old {
		for range rows - old {
			g.rows = append(g.rows, &row{cells: make([]cell, cols)})
		}
		return nil
	}
	below := min(old-1-at.y, old-rows)
	n := old - rows - below
	above = append(above, g.rows[:n]...)
	g.rows = append([]*row(nil), g.rows[n:old-below]...)
	g.rows[rows-1].wrapped = false
	at.y -= n
	return above
}

// cutWidth cuts lines, or adds room at their ends.
func (g *grid) cutWidth(cols int) {
	for _, r := range g.rows {
		if cols == len(r.cells) {
			continue
		}
		cells := make([]cell, cols)
		copy(cells, r.cells)
		if last := cols - 1; last < len(r.cells) && cells[last]&wide != 0 {
			cells[last] = 0
		}
		r.cells, r.wrapped = cells, false
	}
}

// reflow breaks the lines of the main screen anew, with those above it.
func (t *Terminal) reflow(cols int, at *place) {
	above := t.past.all()
	old := append(above, t.main.rows...)
	f := flow{cols: cols, at: *at}
	f.at.y += len(above)
	if at.pending {
		f.at.x++
	}
	for y := 0; y < len(old); {
		y = f.line(old, y)
	}
	rows := len(t.main.rows)
	over := max(len(f.rows)-rows, 0)
	for len(f.rows) < rows {
		f.rows = append(f.rows, &row{cells: make([]cell, cols)})
		f.from = append(f.from, len(old))
	}
	for y, r := range f.rows[:over] {
		if f.from[y] >= len(above) && t.Left != nil {
			t.Left(Line{t: t, row: r, continues: r.wrapped})
		}
	}
	t.tellReturned(len(above) - f.from[over])
	t.past.keep(f.rows[:over], cols)
	t.main.rows = append([]*row(nil), f.rows[over:]...)
	*at = place{x: f.now.x, y: f.now.y - over}
	if at.y < 0 {
		*at = place{}
	}
	if at.x >= cols {
		at.x, at.pending = cols-1, true
	}
}

// flow are lines that are broken anew, and where the cursor was and is then.
type flow struct {
	cols    int
	rows    []*row
	from    []int // the row that each one begins in
	at, now place
}

// line takes the line that begins in row y, with the rows that go on with it; it gives
// the row after them.
func (f *flow) line(rows []*row, y int) int {
	var cells []cell
	var origins []int // the row that each of cells is from
	cursor := -1      // among cells
	here := false
	for ; y < len(rows); y++ {
		used := rows[y].used()
		if f.at.y == y {
			here = true
			if f.at.x < used {
				cursor = len(cells) + f.at.x
			}
		}
		goesOn := rows[y].wrapped && y+1 < len(rows)
		if !goesOn && len(cells) == 0 && used <= f.cols {
			f.from = append(f.from, y)
			f.short(rows[y], used, here, cursor)
			return y + 1
		}
		cells = append(cells, rows[y].cells[:used]...)
		for range used {
			origins = append(origins, y)
		}
		if !goesOn {
			break
		}
	}
	f.long(cells, append(origins, y), here, cursor)
	return y + 1
}

// short takes a line that needs not be broken.
func (f *flow) short(r *row, used int, here bool, cursor int) {
	if here {
		f.now = place{x: cursor, y: len(f.rows)}
		if cursor < 0 {
			f.now.x = used
		}
	}
	cells := make([]cell, f.cols)
	copy(cells, r.cells)
	if last := f.cols - 1; last < len(r.cells) && cells[last]&wide != 0 {
		cells[last] = 0
	}
	f.rows = append(f.rows, &row{cells: cells})
}

// long breaks a line.
func (f *flow) long(cells []cell, origins []int, here bool, cursor int) {
	if here && cursor < 0 {
		cursor = len(cells)
	}
	for from := 0; ; {
		n := min(f.cols, len(cells)-from)
		if rest := cells[from+n:]; len(rest) > 0 && rest[0]&tail != 0 && n > 1 {
			n--
		}
		r := &row{cells: make([]cell, f.cols), wrapped: from+n < len(cells)}
		copy(r.cells, cells[from:from+n])
		if last := &r.cells[f.cols-1]; *last&wide != 0 || f.cols == 1 && *last&tail != 0 {
			*last = ' ' // a wide character has no room at all
		} else if r.wrapped && n < f.cols {
			*last |= gap
		} else if r.wrapped && *last&content == 0 {
			*last |= ' '
		}
		if here && cursor >= from && (cursor < from+n || from+n == len(cells)) {
			f.now = place{x: cursor - from, y: len(f.rows)}
		}
		f.rows, f.from = append(f.rows, r), append(f.from, origins[from])
		if from += n; from >= len(cells) {
			return
		}
	}
}
