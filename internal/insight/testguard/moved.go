package testguard

import (
	"cmp"
	"slices"
	"strings"

	"kedge/internal/core/detect"
	"kedge/internal/core/review"
	"kedge/internal/text/lazyre"
)

// maxPairs bounds how many pairs of tests are compared line by line; beyond it
// only tests with the very same body count as moved.
const maxPairs = 200_000

// settle makes pairs of tests that are gone and added ones that are the same by a rule: those that
// have most in common first.
func (c *comparison) settle(same func(was, is test) bool) {
	goneIs, addedIs := map[int]bool{}, map[int]bool{}
	for _, m := range c.matches(same) {
		if !goneIs[m.gone] && !addedIs[m.added] {
			goneIs[m.gone], addedIs[m.added] = true, true
			c.pairs = append(c.pairs, pair{c.gone[m.gone], c.added[m.added]})
		}
	}
	c.gone, c.added = without(c.gone, goneIs), without(c.added, addedIs)
}

// match is a test that is gone and an added one, by their numbers.
type match struct {
	gone, added int
	kept        float64 // the share of lines that they have in common
}

func (c *comparison) matches(same func(was, is test) bool) []match {
	bodies := map[string][]int{}
	for i, a := range c.added {
		key := strings.Join(a.body, "\n")
		bodies[key] = append(bodies[key], i)
	}
	var out []match
	tried := 0
	for g, was := range c.gone {
		for _, i := range bodies[strings.Join(was.body, "\n")] {
			if tried++; tried < 2*maxPairs && same(was, c.added[i]) {
				out = append(out, match{g, i, 2})
			}
		}
		for i, is := range c.added {
			if tried++; tried < maxPairs && same(was, is) {
				out = append(out, match{g, i, float64(detect.KeptLines(was.body, is.body)) / float64(max(len(was.body), len(is.body), 1))})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b match) int { return cmp.Compare(b.kept, a.kept) })
	return out
}

// without gives the tests that are not among some, by their numbers.
func without(tests []test, some map[int]bool) []test {
	var out []test
	for i, t := range tests {
		if !some[i] {
			out = append(out, t)
		}
	}
	return out
}

var nameNoise = lazyre.New(`(?i)[^\pL\pN]+|^(?:test|it|should)`)

// sameName tells whether two tests have the same name but for its case, its underscores, its class or
// its suite.
func sameName(was, is test) bool {
	if was.rest || is.rest {
		return false
	}
	a, b := lastName(was.name), lastName(is.name)
	return a == b && len(a) > 3 && (was.path == is.path || was.name == is.name || len(detect.Words(was.name)) > 2 && len(a) > 9 || moved(was, is))
}

// rewritten tells whether a new test has taken the place of an old one, in the same file behind the
// same test, and is about the same.
func rewritten(was, is test) bool {
	if was.rest || is.rest || was.path != is.path || was.follows != is.follows {
		return false
	}
	a, b := claim{Asks: detect.Tokens(strings.Join(was.body, "\n"))}, claim{Asks: detect.Tokens(strings.Join(is.body, "\n"))}
	return max(b.Covers(a.Asks), a.Covers(b.Asks)) >= 0.5 || namesMost(a, b)
}

// namesMost tells whether a test names at least half of the things that another one does.
func namesMost(was, is claim) bool {
	kept, all := sharedNames(was, is)
	return kept > 0 && 2*kept >= all
}

// sharedNames counts the names in one text, and those of them in another.
func sharedNames(was, is claim) (kept, all int) {
	have := is.Things()
	for w := range was.Things() {
		if w[0] == '"' {
			continue
		}
		all++
		if have[w] {
			kept++
		}
	}
	return kept, all
}

// lastName is a test's own name without its class or suites.
func lastName(name string) string {
	if i := strings.LastIndex(name, " > "); i >= 0 {
		name = name[i+3:]
	} else if i := strings.LastIndexByte(name, '.'); i >= 0 && !strings.ContainsAny(name, " \t") {
		name = name[i+1:]
	}
	return nameNoise.ReplaceAllString(strings.ToLower(nameNoise.ReplaceAllString(name, "")), "")
}

// moved tells whether a new test is an old one under another name or in another
// file: at least half of its lines are still there. A body too short to be
// recognised must be the same.
func moved(was, is test) bool {
	if was.rest || is.rest {
		return false
	}
	if len(was.body) < 4 {
		return slices.Equal(was.body, is.body) && (len(was.body) > 0 || was.name == is.name) || adapted(was, is)
	}
	return 2*detect.KeptLines(was.body, is.body) >= len(was.body)
}

// adapted tells whether a short test has followed something that got a longer name: it has one too, and
// all of its lines but one.
func adapted(was, is test) bool {
	kept := detect.KeptLines(was.body, is.body)
	return kept > 1 && kept+1 >= len(was.body) && len(is.body) == len(was.body) && is.asserts >= was.asserts && strings.HasPrefix(lastName(is.name), lastName(was.name))
}

// mayGo tells whether a test that is gone is not missed: it tested what the source no longer has, or
// another test has all that it did.
func (c *comparison) mayGo(g test) bool {
	if c.ofRemoved(g) {
		return true
	}
	for _, t := range c.still {
		if !t.rest && len(g.body) > 2 && review.Left(g.path, t.path, c.all) != never && t.skip <= g.skip && t.asserts >= g.asserts && detect.KeptLines(g.body, t.body) == len(g.body) {
			return true
		}
	}
	return false
}

// ofRemoved tells whether a test is about something that is gone from the source; so are all tests of a file that
// is gone with what it loads.
func (c *comparison) ofRemoved(g test) bool {
	if !c.removed.Any() {
		return false
	}
	return c.removed.About(slices.Concat(g.marks, g.body)) || c.removed.Called(lastName(g.name), lastName) || c.removed.Tested(g.name) || c.loadsRemoved(g.path)
}

// loadsRemoved tells whether a file of tests is gone, and what stands around its tests needed something of the
// source that is gone too.
func (c *comparison) loadsRemoved(name string) bool {
	for _, ch := range c.all {
		if ch.Path != name || ch.After != nil {
			continue
		}
		if c.removed.Loads(detect.CodeLines(string(ch.Before))) {
			return true
		}
		return slices.ContainsFunc(c.gone, func(t test) bool { return t.rest && t.path == name && c.removed.About(t.body) })
	}
	return false
}
