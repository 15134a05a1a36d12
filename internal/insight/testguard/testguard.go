// Package testguard separates the tests of a change from its source, and finds tests that
// the change made weaker: deleted, skipped, focused (so that others no longer run), with
// fewer assertions or rows than before, or with other expectations. It reads Go with Go's
// own parser. It reads Python, JavaScript, TypeScript, Rust, Java, Kotlin, C, C++, Ruby,
// PHP and shell by their words, without strings and comments.
//
// It promises that only differences count: a test that was skipped before is no finding.
// It recognises a moved, renamed, split or merged test by its body and its assertions.
// Tests of source that the same change removes may go. A changed expectation is a finding
// of its own kind: only a run of the tests can show whether it is justified. It never
// reads a disk and never panics, whatever the files contain.
package testguard

import (
	"fmt"
	"slices"
	"strings"

	"kedge/internal/core/detect"
	"kedge/internal/core/review"

	"kedge"
)

// Change is one file in its two versions; nil stands for no file.
type Change = detect.Change

// Kind says what was done to a test.
type Kind string

// The kinds.
const (
	Deleted        Kind = "deleted"
	Skipped        Kind = "skipped"
	Focused        Kind = "focused"
	AssertsLess    Kind = "asserts_less"    // assertions or rows are gone, and nothing stands for them
	AssertsNothing Kind = "asserts_nothing" // none is left
	Runner         Kind = "runner"          // what runs the tests no longer does
	Changed        Kind = "changed"         // expects something else, or gets there by another way
)

// Certain tells whether a finding of the kind is a weakening whatever the checks say. Of the other
// kind, the old tests with the new source decide.
func (k Kind) Certain() bool { return k != Changed }

// Finding is a finding about a test, with what was done to it.
type Finding struct {
	kedge.Finding
	Kind Kind
}

// skip says when a test does not run.
type skip = review.Skip

const (
	runs      = review.Always
	sometimes = review.Sometimes
	never     = review.Never
)

// test is one test as it stands in one version of a file; or the rest of the file, with the helpers
// and tables of all its tests.
type test struct {
	path    string
	name    string
	line    int
	head    int // where its annotations begin, which may hold a table; 0: none
	rest    bool
	follows string // the test before it that both versions of the file have
	unknown bool   // the file could not be read: nothing is known of its insides
	skip    skip
	focused bool
	asserts int
	claims  []claim
	helpers map[string]bool // the functions that the rest of a file declares
	from    int             // where it stands, in bytes
	to      int
	body    []string // its lines without blanks at the ends, and blank ones
	aside   string   // the words of its comments
	edge    []string // the lines that begin and end it
	source  *code    // of the rest: what was read
	outside []string // of the rest: the lines that belong to no test and import nothing
	imports []string // of the rest: what it imports, statement by statement
	gone    bool     // the file takes it back
	stops   bool     // of the rest: it lets no test of its package run
	once    bool     // a later definition of the name takes its place
	marks   []string // the lines of its annotations, which may hold a table or turn it round
}

// Guard compares the versions of files.
type Guard struct {
	Tests     []string               // further globs of tests
	Mentioned func(name string) bool // whether source that did not change has a name; nil: it does not
}

// Compare gives the findings about one file. A nil after is a deleted file, a
// nil before a new one.
func Compare(path string, before, after []byte) []Finding {
	return All([]Change{{Path: path, Before: before, After: after}})
}

// All gives the findings about all files that changed together.
func All(changes []Change) []Finding { return Guard{}.All(changes) }

// All gives the findings about all files that changed together, tests and source. A test that went
// from one of them to another is not deleted, nor is one of a function that is gone.
func (g Guard) All(changes []Change) []Finding {
	findings := []Finding{}
	c := comparison{all: changes, removed: review.Removed(changes, g.Tests, g.Mentioned)}
	for _, ch := range changes {
		s := detect.Stops(ch, changes)
		if s == nil {
			s = review.Stops(ch, detect.SideOf(ch.Path, g.Tests) == detect.Tests, changes)
		}
		if s != nil {
			findings = append(findings, Finding{Kind: Runner, Finding: kedge.Finding{Level: kedge.LevelError, What: s.What, Where: ch.Path, Fix: s.Fix}})
		}
		if g.reader(ch) == nil {
			findings = append(findings, g.unreadable(ch)...)
			continue
		}
		c.file(g.read(ch.Path, c.removed.Renamed(ch.Before, ch.After)), g.read(ch.Path, ch.After))
	}
	return append(append(findings, g.marks(changes)...), c.findings()...)
}

// marks reports comments by which tests expect an error of the compiler, and that are gone: an assertion each.
func (g Guard) marks(changes []Change) []Finding {
	was, is, at := 0, 0, ""
	for _, ch := range changes {
		if detect.SideOf(ch.Path, g.Tests) != detect.Tests {
			continue
		}
		before, after := review.Expected(ch.Before), review.Expected(ch.After)
		if was, is = was+before, is+after; at == "" && after < before {
			at = ch.Path
		}
	}
	if is >= was {
		return nil
	}
	return []Finding{{Kind: AssertsLess, Finding: kedge.Finding{
		Level: kedge.LevelError, What: fmt.Sprintf("%q expects fewer errors of the compiler", at), Where: at, Fix: "restore the comments that expect them",
	}}}
}

// unreadable reports on files of tests whose insides are not known: data, expectations, and tests in
// another language.
func (g Guard) unreadable(c Change) []Finding {
	if c.Before == nil || holdsBoth(c.Path) || detect.SideOf(c.Path, g.Tests) != detect.Tests {
		return nil
	}
	f := Finding{Kind: Changed, Finding: kedge.Finding{
		Level: kedge.LevelError, What: fmt.Sprintf("test data %q was changed", c.Path), Where: c.Path, Fix: "let the old tests pass with the new source",
	}}
	if c.After == nil {
		f.What = fmt.Sprintf("test data %q was deleted", c.Path)
		if detect.IsTest(c.Path) {
			f.Kind, f.What, f.Fix = Deleted, fmt.Sprintf("test file %q was deleted", c.Path), restore
		}
	}
	return []Finding{f}
}

// holdsBoth tells whether a file may hold both tests and source.
func holdsBoth(name string) bool {
	_, ok := detect.TestParts(name, "")
	return ok
}

// comparison pairs the tests of all files.
type comparison struct {
	all         []Change
	removed     review.Gone
	pairs       []pair
	gone, added []test
	still       []test // all tests as they are now
}

// pair is one test in its two versions.
type pair struct{ was, is test }

// file pairs the tests of one file by their names.
func (c *comparison) file(before, after []test) {
	follow(before, after)
	found := map[string]test{}
	for _, t := range after {
		found[t.name] = t
	}
	c.still = append(c.still, after...)
	for _, was := range before {
		is, ok := found[was.name]
		if !ok {
			c.gone = append(c.gone, was)
			continue
		}
		delete(found, was.name)
		c.pairs = append(c.pairs, pair{was, is})
	}
	for _, t := range after {
		if _, ok := found[t.name]; ok {
			c.added = append(c.added, t)
		}
	}
}

// follow tells each test of two versions behind which common one it stands.
func follow(before, after []test) {
	names := map[string]int{}
	for _, t := range before {
		names[t.name] |= 1
	}
	for _, t := range after {
		names[t.name] |= 2
	}
	for _, tests := range [][]test{before, after} {
		last := ""
		for i := range tests {
			tests[i].follows = last
			if names[tests[i].name] == 3 {
				last = tests[i].name
			}
		}
	}
}

func (c *comparison) findings() []Finding {
	c.settle(sameName)
	c.settle(moved)
	c.settle(func(was, is test) bool { return rewritten(was, is) && !c.ofRemoved(was) })
	c.leave()
	p := newPool(c)
	var out []Finding
	for i, pr := range c.pairs {
		out = append(out, p.judge(i, pr)...)
	}
	for i, g := range c.gone {
		if g.rest {
			out = append(out, p.script(len(c.pairs)+i, g)...)
		}
		if g.skip == never || p.kept(len(c.pairs)+i) || c.mayGo(g) || !g.rest && p.tabled(g) {
			c.gone[i].name = "" // it is still there in another form
		}
	}
	for _, t := range outermost(c.gone) {
		if t.name != "" {
			out = append(out, deleted(t))
		}
	}
	for _, a := range c.added {
		if a.rest {
			if a.stops {
				a.skip = never
			}
			out = append(out, ends(test{}, a)...)
			continue
		}
		if a.focused {
			out = append(out, focused(a))
		}
		if a.skip == never {
			out = append(out, finding(Changed, a, "new test %q is skipped", "let it run, or remove it")) // it proves nothing, and takes nothing away
		}
	}
	return out
}

// leave takes the tests that went where no runner looks for them out of the pairs.
func (c *comparison) leave() {
	c.pairs = slices.DeleteFunc(c.pairs, func(p pair) bool {
		gone := !p.was.rest && p.was.skip != never && review.Left(p.was.path, p.is.path, c.all) == never
		if gone {
			c.gone = append(c.gone, p.was)
		}
		return gone
	})
	for i := range c.pairs {
		if p := &c.pairs[i]; !p.was.rest {
			p.is.skip = max(p.is.skip, review.Left(p.was.path, p.is.path, c.all))
		}
	}
}

// outermost leaves out the subtests of tests that are there themselves.
func outermost(tests []test) []test {
	names := map[string]bool{}
	for _, t := range tests {
		names[t.path+"\x00"+t.name] = true
	}
	return slices.DeleteFunc(tests, func(t test) bool {
		for i := strings.LastIndexByte(t.name, '/'); i > 0; i = strings.LastIndexByte(t.name[:i], '/') {
			if names[t.path+"\x00"+t.name[:i]] {
				return true
			}
		}
		return false
	})
}

// ends reports a file that ends the run of the tests when it is loaded.
func ends(was, is test) []Finding {
	if is.skip <= was.skip {
		return nil
	}
	return []Finding{{Kind: Runner, Finding: kedge.Finding{
		Level: kedge.LevelError, What: fmt.Sprintf("%q exits while it is loaded, so its tests do not run", is.path), Where: is.path, Fix: "remove the exit",
	}}}
}

const restore = "restore it; agents may not remove a test"

func focused(t test) Finding {
	return finding(Focused, t, "test %q is marked to run alone, so the other tests do not run", "remove the mark, such as .only or fit")
}

func deleted(t test) Finding {
	return finding(Deleted, t, "test %q was deleted", restore)
}

func finding(k Kind, t test, what, fix string) Finding {
	if t.rest {
		t.name = t.path
		what = strings.NewReplacer("test %q asserts", "the helpers or tables of %q assert", "test %q was", "the helpers or tables of %q were").Replace(what)
	}
	return Finding{Kind: k, Finding: kedge.Finding{
		Level: kedge.LevelError,
		What:  fmt.Sprintf(what, t.name),
		Where: fmt.Sprintf("%s:%d", t.path, t.line),
		Fix:   fix,
	}}
}
