package testguard

import (
	"maps"
	"slices"
	"strings"

	"kedge/internal/core/detect"
	"kedge/internal/core/review"
	"kedge/internal/text/lazyre"
)

// about tells whether a test has a new claim, or as many as it had, about what a lost one was about.
// Variables stand for what they were given. A bare fail() is about nothing in particular, and the
// claims of a helper of the same name are about the same.
func (p *pool) about(l *loss, fresh []int, bound bindings) bool {
	if l.row {
		return true
	}
	was := bound.things(l.claim, p.loses(l.unit))
	return slices.ContainsFunc(fresh, func(k int) bool {
		f := &p.fresh[k]
		switch {
		case f.row || f.Own():
			return !slices.ContainsFunc(l.Values(), func(v string) bool { return !strings.Contains(v, " ") })
		case bound != nil && len(l.Meaning()) == 0 || l.owner != "" && l.owner == f.owner:
			return true
		}
		is := bound.things(f.claim, p.gains(f.unit))
		for w := range was {
			if is[w] {
				return true
			}
		}
		return false
	})
}

// bindings are the names that tests give to things, with what they are given: kept, since many claims
// of a test ask for them.
type bindings map[string]map[string][]string

// things are what a claim names, and what its variables were given.
func (b bindings) things(c claim, in test) map[string]bool {
	if b == nil {
		return c.Things()
	}
	key := in.path + "\x00" + in.name
	if len(in.body) > 0 {
		key += "\x00" + in.body[0]
	}
	bound, ok := b[key]
	if !ok {
		bound = review.Bound(in.body)
		b[key] = bound
	}
	out := maps.Clone(c.Things())
	for w := range c.Things() {
		for _, v := range bound[w] {
			out[v] = true
		}
	}
	return out
}

// helped finds claims that a new helper makes for the tests that call it: what they were about is
// given to it.
func (p *pool) helped(share float64) {
	owned := map[string][]int{} // the new claims of each helper
	for k, f := range p.fresh {
		if f.owner != "" {
			owned[f.owner] = append(owned[f.owner], k)
		}
	}
	if len(owned) == 0 {
		return
	}
	called := map[int][]int{}
	for i := range p.losses {
		l := &p.losses[i]
		if l.fate != lost || l.row || l.unit >= len(p.c.pairs) || p.c.pairs[l.unit].is.rest {
			continue
		}
		claims, ok := called[l.unit]
		if !ok {
			claims = callsOf(p.c.pairs[l.unit], owned)
			called[l.unit] = claims
		}
		for _, k := range claims {
			if p.tries++; p.tries > maxPairs {
				return
			}
			if p.fresh[k].Covers(l.Asks) >= share {
				p.replace(l, k)
				break
			}
		}
	}
}

// callsOf are the claims of the helpers that a test newly calls.
func callsOf(pr pair, owned map[string][]int) []int {
	var out []int
	words := map[string]bool{}
	for _, w := range detect.Tokens(strings.Join(freshLines(pr), "\n")) {
		words[w] = true
	}
	for _, name := range slices.Sorted(maps.Keys(owned)) {
		if words[name] {
			out = append(out, owned[name]...)
		}
	}
	return out
}

var (
	failsHere = lazyre.New(`^(?:assert \. |Assert(?:ions)? \. |t \. |self \. |\$this -> )?fail \(`)
	throwing  = lazyre.New(`(?i)\b(?:assert_?(?:throws|raises?)\w*|to_?throw\w*|rejects|expectException\w*|shouldThrow\w*|isThrownBy|assertFailsWith|throws)\b`)
)

// thrown tells whether a claim only fails where nothing was thrown, or is about what was caught, and the test now
// asserts that something is thrown.
func (c claim) thrown(pr pair) bool {
	if !failsHere.MatchString(c.Text()) && !slices.ContainsFunc(review.Caught(pr.was.body), func(w string) bool { return c.Things()[w] }) {
		return false
	}
	count := func(t test) int {
		n := 0
		for _, o := range t.claims {
			if throwing.MatchString(o.Text()) {
				n++
			}
		}
		return n
	}
	return count(pr.is) > count(pr.was)
}

var spying = lazyre.New(`(?i)^(?:to(?:have)?be(?:en)?called\w*|called\w*|(?:assert_?|not_?|has_?|was_?|have_?)(?:any_?)?(?:called|awaited|calls|received|invoked)\w*|verify\w*|shouldhavereceived|toHaveBeen\w+)$`)

// spied finds claims about what a test noted itself when it was called back: it no longer notes that, but asks a spy
// how it was called, with the same values.
func (p *pool) spied() {
	units := p.units()
	for i := range p.losses {
		l := &p.losses[i]
		if l.fate != lost || l.row || l.unit >= len(p.c.pairs) || len(l.Things()) == 0 {
			continue
		}
		asked, values := -1, map[string]bool{}
		for _, k := range units[l.unit] {
			f := &p.fresh[k]
			for _, w := range f.Asks {
				values[w] = true
				if spying.MatchString(w) {
					asked = k
				}
			}
		}
		left := detect.Words(strings.Join(p.c.pairs[l.unit].is.body, "\n"))
		if asked >= 0 && !slices.ContainsFunc(l.Asks, func(w string) bool { return review.Telltale(w) && !values[w] }) &&
			!slices.ContainsFunc(slices.Sorted(maps.Keys(l.Things())), func(w string) bool { return w[0] != '"' && !values[w] && slices.Contains(left, w) }) {
			p.replace(l, asked)
		}
	}
}

// asOften drops rows whose values are all written down in the test as often as before: their form has changed.
func asOften(missing []claim, pr pair) []claim {
	if !slices.ContainsFunc(missing, func(c claim) bool { return c.row }) || slices.ContainsFunc(pr.is.claims, func(c claim) bool { return c.row && c.Skipped() }) {
		return missing
	}
	n := map[string]int{}
	for by, t := range []test{pr.was, pr.is} {
		for _, w := range detect.Tokens(strings.Join(t.body, "\n") + "\n" + strings.Join(t.marks, "\n")) {
			n[w] += 2*by - 1
		}
	}
	return slices.DeleteFunc(missing, func(c claim) bool {
		values := slices.DeleteFunc(slices.Clone(c.Asks), func(w string) bool { return !review.Telltale(w) })
		return c.row && len(values) > 0 && !slices.ContainsFunc(values, func(v string) bool { return n[v] < 0 })
	})
}

// bared tells whether what a claim was made about is still done, and nobody looks at the result any more.
func (c claim) bared(pr pair) bool {
	for _, l := range freshLines(pr) {
		if words := detect.Tokens(l); len(words) > 3 && len(words) < len(c.Asks) {
			call := review.Bare(words)
			if len(call) > 3 && strings.Contains(" "+c.Text()+" ", " "+strings.Join(call, " ")+" ") {
				return true
			}
		}
	}
	return false
}
