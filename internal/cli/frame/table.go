package frame

import (
	"io"
	"slices"
	"strings"

	"kedge/internal/text/plain"
)

// Column is one column of a table, and what becomes of it on a terminal that is too narrow.
// First whole columns go, then texts are cut; those of a spare column are cut first.
type Column struct {
	Title string
	Right bool // its texts stand at the right, as numbers do
	Drop  int  // the higher, the sooner it goes; 0 stays
	Least int  // its texts may be cut to so many cells; 0 are never cut
	Spare bool // its texts are cut before whole columns go
	Ends  bool // of a text that is cut the end stays, as of a path
	Tight bool // one blank stands behind it, as behind a sign
}

// Cell is one text of a table.
type Cell struct {
	Text string
	Role Role
}

// Table lays out rows in columns, by the cells that texts take on a terminal. A column
// without any text is left out. The zero value of Columns' titles prints no head.
type Table struct {
	Columns []Column
	Indent  int
	rows    [][]Cell
}

// Row adds a row of texts that have no role.
func (t *Table) Row(texts ...string) {
	row := make([]Cell, len(texts))
	for i, text := range texts {
		row[i].Text = text
	}
	t.Add(row...)
}

// Add adds a row. Every text of it is one line.
func (t *Table) Add(row ...Cell) {
	for i := range row {
		row[i].Text = plain.Line(row[i].Text)
	}
	t.rows = append(t.rows, row)
}

// Len is how many rows it has.
func (t *Table) Len() int { return len(t.rows) }

// Width is how many cells its longest line takes where nothing is left out.
func (t *Table) Width() int { return t.Indent + total(t.Columns, t.widths()) }

// gap is what stands between a column and the next.
func (c Column) gap() int {
	if c.Tight {
		return 1
	}
	return 2
}

// Print writes the table, fitted to the terminal where w is a page for one.
func (t *Table) Print(w io.Writer) { t.PrintWithin(w, 0) }

// PrintWithin is Print where so many cells of each line are taken already.
func (t *Table) PrintWithin(w io.Writer, taken int) {
	cols := 0
	if p, ok := w.(*Page); ok && p.cols > 0 {
		cols = max(p.cols-taken, 1)
	}
	shown := fit(t.Columns, t.widths(), cols-t.Indent, cols > 0)
	head := make([]Cell, len(t.Columns))
	titled := false
	for i, c := range t.Columns {
		head[i] = Cell{c.Title, Quiet}
		titled = titled || c.Title != ""
	}
	if titled {
		t.line(w, shown, head)
	}
	for _, row := range t.rows {
		t.line(w, shown, row)
	}
}

// widths are the cells that each column needs; 0 of one without any text.
func (t *Table) widths() []int {
	out := make([]int, len(t.Columns))
	for _, row := range t.rows {
		for i, c := range row {
			out[i] = max(out[i], Cells(c.Text))
		}
	}
	for i, c := range t.Columns {
		if out[i] > 0 {
			out[i] = max(out[i], Cells(c.Title))
		}
	}
	return out
}

// fit gives each column its width on a terminal with so many columns; 0 of those that
// are left out.
func fit(columns []Column, widths []int, cols int, narrow bool) []int {
	for narrow && total(columns, leastOf(columns, widths)) > cols {
		drop := -1
		for i, c := range columns {
			if widths[i] > 0 && c.Drop > 0 && (drop < 0 || c.Drop > columns[drop].Drop) {
				drop = i
			}
		}
		if drop < 0 {
			break
		}
		widths[drop] = 0
	}
	for narrow && total(columns, widths) > cols {
		widest := -1
		for i, c := range columns {
			if c.Least > 0 && widths[i] > c.Least && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			break
		}
		widths[widest]--
	}
	return widths
}

// leastOf are the widths where texts of spare columns are cut as much as they may be.
func leastOf(columns []Column, widths []int) []int {
	out := slices.Clone(widths)
	for i, c := range columns {
		if c.Spare && c.Least > 0 {
			out[i] = min(out[i], c.Least)
		}
	}
	return out
}

// total is the length of a line.
func total(columns []Column, widths []int) (n int) {
	behind := 0
	for i, width := range widths {
		if width > 0 {
			n += width + behind
			behind = columns[i].gap()
		}
	}
	return n
}

// line writes one row. Nothing stands behind its last text.
func (t *Table) line(w io.Writer, widths []int, row []Cell) {
	blank := t.Indent // spaces that are due before the next text
	for i, cell := range row {
		if widths[i] == 0 {
			continue
		}
		text := cell.Text
		switch c := t.Columns[i]; {
		case c.Least > 0 && c.Ends:
			text = CutFrom(text, widths[i])
		case c.Least > 0:
			text = CutTo(text, widths[i])
		}
		pad := max(widths[i]-Cells(text), 0)
		if t.Columns[i].Right {
			blank += pad
			pad = 0
		}
		if text != "" {
			Put(w, Plain, strings.Repeat(" ", blank))
			Put(w, cell.Role, text)
			blank = 0
		}
		blank += pad + t.Columns[i].gap()
	}
	Put(w, Plain, "\n")
}
