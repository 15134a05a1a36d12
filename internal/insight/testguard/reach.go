package testguard

import (
	"maps"
	"slices"
	"strings"

	"kedge/internal/core/detect"
	"kedge/internal/core/review"
	"kedge/internal/text/lazyre"
)

var (
	leaves  = lazyre.New(`\b(?:return|if|else)\b`)
	onlyOut = lazyre.New(`^\s*(?:[\w.:]+\s*\([^;{}]*\)\s*;?\s*){0,2}return\b[^;{}]*;?\s*$`)
)

// exits tells whether a test with braces ends before its assertions: by a return among its own statements,
// or under a condition that asserts nothing.
func (c code) exits(t test, asserts *lazyre.Regexp) skip {
	from, to := c.Innermost(t.from, t.to)
	out := runs
	for i := from; i < to; {
		m := leaves.FindStringIndex(c.Masked[i:to])
		if m == nil {
			break
		}
		at := i + m[0]
		if b := strings.IndexAny(c.Masked[i:at], "({["); b >= 0 {
			i = max(i+b+1, min(c.Partner(i+b), to)) // what stands in brackets is not the test's own
			continue
		}
		i += m[1]
		switch c.Masked[at:i] {
		case "return":
			end := c.StatementEnd(at, to)
			if !asserts.MatchString(c.Masked[min(end, to):to]) {
				continue
			}
			if !c.Conditional(from, at) {
				return never
			}
			out = sometimes
		case "if", "else":
			block, end := c.Block(i, to)
			if block != "" && onlyOut.MatchString(block) && !asserts.MatchString(block) && asserts.MatchString(c.Masked[end:to]) {
				out = sometimes
			}
			if block != "" {
				i = end
			}
		}
	}
	return out
}

// itsOwn gives a claim of a test about the result of a function that it newly gives a fixed one.
func itsOwn(pr pair) (claim, bool) {
	fixed := review.Canned(pr.is.body)
	for name := range review.Canned(pr.was.body) {
		delete(fixed, name)
	}
	if len(fixed) == 0 {
		return claim{}, false
	}
	text, bound := " "+strings.ToLower(strings.Join(detect.Tokens(strings.Join(pr.was.body, "\n")), " ")), review.Bound(pr.was.body)
	maps.DeleteFunc(fixed, func(name, of string) bool {
		return of != "" && !strings.Contains(text, " "+strings.ToLower(strings.Join(detect.Tokens(of+"."+name), " ")))
	})
	for _, c := range pr.was.claims {
		if c.row || c.Strength() < 2 {
			continue
		}
		names := slices.Collect(maps.Keys(c.Things()))
		for w := range c.Things() {
			names = append(names, bound[w]...)
		}
		for _, w := range names {
			if _, ok := fixed[w]; ok {
				return c, true
			}
		}
	}
	return claim{}, false
}

// onItself gives a claim of a test whose expectation is now what the test has got: want := got.
func onItself(pr pair) (claim, bool) {
	for _, l := range freshLines(pr) {
		words := detect.Tokens(l)
		if n := len(words); n < 3 || n > 4 || !strings.Contains(" = := ", " "+words[n-2]+" ") || !name.MatchString(words[n-1]) || !name.MatchString(words[n-3]) {
			continue
		}
		to, from := words[len(words)-3], words[len(words)-1]
		for _, c := range pr.was.claims {
			if things := c.Things(); to != from && things[to] && things[from] && c.Strength() == 3 {
				return c, true
			}
		}
	}
	return claim{}, false
}

// onCondition gives a claim of a test that newly stands under a condition which says the same.
func onCondition(pr pair) (claim, bool) {
	for _, l := range freshLines(pr) {
		words := detect.Tokens(l)
		if len(words) < 4 || len(words) > 30 || words[0] != "if" {
			continue
		}
		under := claim{Asks: words}
		for _, c := range pr.is.claims {
			if c.row || c.aside || !slices.ContainsFunc(c.Asks, review.Telltale) || len(c.Things()) == 0 || !review.Compares(under.Asks) || !under.NamesAll(c.Asks) {
				continue
			}
			if !slices.ContainsFunc(c.Asks, func(w string) bool { return detect.Literal(w) && !slices.Contains(words, w) }) && !strings.HasPrefix(strings.Join(words, " "), c.Text()) && slices.ContainsFunc(pr.was.claims, func(o claim) bool { return o.Text() == c.Text() }) {
				return c, true
			}
		}
	}
	return claim{}, false
}

var name = lazyre.New(`^[\pL_]\w*$`)
