package vt

import (
	"unicode/utf8"

	"kedge/internal/text/plain"
)

// cell is one place of the screen: what it shows in the low half, and the number of
// its style in the high half. Zero is a place that nothing was written to.
type cell uint64

// The parts of the low half.
const (
	code    cell = 1<<21 - 1 // a code point, or the number of a cluster
	cluster cell = 1 << 21   // several code points: code is a number
	wide    cell = 1 << 22   // it takes this place and the next one
	tail    cell = 1 << 23   // the second place of a wide one
	content cell = 1<<24 - 1 // all of these: 0 for nothing

	gap cell = 1 << 24 // nothing, at the end of a line that goes on: a wide one had no room
)

func (c cell) style() uint32 { return uint32(c >> 32) }

func styled(style uint32) cell { return cell(style) << 32 }

// width is how many places it takes; 0 for the second place of a wide one.
func (c cell) width() int {
	switch {
	case c&tail != 0:
		return 0
	case c&wide != 0:
		return 2
	}
	return 1
}

// row is one line of a grid.
type row struct {
	cells   []cell
	wrapped bool   // the next line goes on with this one; then the last cell has content, or is a gap
	touched uint64 // the clock when it changed last
}

// used is how many places were written to, without those behind them.
func (r *row) used() int {
	n := len(r.cells)
	for n > 0 && r.cells[n-1]&content == 0 {
		n--
	}
	return n
}

// cut clears both halves of a wide character that stands across the left edge of x.
func (r *row) cut(x int) {
	if x > 0 && x < len(r.cells) && r.cells[x]&tail != 0 {
		r.cells[x-1], r.cells[x] = 0, r.nothing(x)
	}
}

// nothing is what stands at x when nothing does.
func (r *row) nothing(x int) cell {
	if r.wrapped && x == len(r.cells)-1 {
		return gap
	}
	return 0
}

// grid is one screen: the main one, or the alternate one.
type grid struct {
	rows  []*row
	saved saved
	keys  []uint8 // flags of the kitty keyboard protocol: the last ones hold
}

func newGrid(cols, rows int) *grid {
	g := &grid{rows: make([]*row, rows), keys: make([]uint8, 1, 4), saved: freshSaved()}
	cells := make([]cell, cols*rows)
	lines := make([]row, rows)
	for i := range g.rows {
		lines[i].cells = cells[i*cols : (i+1)*cols : (i+1)*cols]
		g.rows[i] = &lines[i]
	}
	return g
}

// glyph appends what a cell shows.
func (t *Terminal) glyph(dst []byte, c cell) []byte {
	switch {
	case c&cluster != 0:
		return append(dst, t.clusters[c&code]...)
	case c&tail != 0:
		return dst
	case c&content == 0:
		return append(dst, ' ')
	}
	return utf8.AppendRune(dst, rune(c&code))
}

// grapheme is what the next code point needs to know of a cell.
func (t *Terminal) grapheme(c cell) plain.Grapheme {
	if c&cluster == 0 {
		return plain.Begin(rune(max(c&code, ' ')))
	}
	var g plain.Grapheme
	for i, r := range t.clusters[c&code] {
		if i == 0 {
			g = plain.Begin(r)
			continue
		}
		g, _ = g.Add(r)
	}
	return g
}

// maxCluster bounds the code points of one place, in bytes: the longest emoji have
// about forty, and a text that piles up marks has no end.
const maxCluster = 128

// extended is the number of the cluster of cell c with one more code point; false
// where it is long enough. Numbers of cells may change meanwhile.
func (t *Terminal) extended(c cell, r rune) (cell, bool) {
	var buf [maxCluster + utf8.UTFMax]byte
	b := utf8.AppendRune(t.glyph(buf[:0], c), r)
	if len(b) > maxCluster {
		return 0, false
	}
	return t.clusterOf(b), true
}

func (t *Terminal) clusterOf(b []byte) cell {
	if n, ok := t.clusterNumbers[string(b)]; ok {
		return n
	}
	if len(t.clusters) >= t.clusterLimit {
		t.collect()
	}
	n := cell(len(t.clusters))
	t.clusters = append(t.clusters, string(b))
	t.clusterNumbers[string(b)] = n
	return n
}
