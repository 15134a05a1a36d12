package testguard

import (
	"slices"
	"strings"

	"kedge/internal/core/detect"
	"kedge/internal/core/review"
	"kedge/internal/text/lazyre"
)

var (
	phpMethod  = lazyre.New(`\bfunction\s+(\w+)\s*\(`)
	phpMarked  = lazyre.New(`@test\b|#\[\s*(?:[\w\\]*\\)?Test\b`)
	phpExpects = lazyre.New(`@expectedException\w*[^\n*]*`)
	phpPest    = lazyre.New(`(?m)^[ \t]*(it|test)\s*\(`)
	phpSkips   = lazyre.New(`\bmarkTest(?:Skipped|Incomplete)\s*\(`)
	phpAfter   = lazyre.New(`^\s*->\s*(skip|todo|only)\b`)
	phpAssert  = lazyre.New(`(?i)(?:->|::)\s*(?:(?:assert|expect|should|verify|check)\w*|fail)\s*\(|\b(?:assert|expect)\w*\s*\(|->\s*to[A-Z]\w*\b`)
)

// phpTests reads PHPUnit and Pest.
func phpTests(src string) []test {
	c := coded(detect.PHPSyntax, src, quietAs(phpTakes))
	lines := detect.LineCounter{Src: src}
	classes := abstract.FindAllStringIndex(c.Masked, -1)
	whole := c.Hooked(phpHook, phpSkips)
	tests := phpPests(c)
	end := 0
	for _, m := range phpMethod.FindAllStringSubmatchIndex(c.Masked, -1) {
		if m[0] < end {
			continue
		}
		name := part(c.Masked, m, 1)
		head := c.Src[max(end, lastOf(c.Masked[:m[0]], ";{}")):m[0]]
		if !strings.HasPrefix(strings.ToLower(name), "test") && !phpMarked.MatchString(head) {
			continue
		}
		t := test{name: name, line: lines.At(m[0])}
		end = t.fill(c, c.Partner(m[1]-1))
		t.skip = max(whole, phpSkip(c, t), hidden(c, m[0], max(0, lastOf(c.Masked[:m[0]], ";{}")), classes))
		for _, e := range phpExpects.FindAllStringIndex(head, -1) {
			t.claims = append(t.claims, claim{Asks: detect.Tokens(head[e[0]:e[1]]), line: t.line})
		}
		tests = append(tests, t)
	}
	return c.finish(tests, phpAssert)
}

var (
	phpHook  = lazyre.New(`\bfunction\s+(?:setUp|setUpBeforeClass|beforeEach)\s*\([^)]*\)\s*(?::\s*void\s*)?\{|\bbeforeEach\s*\(`)
	unseen   = lazyre.New(`\b(?:private|protected)\b`)
	abstract = lazyre.New(`\babstract\s+(?:\w+\s+)*class\b|\bclass\b`)
)

// hidden tells whether a method is one that no runner calls, for it or its class cannot be used from outside.
// Classes are where the classes of the file begin.
func hidden(c code, at, head int, classes [][]int) skip {
	if unseen.MatchString(c.Masked[head:at]) {
		return never
	}
	n, _ := slices.BinarySearchFunc(classes, at, func(m []int, at int) int { return m[0] - at })
	if n > 0 && strings.HasPrefix(c.Masked[classes[n-1][0]:], "abstract") {
		return sometimes
	}
	return runs
}

// phpSkip tells whether a body skips: as its first statement always, deeper down sometimes.
func phpSkip(c code, t test) skip {
	m := phpSkips.FindStringIndex(c.Masked[t.from:t.to])
	if m == nil {
		return runs
	}
	if strings.ContainsAny(c.Masked[t.from:t.from+m[0]], ";{") {
		return sometimes
	}
	return never
}

// phpPests are the calls of Pest: it('…', function () { … }) and what is chained to them.
func phpPests(c code) []test {
	var tests []test
	lines := detect.LineCounter{Src: c.Src}
	end := 0
	for _, m := range phpPest.FindAllStringSubmatchIndex(c.Masked, -1) {
		if m[0] < end {
			continue
		}
		name, ok := review.FirstText(c.Src, m[1])
		if !ok {
			continue
		}
		end = c.Partner(m[1] - 1)
		t := test{name: name, line: lines.At(m[0])}
		t.from, t.to = jsBody(c, m[1], end)
		switch after := phpAfter.FindStringSubmatch(c.Masked[end:min(len(c.Masked), end+100)]); {
		case after == nil:
			t.skip = phpSkip(c, t)
		case after[1] == "only":
			t.focused = true
		default:
			t.skip = never
		}
		tests = append(tests, t)
	}
	return tests
}
