package testguard

import (
	"path"
	"slices"

	"kedge/internal/core/detect"
	"kedge/internal/core/review"
	"kedge/internal/text/lazyre"
)

// harmless are lines outside tests that may be gone without a word: the old tests have their own imports.
var harmless = lazyre.New(`^(?:import\b|from\s+[\w.]+\s+import\b|use\s|#\s*include\b|require\b|require_relative\b|(?:const|let|var)\s+[\w{}\s,:]+=\s*require\s*\(|(?:[\w.]+\s+)?"[^"]*"$|[\w, {}*]+,?$|[)}\]];?$)`)

// meddling are functions that run for all tests of a file or a folder.
var meddling = lazyre.New(`^(?:func\s+(?:init|TestMain)\b|(?:async\s+)?def\s+(?:set[uU]p|tear[dD]own|pytest_)|@pytest\.fixture)`)

// onlyAdds tells whether a file of tests has all that it had, untouched: then the old tests are part
// of the new ones, and cannot fail where these pass.
func onlyAdds(c Change) bool {
	switch {
	case detect.IsRunner(c.Path) || c.After == nil:
		return false
	case c.Before == nil:
		return !slices.ContainsFunc(detect.CodeLines(string(c.After)), meddling.MatchString)
	case path.Base(c.Path) == "package.json":
		return false
	}
	before, after := read(c.Path, c.Before), read(c.Path, c.After)
	if len(before) == 0 {
		return false
	}
	return keepsAll(before, after)
}

// Corners are the two trees that show what tests and source of a change do without each other.
type Corners = review.Corners

// Corner is one of them, File a changed file in it, and Stands its version.
type (
	Corner = review.Corner
	File   = review.CornerFile
	Stands = review.Stands
)

// Which version of a file stands in a corner.
const (
	Old   = review.Old
	New   = review.New
	Mixed = review.Mixed
)

// Halves divides a change into tests and source and gives the two corners. Extra are further globs of tests.
func Halves(changes []Change, extra []string) Corners {
	return review.Reading{
		HoldsTests: func(path string, src []byte) bool { return len(read(path, src)) > 0 },
		OnlyAdds:   onlyAdds,
	}.Halves(changes, extra)
}

// Asserts tells whether the tests that a file of a change adds or changes assert something. Of
// files whose insides are not known it is taken for granted, as it is of rows that asserting tests get, or
// tests in other files.
func Asserts(c Change, extra []string) bool {
	if c.After == nil || detect.SideOf(c.Path, extra) != detect.Tests && !holdsBoth(c.Path) {
		return false
	}
	g := Guard{Tests: extra}
	if g.reader(c) == nil {
		return detect.SideOf(c.Path, extra) == detect.Tests
	}
	was := map[string]test{}
	for _, t := range g.read(c.Path, c.Before) {
		was[t.name] = t
	}
	after := g.read(c.Path, c.After)
	asserting := func(t test) bool { return solid(t) > 0 || slices.ContainsFunc(t.body, calls.MatchString) }
	return slices.ContainsFunc(after, func(t test) bool {
		old, there := was[t.name]
		if t.skip == never || there && slices.Equal(old.body, t.body) {
			return false
		}
		_, fresh := difference(old.claims, t.claims)
		rows := t.rest && slices.ContainsFunc(fresh, func(c claim) bool { return c.row })
		return t.unknown || asserting(t) || rows && (len(after) == 1 || slices.ContainsFunc(after, asserting))
	})
}

// calls are lines that call something which may assert: by its name, or because it gets what a test
// fails with.
var calls = lazyre.New(`(?i)\b(?:\w+_)?(?:assert|require|expect|verify)\w*\s*[(!.]|\bshould\s*[(.]|\b\w*(?:check|fail|compare|equal|must)\w*\s*\(\s*(?:t|tb|c|self|assert|\$this)\b|\(\s*(?:t|tb)\s*[,)]|\|\|\s*(?:exit|return|fail|die|false)\b`)

// Explained tells whether the tests of a file of a change need no run to be believed: it keeps all
// that it had, but for tests of what the change removes from the source.
func (g Guard) Explained(c Change, all []Change) bool {
	if onlyAdds(c) {
		return true
	}
	if c.Before == nil || detect.IsRunner(c.Path) || g.reader(c) == nil {
		return false
	}
	before, after := g.read(c.Path, c.Before), g.read(c.Path, c.After)
	if len(before) == 0 {
		return false
	}
	now := map[string]bool{}
	for _, t := range after {
		now[t.name] = true
	}
	k := comparison{all: all, removed: review.Removed(all, g.Tests, g.Mentioned)}
	kept := slices.DeleteFunc(slices.Clone(before), func(t test) bool { return !now[t.name] && !t.rest })
	for _, t := range before {
		if !t.rest && !now[t.name] && !k.ofRemoved(t) {
			return false
		}
	}
	if c.After == nil {
		return len(kept) <= 1 && len(before) > len(kept) // nothing but the rest is left
	}
	return len(kept) < len(before) && keepsAll(kept, after)
}

func read(name string, src []byte) []test { return Guard{}.read(name, src) }

// keepsAll tells whether every test is there as it was, and what stands around them has only
// gained suites and imports.
func keepsAll(before, after []test) bool {
	now := map[string]test{}
	for _, t := range after {
		now[t.name] = t
	}
	for _, was := range before {
		is, ok := now[was.name]
		switch {
		case !ok || is.skip != was.skip || is.focused != was.focused:
			return false
		case was.rest && !keepsAround(before, after):
			return false
		case !was.rest && !(slices.Equal(was.body, is.body) && slices.Equal(was.marks, is.marks) && slices.Equal(was.edge, is.edge)):
			return false
		case len(was.claims) != len(is.claims) && !was.rest:
			return false
		}
		delete(now, was.name)
	}
	for _, t := range now {
		if t.focused {
			return false
		}
	}
	return true
}

// heads are the lines that begin a test, which may be gone with it: what stands around its body.
var heads = lazyre.New(`^(?:def\s+test|async\s+def\s+test|@pytest\.mark\.parametrize|#\[|(?:async\s+)?fn\s|@Test\b|(?:public\s+)?(?:void|fun)\s|(?:it|test|specify|describe|context|t\.test)\s*[.(]|(?:static\s+)?void\s+\w+\s*\(|RUN_TEST\s*\(|TEST\w*\s*\(|@test\b|(?:it|test|specify|describe|context)\s|end$|\(?(?:async\s*)?(?:\(\w*\)|\w+|function\s*\(\w*\))\s*(?:=>)?\s*\{$|public\s+function\s+test|[)}]+[,;]?$|'[^']*',?$)`)
