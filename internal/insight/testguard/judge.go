package testguard

import (
	"fmt"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/core/detect"
	"kedge/internal/core/review"
	"kedge/internal/text/lazyre"
)

// script reports a deleted file that asserted outside of tests, or has no assertion and was a test by its name: it was
// one test by itself.
func (p *pool) script(unit int, t test) []Finding {
	if p.silent(t) {
		return []Finding{{Kind: Deleted, Finding: kedge.Finding{
			Level: kedge.LevelError, What: fmt.Sprintf("test file %q was deleted", t.path), Where: t.path, Fix: restore,
		}}}
	}
	for _, i := range p.of[unit] {
		if l := p.losses[i]; l.fate == lost && !l.row && !p.c.ofRemoved(t) {
			return []Finding{{Kind: Deleted, Finding: kedge.Finding{
				Level: kedge.LevelError, What: fmt.Sprintf("test file %q was deleted", t.path), Where: t.path, Fix: restore,
			}}}
		}
	}
	return nil
}

// marked are the names of files that a runner or a compiler takes for a test.
var marked = lazyre.New(`(?i)(?:^|/)(?:test[_-][^/]*|[^/]*[._-](?:test|spec)(?:-d)?)\.\w+$`)

// silent tells whether a deleted file is a test by its name whose assertions nobody can read, as when it only has to
// compile, and is not elsewhere.
func (p *pool) silent(t test) bool {
	if len(t.claims) > 0 || len(t.body) < 4 || !marked.MatchString(t.path) || p.c.ofRemoved(t) {
		return false
	}
	for _, g := range p.c.gone {
		if g.path == t.path && !g.rest {
			return false // its tests speak for it
		}
	}
	return !slices.ContainsFunc(p.c.still, func(s test) bool {
		return s.path != t.path && 2*detect.KeptLines(t.body, s.body) >= len(t.body)
	}) && !slices.ContainsFunc(p.c.pairs, func(pr pair) bool { return pr.was.path == t.path })
}

// judge compares two versions of one test.
func (p *pool) judge(unit int, pr pair) []Finding {
	was, is := pr.was, pr.is
	var out []Finding
	if is.rest {
		out = ends(was, is)
		if l := review.SkipsMore(was.body, is.body); l != "" {
			out = append(out, finding(Skipped, is, "more tests of %q are skipped: "+strings.ReplaceAll(l, "%", "%%"), "let them run as before"))
		}
		return append(out, p.judgeClaims(unit, was, is)...)
	}
	if is.skip > was.skip {
		what := "test %q is now skipped"
		if is.skip == sometimes {
			what = "test %q is now skipped under a condition"
		}
		out = append(out, finding(Skipped, is, what, "let it run as before"))
	}
	if is.focused && !was.focused {
		out = append(out, focused(is))
	}
	if is.skip <= was.skip && (review.LeavesOut(is.body) > review.LeavesOut(was.body) || review.Shortened(was.body, is.body)) {
		out = append(out, finding(Skipped, is, "test %q leaves out some of its cases", "let it go through all of them"))
	}
	for _, less := range []func(pair) (claim, bool){itsOwn, onItself, onCondition} {
		if c, ok := less(pr); ok {
			return append(out, finding(AssertsLess, is, "test %q now sets the value that it asserts: "+strings.ReplaceAll(c.Readable(), "%", "%%"), "test the program"))
		}
	}
	if l := review.UnderCondition(was.body, is.body, p.stated(unit, was)); l != "" && is.skip <= was.skip {
		return append(out, finding(AssertsLess, is, "test %q asserts only under a condition: "+strings.ReplaceAll(l, "%", "%%"), "assert it in every case"))
	}
	return append(out, p.judgeClaims(unit, was, is)...)
}

// stated tells of a line whether it is an assertion that the test had, or what stands for one.
func (p *pool) stated(unit int, was test) func(line string) bool {
	claims := was.claims
	for _, i := range p.of[unit] {
		if l := p.losses[i]; l.fate == replaced && l.by >= 0 && p.fresh[l.by].unit == unit {
			claims = append(slices.Clip(claims), p.fresh[l.by].claim)
		}
	}
	return func(line string) bool {
		text := strings.Join(detect.Tokens(line), " ")
		return slices.ContainsFunc(claims, func(c claim) bool { return !c.row && !c.aside && strings.HasPrefix(text, c.Text()) })
	}
}

func (p *pool) judgeClaims(unit int, was, is test) []Finding {
	var gone []claim
	changed := false
	for _, i := range p.of[unit] {
		l := p.losses[i]
		changed = changed || l.fate == replaced
		if l.fate == lost || l.fate == loosened {
			gone = append(gone, l.claim)
		}
	}
	switch {
	case is.skip > was.skip || is.unknown:
		return nil // said already, or nothing is known
	case !is.rest && emptied(was, is) && !p.kept(unit):
		return []Finding{finding(AssertsNothing, is, "test %q asserts nothing any more", "restore its assertions")}
	case len(gone) > 0:
		is.line = max(is.line, 1)
		return []Finding{finding(AssertsLess, is, "test %q asserts less: "+lessText(gone), "restore it")}
	case changed || touched(was, is):
		return []Finding{finding(Changed, is, "test %q was changed", "let the old test pass with the new source")}
	}
	return nil
}

// touched tells whether a test no longer has all its lines. In the rest of a file, the heads of tests
// and imports come and go.
func touched(was, is test) bool {
	if detect.KeptLines(was.marks, is.marks) < max(len(was.marks), len(is.marks)) {
		return true
	}
	lines := was.body
	if was.rest {
		lines = slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return heads.MatchString(l) || harmless.MatchString(l) })
	}
	return detect.KeptLines(lines, is.body) < len(lines)
}

// emptied tells whether a test has lost its last assertion.
func emptied(was, is test) bool {
	return was.asserts > 0 && is.asserts == 0 || solid(was) > 0 && solid(is) == 0 && is.asserts <= assertions(is)
}

// assertions counts the claims that are no rows.
func assertions(t test) int {
	n := 0
	for _, c := range t.claims {
		if !c.row {
			n++
		}
	}
	return n
}

// solid counts the assertions that can fail.
func solid(t test) int {
	n := 0
	for _, c := range t.claims {
		if !c.vacuous() && !c.row && c.owner != "main" {
			n++
		}
	}
	return n
}

// lessText names what is gone, safe for a format.
func lessText(gone []claim) string {
	first := gone[0].Readable()
	if len(first) > 80 {
		first = strings.ToValidUTF8(first[:80], "") + "…"
	}
	what := "assertion"
	if gone[0].row {
		what = "row"
	}
	text := fmt.Sprintf("%s %q is gone", what, first)
	if n := len(gone); n > 1 {
		text = fmt.Sprintf("%s %q and %d more are gone", what, first, n-1)
	}
	return strings.ReplaceAll(text, "%", "%%")
}
