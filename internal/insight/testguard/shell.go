package testguard

import (
	"slices"
	"strings"

	"kedge/internal/core/detect"
	"kedge/internal/core/review"
	"kedge/internal/text/lazyre"
)

var (
	batsTest    = lazyre.New(`(?m)^[ \t]*@test[ \t]+`)
	batsSkip    = lazyre.New(`(?m)^[ \t]*skip\b`)
	shellUnit   = lazyre.New(`(?m)^[ \t]*(test_expect_success|test_expect_failure|it_|test_case)[ \t]+(?:[A-Z][A-Z_0-9,!]*[ \t]+)?(['"])`)
	shellFunc   = lazyre.New(`(?m)^[ \t]*(?:function[ \t]+)?((?:test|it)_?\w+)[ \t]*\(\)\s*\{`)
	shellAssert = lazyre.New(`(?m)^[ \t]*if[ \t]+!?[ \t]*(?:\[\[?|test|grep|cmp|diff)[ \t][^\n]*\n(?:[ \t]*(?:then|echo|printf|cat)\b[^\n]*\n){0,3}[ \t]*(?:exit|return)[ \t]+[1-9]|^[ \t]*(?:\[\[?|!?\s*(?:assert|refute|expect|check|verify|fail|cmp|diff|grep|egrep|test|should|die|is|isnt|like|ok|test_cmp|test_must_\w+|test_\w*line_count)(?:_\w+)?)[ \t]|\b(?:exit|return)[ \t]+[1-9]|\|\|?[ \t]*(?:exit|return|fail|die|false|diff|cmp|grep|egrep)\b|\b\w*run[ \t]+(?:-[0-9]+|!)`)
)

// batsTests reads bats.
func batsTests(src string) []test {
	c := code{review.Code{Code: detect.ShellCode(src), Lined: true}}
	lines := detect.LineCounter{Src: src}
	whole := c.Hooked(shellHook, batsSkip)
	var tests []test
	end := 0
	for _, m := range batsTest.FindAllStringIndex(c.Masked, -1) {
		if m[0] < end {
			continue
		}
		line := c.Src[m[1]:review.LineEnd(c.Src, m[1])]
		t := test{name: strings.Trim(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(line), "{")), `"'`), line: lines.At(m[0])}
		open := max(m[1], m[1]+strings.LastIndexByte(c.Masked[m[1]:m[1]+len(line)], '{'))
		end = t.lines(c, open, m[0])
		t.skip = max(shellSkip(c, t), whole)
		tests = append(tests, t)
	}
	return c.finish(tests, shellAssert)
}

var (
	shellHook  = lazyre.New(`(?m)^[ \t]*(?:function[ \t]+)?(?:setup|setup_file|setup_suite|setUp|oneTimeSetUp)[ \t]*\(\)[ \t]*\{`)
	shellUnset = lazyre.New(`(?m)^[ \t]*unset[ \t]+-f[ \t]+(\w+)`)
)

// lines takes all up to the line that closes the body: brackets in shell are not always in pairs.
func (t *test) lines(c code, open, start int) int {
	t.from = review.LineEnd(c.Src, open)
	indent := c.Src[start:start+len(c.Src[start:])-len(strings.TrimLeft(c.Src[start:], " \t"))] + "}"
	for at := t.from; at < len(c.Src); {
		at++
		end := review.LineEnd(c.Src, at)
		if strings.TrimRight(c.Src[min(at, end):end], " \t\r") == indent {
			t.to = max(t.from, at-1)
			return end
		}
		at = end
	}
	t.to = len(c.Src)
	return t.to
}

// shellSkip tells whether a body skips: at its start always, deeper down sometimes.
func shellSkip(c code, t test) skip {
	body := c.Masked[t.from:t.to]
	m := batsSkip.FindStringIndex(body)
	switch {
	case m == nil:
		return shellLeaves(body)
	case strings.TrimSpace(body[:m[0]]) == "":
		return never
	}
	return sometimes
}

var (
	shellEnds   = lazyre.New(`(?m)^([ \t]*)(?:return|exit)(?:[ \t]+0)?[ \t]*$`)
	shellEndsIf = lazyre.New(`(?m)(?:&&|\|\|)[ \t]*(?:return|exit)(?:[ \t]+0)?[ \t]*$`)
)

// shellLeaves tells whether a body ends before its assertions.
func shellLeaves(body string) skip {
	indent := len(body) - len(strings.TrimLeft(body, " \t\n")) - strings.LastIndexByte(body[:len(body)-len(strings.TrimLeft(body, " \t\n"))], '\n') - 1
	if m := shellEnds.FindStringSubmatchIndex(body); m != nil && m[3]-m[2] <= indent && shellAssert.MatchString(body[m[1]:]) {
		return never
	}
	if m := shellEndsIf.FindStringIndex(body); m != nil && shellAssert.MatchString(body[m[1]:]) {
		return sometimes
	}
	return runs
}

// shellTests reads functions that are named as tests, as shunit2 does, and the units of git's own
// test-lib. A script without either is one test.
func shellTests(src string) []test {
	c := code{review.Code{Code: detect.ShellCode(src), Lined: true}}
	lines := detect.LineCounter{Src: src}
	var tests []test
	end := 0
	for _, m := range shellFunc.FindAllStringSubmatchIndex(c.Masked, -1) {
		if m[0] < end {
			continue
		}
		t := test{name: part(c.Masked, m, 1), line: lines.At(m[0]), once: true}
		end = t.lines(c, m[1]-1, m[0])
		t.skip = shellSkip(c, t)
		tests = append(tests, t)
	}
	if len(tests) == 0 {
		return shellUnits(c)
	}
	for _, m := range shellUnset.FindAllStringSubmatch(c.Masked, -1) {
		tests = slices.DeleteFunc(tests, func(t test) bool { return t.name == m[1] })
	}
	return c.finish(tests, shellAssert)
}

// shellUnits reads test_expect_success 'name' 'body'. The body is a string: its lines are the
// claims.
func shellUnits(c code) []test {
	lines := detect.LineCounter{Src: c.Src}
	var tests []test
	starts := shellUnit.FindAllStringSubmatchIndex(c.Masked, -1)
	for i, m := range starts {
		name, ok := review.FirstText(c.Src, m[4])
		if !ok {
			continue
		}
		t := test{name: name, line: lines.At(m[0]), from: min(len(c.Src), m[5]+len(name)+1)}
		t.to = len(c.Src)
		if i+1 < len(starts) {
			t.to = starts[i+1][0]
		}
		t.to = max(t.from, t.to)
		if part(c.Masked, m, 1) == "test_expect_failure" {
			t.skip = never
		}
		tests = append(tests, t)
	}
	out := c.finish(tests, shellAssert)
	for i := range out {
		if !out[i].rest {
			out[i].claims, out[i].asserts = lineClaims(c.Bare[out[i].from:out[i].to], out[i].line), 1
		}
	}
	return out
}

// lineClaims takes every line for an assertion: each must succeed.
func lineClaims(body string, line int) []claim {
	var out []claim
	for l := range strings.SplitSeq(body, "\n") {
		if words := detect.Tokens(strings.TrimSpace(l)); len(words) > 1 {
			out = append(out, claim{Asks: words, line: line})
		}
		line++
	}
	return out
}
