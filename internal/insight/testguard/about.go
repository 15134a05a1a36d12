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
		case f.row:
			return len(l.Values()) == 0
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
	truths    = lazyre.New(`(?i)^(?:true|false|null|none|nil|undefined)$`)
	equals    = lazyre.New(`(?i)^(?:assert_?)?(?:equals?|same|is|strict_?equal|toBe|toEqual|toStrictEqual|eql?|deep_?equal)$`)
)

// thrown tells whether a claim only fails where nothing was thrown, and the test now asserts that something is.
func (c claim) thrown(pr pair) bool {
	if !failsHere.MatchString(c.Text()) {
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

// sameTruth tells whether one claim compares with true, nil or their like, and another asks for just that by
// its name: assertEquals(true, x) and assertTrue(x).
func sameTruth(was, is claim) bool {
	truth := ""
	for _, w := range was.Asks {
		switch {
		case slices.Contains(is.Asks, w) || w == ",":
		case truths.MatchString(w) && truth == "":
			truth = strings.ToLower(w)
		case !equals.MatchString(w):
			return false
		}
	}
	return truth != "" && slices.ContainsFunc(is.Asks, func(w string) bool {
		w = strings.ToLower(strings.ReplaceAll(w, "_", ""))
		return len(w) > len(truth) && strings.HasSuffix(w, truth) && !strings.Contains(w, "not") || w == truth
	})
}
