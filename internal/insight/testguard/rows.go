package testguard

import (
	"kedge/internal/core/detect"
)

// rowsIn gives the rows of the tables in a part of a text: the elements of lists that have brackets
// of their own, and those of lists that a loop goes through. What assertions hold is passed over.
func (c code) rowsIn(from, to int, claimed [][2]int, lines *detect.LineCounter) []claim {
	var out []claim
	tables := 0
	for i, k := from, 0; i < to; i++ {
		for k < len(claimed) && claimed[k][1] <= i {
			k++
		}
		if k < len(claimed) && i >= claimed[k][0] {
			i = claimed[k][1] - 1
			continue
		}
		if !c.OpensList(i, from) {
			continue
		}
		end := min(c.Partner(i)-1, to)
		rows := c.Elements(i, end)
		if len(rows) == 0 {
			continue
		}
		tables++
		for _, r := range rows {
			out = append(out, claim{Asks: detect.Tokens(c.Bare[r[0]:r[1]]), row: true, table: tables, line: lines.At(r[0])})
		}
		i = end
	}
	return out
}
