package testguard

import (
	"slices"
	"strings"

	"kedge/internal/text/lazyre"
)

// maxPairs bounds how many pairs of tests are compared line by line; beyond it
// only tests with the very same body count as moved.
const maxPairs = 200_000

// settle makes pairs of tests that are gone and added ones that are the same by a rule. Those
// with the very same body go first.
func (c *comparison) settle(same func(was, is test) bool) {
	bodies := map[string][]int{}
	for i, a := range c.added {
		key := strings.Join(a.body, "\n")
		bodies[key] = append(bodies[key], i)
	}
	used := make([]bool, len(c.added))
	tried := 0
	match := func(g test) int {
		for _, i := range bodies[strings.Join(g.body, "\n")] {
			if !used[i] && same(g, c.added[i]) {
				return i
			}
		}
		for i, a := range c.added {
			if tried++; !used[i] && tried < maxPairs && same(g, a) {
				return i
			}
		}
		return -1
	}
	var gone, added []test
	for _, g := range c.gone {
		i := -1
		if !g.rest {
			i = match(g)
		}
		if i < 0 {
			gone = append(gone, g)
			continue
		}
		used[i] = true
		c.pairs = append(c.pairs, pair{g, c.added[i]})
	}
	for i, a := range c.added {
		if !used[i] {
			added = append(added, a)
		}
	}
	c.gone, c.added = gone, added
}

var nameNoise = lazyre.New(`(?i)[^\pL\pN]+|^(?:test|it|should)`)

// sameName tells whether two tests have the same name but for its case, its underscores, its class or
// its suite.
func sameName(was, is test) bool {
	if was.rest || is.rest {
		return false
	}
	a, b := lastName(was.name), lastName(is.name)
	return a == b && len(a) > 3 && (was.path == is.path || was.name == is.name || moved(was, is))
}

// rewritten tells whether a new test has taken the place of an old one, in the same file behind the
// same test, and is about the same.
func rewritten(was, is test) bool {
	if was.rest || is.rest || was.path != is.path || was.follows != is.follows {
		return false
	}
	a, b := claim{words: tokens(strings.Join(was.body, "\n"))}, claim{words: tokens(strings.Join(is.body, "\n"))}
	return max(b.covers(a), a.covers(b)) >= 0.5
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
		return slices.Equal(was.body, is.body) && (len(was.body) > 0 || was.name == is.name)
	}
	return 2*keptLines(was.body, is.body) >= len(was.body)
}

// keptLines counts the lines that are still there.
func keptLines(was, is []string) int {
	have := map[string]int{}
	for _, l := range is {
		have[l]++
	}
	kept := 0
	for _, l := range was {
		if have[l] > 0 {
			have[l]--
			kept++
		}
	}
	return kept
}

// mayGo tells whether a test that is gone is not missed: it tested what the source no longer has, or
// another test has all that it did.
func (c *comparison) mayGo(g test) bool {
	if c.ofRemoved(g) {
		return true
	}
	for _, t := range c.still {
		if !t.rest && len(g.body) > 2 && t.skip <= g.skip && t.asserts >= g.asserts && keptLines(g.body, t.body) == len(g.body) {
			return true
		}
	}
	return false
}

// ofRemoved tells whether a test names something that is gone from the source.
func (c *comparison) ofRemoved(g test) bool {
	if len(c.removed) == 0 {
		return false
	}
	for _, l := range g.body {
		if slices.ContainsFunc(split(l), func(w string) bool { return c.removed[w] }) {
			return true
		}
	}
	name := lastName(g.name)
	for r := range c.removed {
		if len(r) > 3 && name == lastName(r) {
			return true
		}
	}
	return false
}
