// Package testguard finds tests that were made weaker between two versions of
// files: deleted, skipped, focused (so that others no longer run), fewer than
// before, or left without an assertion. It reads Go with Go's own parser and
// Python, JavaScript, TypeScript, Rust, Java and Kotlin by their words, with
// strings and comments left out of sight.
//
// It promises that only differences count: what was skipped before is no
// finding, and a test that moved or was renamed is recognised by its body. It
// reports what it sees and cannot prove that a test still tests the same: rows
// taken out of a table are not seen. It never reads a disk and never panics,
// whatever the files hold.
package testguard

import (
	"fmt"
	"slices"
	"strings"

	"kedge"
)

// Change is one file in its two versions; nil stands for no file.
type Change struct {
	Path          string
	Before, After []byte
}

// skip says when a test does not run; more is weaker.
type skip int

const (
	runs      skip = iota // always runs
	sometimes             // under a condition
	never                 // is skipped, or may fail, whatever happens
)

// test is one test as it stands in one version of a file.
type test struct {
	path    string
	name    string
	line    int
	skip    skip
	focused bool
	asserts int
	body    []string // its lines without blanks at the ends, and blank ones
}

// Compare gives the findings about one file. A nil after is a deleted file, a
// nil before a new one.
func Compare(path string, before, after []byte) []kedge.Finding {
	return All([]Change{{Path: path, Before: before, After: after}})
}

// All gives the findings about all files that changed together. A test that went
// from one of them to another is not deleted.
func All(changes []Change) []kedge.Finding {
	findings := []kedge.Finding{}
	var gone, added []test
	for _, c := range changes {
		p := compareFile(c)
		findings = append(findings, p.findings...)
		gone, added = append(gone, p.gone...), append(added, p.added...)
	}
	gone, added, moves := settle(gone, added)
	findings = append(findings, moves...)
	for _, g := range outermost(gone) {
		findings = append(findings, deleted(g))
	}
	for _, a := range added {
		if a.focused {
			findings = append(findings, focused(a))
		}
		if a.skip == never {
			findings = append(findings, finding(a, "new test %q is skipped", "let it run, or leave it out"))
		}
	}
	return findings
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

// maxPairs bounds how many pairs of tests are compared line by line; beyond it
// only tests with the very same body count as moved.
const maxPairs = 200_000

// settle takes out the pairs in which a test that is gone turns up as an added
// one, and gives what is left and the findings about the pairs.
func settle(gone, added []test) (lost, fresh []test, findings []kedge.Finding) {
	same := map[string][]int{}
	for i, a := range added {
		key := strings.Join(a.body, "\n")
		same[key] = append(same[key], i)
	}
	used := make([]bool, len(added))
	pairs := 0
	match := func(g test) int {
		for _, i := range same[strings.Join(g.body, "\n")] {
			if !used[i] && moved(g, added[i]) {
				return i
			}
		}
		for i, a := range added {
			if pairs++; !used[i] && pairs < maxPairs && moved(g, a) {
				return i
			}
		}
		return -1
	}
	for _, g := range gone {
		i := match(g)
		if i < 0 {
			lost = append(lost, g)
			continue
		}
		used[i] = true
		findings = append(findings, weaker(g, added[i])...)
	}
	for i, a := range added {
		if !used[i] {
			fresh = append(fresh, a)
		}
	}
	return lost, fresh, findings
}

// pairing is one file's comparison: the findings that are certain, and the tests
// that may have moved to or come from another file.
type pairing struct {
	findings    []kedge.Finding
	gone, added []test
}

func compareFile(c Change) pairing {
	before, after := read(c.Path, c.Before), read(c.Path, c.After)
	p := pairing{findings: unreadable(c)}
	found := map[string]test{}
	for _, t := range after {
		found[t.name] = t
	}
	for _, was := range before {
		is, ok := found[was.name]
		if !ok {
			p.gone = append(p.gone, was)
			continue
		}
		delete(found, was.name)
		p.findings = append(p.findings, weaker(was, is)...)
	}
	for _, t := range after {
		if _, ok := found[t.name]; !ok {
			continue
		}
		p.added = append(p.added, t)
	}
	return p
}

// unreadable reports a deleted test file in a language whose tests cannot be
// counted.
func unreadable(c Change) []kedge.Finding {
	if c.Before == nil || c.After != nil || !IsTest(c.Path) || languageOf(c.Path) != nil {
		return nil
	}
	return []kedge.Finding{{
		Level: kedge.LevelError, What: fmt.Sprintf("test file %q was deleted", c.Path), Where: c.Path, Fix: restore,
	}}
}

const restore = "restore it; agents may not remove a test"

// weaker compares two versions of one test.
func weaker(was, is test) []kedge.Finding {
	var out []kedge.Finding
	if is.skip > was.skip {
		what := "test %q is now skipped"
		if is.skip == sometimes {
			what = "test %q is now skipped under a condition"
		}
		out = append(out, finding(is, what, "let it run as before"))
	}
	if is.focused && !was.focused {
		out = append(out, focused(is))
	}
	if was.asserts > 0 && is.asserts == 0 && is.skip <= was.skip {
		out = append(out, finding(is, "test %q asserts nothing any more", "put its assertions back"))
	}
	return out
}

func focused(t test) kedge.Finding {
	return finding(t, "test %q is focused, so that others do not run", "take the focus off")
}

func deleted(t test) kedge.Finding {
	return finding(t, "test %q was deleted", restore)
}

func finding(t test, what, fix string) kedge.Finding {
	return kedge.Finding{
		Level: kedge.LevelError,
		What:  fmt.Sprintf(what, t.name),
		Where: fmt.Sprintf("%s:%d", t.path, t.line),
		Fix:   fix,
	}
}

// moved tells whether a new test is an old one under another name or in another
// file: at least half of its lines are still there. A body too short to be
// recognised must be the same.
func moved(was, is test) bool {
	if len(was.body) < 4 {
		return slices.Equal(was.body, is.body) && (len(was.body) > 0 || was.name == is.name)
	}
	have := map[string]int{}
	for _, l := range is.body {
		have[l]++
	}
	kept := 0
	for _, l := range was.body {
		if have[l] > 0 {
			have[l]--
			kept++
		}
	}
	return 2*kept >= len(was.body)
}
