package glob

// Overlap tells whether one path could match both patterns. It errs to true: a
// false answer is certain, a true one may be about a path that cannot exist.
// An invalid pattern matches nothing and overlaps nothing.
func Overlap(a, b string) bool {
	pa, pb := split(a), split(b)
	if validate(pa) != nil || validate(pb) != nil {
		return false
	}
	return meet(len(pa), len(pb), func(i, j int) step {
		return step{
			starA: i < len(pa) && pa[i] == deep,
			starB: j < len(pb) && pb[j] == deep,
			both:  i < len(pa) && j < len(pb) && pa[i] != deep && pb[j] != deep && overlapElem(pa[i], pb[j]),
		}
	})
}

// overlapElem asks the same of two elements, character by character.
func overlapElem(a, b string) bool {
	ta, tb := tokens(a), tokens(b)
	return meet(len(ta), len(tb), func(i, j int) step {
		return step{
			starA: i < len(ta) && ta[i].kind == star,
			starB: j < len(tb) && tb[j].kind == star,
			both:  i < len(ta) && j < len(tb) && couldMeet(ta[i], tb[j]),
		}
	})
}

func tokens(p string) []token {
	var out []token
	for p != "" {
		t, n, _ := next(p)
		out = append(out, t)
		p = p[n:]
	}
	return out
}

// couldMeet tells whether one character fits both; two classes are taken to.
func couldMeet(a, b token) bool {
	switch {
	case a.kind == literal:
		return b.matches(a.char)
	case b.kind == literal:
		return a.matches(b.char)
	}
	return true
}

// step is what can be said at one pair of positions.
type step struct{ starA, starB, both bool }

// meet walks all pairs of positions of two patterns once and tells whether both
// ends can be reached together: a star may be nothing (move past it) or take
// whatever the other side has next (the other side moves).
func meet(n, m int, at func(i, j int) step) bool {
	row := make([]bool, m+1)
	row[0] = true
	for i := 0; i <= n; i++ {
		below := make([]bool, m+1)
		for j := 0; j <= m; j++ {
			if !row[j] {
				continue
			}
			s := at(i, j)
			if j < m && (s.starA || s.starB) {
				row[j+1] = true
			}
			if i < n && (s.starA || s.starB) {
				below[j] = true
			}
			if i < n && j < m && s.both && !s.starA && !s.starB {
				below[j+1] = true
			}
		}
		if i == n {
			return row[m]
		}
		row = below
	}
	return false
}
