package testguard

import (
	"slices"

	"kedge/internal/core/detect"
)

// loosen finds claims that something stands for which asserts less. Where the test has got another
// new one that is about the same and asserts as much, it was rewritten.
func (p *pool) loosen() {
	units := p.units()
	strong := map[int]bool{}
	for _, f := range p.fresh {
		strong[f.unit] = strong[f.unit] || !f.loose()
	}
	rows := p.shorterRows()
	for i := range p.losses {
		l := &p.losses[i]
		if l.fate != replaced || l.by < 0 {
			continue
		}
		f := &p.fresh[l.by]
		switch {
		case !l.row && !f.row && f.SameTruth(l.Asks):
		case l.row && f.row:
			if rows[i] {
				l.fate = loosened
			}
		case !strong[f.unit] && f.looser(l.claim), f.unit == l.unit && p.weaker(l, units[l.unit]):
			l.fate = loosened
		}
	}
}

// weaker tells whether what stands for a claim asserts less, and no other new claim of the test makes
// up for it.
func (p *pool) weaker(l *loss, fresh []int) bool {
	was, is := l.Asks, p.fresh[l.by].Asks
	f := &p.fresh[l.by]
	if l.row || f.row || !f.Shares(l.Asks) || !is.Weaker(was) && !(l.unit < len(p.c.pairs) && f.Computed(l.Asks, p.c.pairs[l.unit].is.body)) {
		return false
	}
	lost := slices.DeleteFunc(slices.Clone(l.Asks), func(w string) bool { return slices.Contains(f.Asks, w) || !detect.Literal(w) || len(w) < 4 })
	for _, k := range fresh {
		other := &p.fresh[k]
		if k != l.by && len(lost) > 0 && !slices.ContainsFunc(lost, func(w string) bool { return !slices.Contains(other.Asks, w) }) {
			return false // the values are asserted elsewhere
		}
		if k == l.by || other.row || !other.Shares(l.Asks) {
			continue
		}
		if ask := other.Asks; ask.Strength() >= was.Strength() && !ask.Weaker(was) {
			return false
		}
	}
	return true
}

// shorterRows are the losses of rows whose successors ask less: few of those of a test, for a field that
// all rows have lost is gone from the table.
func (p *pool) shorterRows() map[int]bool {
	found, all, out := map[int][]int{}, map[int]int{}, map[int]bool{}
	for i, l := range p.losses {
		if l.fate != replaced || l.by < 0 || !l.row || !p.fresh[l.by].row {
			continue
		}
		all[l.unit]++
		f := p.fresh[l.by].Asks
		if f.Skipped() && !l.Skipped() {
			out[i] = true
		} else if f.WeakerRow(l.Asks) {
			found[l.unit] = append(found[l.unit], i)
		}
	}
	for unit, rows := range found {
		if len(rows) < 3 || 2*len(rows) < all[unit] {
			for _, i := range rows {
				out[i] = true
			}
		}
	}
	return out
}
