package vt

// Bounds of the lines above the main screen that come back when it grows: so many
// cells, for narrow lines become few when the screen becomes wide, but some lines.
const (
	pastCells = 16 << 10
	leastPast = 100
)

// past are the lines that left the main screen last, the oldest one first: as many as
// a larger screen may need. They are not for looking back.
type past struct {
	rows []*row // a ring, once it is full
	most int
	next int // where the oldest one is then
}

// push adds a line, and gives one that can be used again, or nil.
func (p *past) push(r *row) (old *row) {
	if len(p.rows) < p.most {
		p.rows = append(p.rows, r)
		return nil
	}
	old = p.rows[p.next]
	p.rows[p.next] = r
	p.next = (p.next + 1) % p.most
	return old
}

// all are the lines in order.
func (p *past) all() []*row {
	return append(append(make([]*row, 0, len(p.rows)), p.rows[p.next:]...), p.rows[:p.next]...)
}

func newPast(cols int) past { return past{most: max(pastCells/cols, leastPast)} }

// keep has only the last of the given lines from now on, which have so many columns.
func (p *past) keep(rows []*row, cols int) {
	*p = newPast(cols)
	p.rows = append(p.rows, rows[max(len(rows)-p.most, 0):]...)
}

// leaveTop takes the first n lines of the main screen away for good, and gives lines
// that can be used again in their place.
func (t *Terminal) leaveTop(gone []*row) {
	for i, r := range gone {
		if t.Left != nil {
			t.Left(Line{t: t, row: r, continues: r.wrapped})
		}
		if gone[i] = t.past.push(r); gone[i] == nil {
			gone[i] = &row{cells: make([]cell, t.cols)}
		}
	}
}

// erasing is told that the whole main screen is erased, or with 3 what is above it.
// The lines above do not come back then.
func (t *Terminal) erasing(how int) {
	if t.screen != t.main || how > 3 {
		return
	}
	if how != 3 {
		t.eraseLeaves()
	}
	t.past = newPast(t.cols)
}

// Checkpoint is a Snapshot that also has the lines above the main screen: after it, a
// terminal of this package is the same even when it grows. Another one would show those
// lines when it looks back.
func (t *Terminal) Checkpoint() (b []byte, from int64) { return t.snapshot(t.past.all()) }

// above writes lines of the main screen and lets them leave it, then its own.
func (p *painter) above(past []*row, rows []*row) {
	all := append(past, rows...)
	for y := range rows {
		p.row(&grid{rows: all[:len(rows)]}, y)
	}
	for i := range past {
		g := &grid{rows: all[i+1 : i+1+len(rows)]}
		p.style(0)
		p.put("\r\x1b[S")
		y := len(rows) - 1
		before := past[i] // the line before the new one
		if y > 0 {
			before = g.rows[y-1]
		}
		if c := before.cells[p.t.cols-1]; before.wrapped && y > 0 && c&content != 0 {
			x := p.t.cols - 1
			if c&tail != 0 {
				x--
			}
			p.at(x, y-1)
			p.cell(before.cells[x])
		}
		p.row(g, y)
	}
}
