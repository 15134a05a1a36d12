package testguard

import (
	"slices"
	"strings"

	"kedge/internal/core/detect"
	"kedge/internal/core/review"
	"kedge/internal/text/lazyre"
)

var (
	jsCall    = lazyre.New("\\b(x|f)?(describe|suite|context|it|test|specify|[a-z]\\w*Test|test[A-Z]\\w*|it[A-Z]\\w*)((?:\\s*\\.\\s*\\w+)*)\\s*[(`]")
	jsSkipNow = lazyre.New(`\b(?:this|t|ctx|context|test)\s*\.\s*(?:skip|todo|fixme)\s*\(`)
	jsAssert  = lazyre.New(`(?im)\b(?:expect|assert|should|verify|check|ensure|fail)\w*\s*(?:<[^;()\n]*>\s*\(|<\s*$|[(.])|\.should\b|\b(?:t|tt|st|tap)\s*\.\s*(?:is|not|true|false|truthy|falsy|like|type|error|equals|regex|emits|snapshot|cmp|rejects|(?:not|strict|deep|loose|does|has|match|same|equal|throw|resolve|ok)\w*|assert)\s*\(|\.(?:assert|expect)\w*\b|\b(?:notS|s|deepS|notDeepS|deep|notDeep)?(?:trict)?Equal\s*\(|\b(?:throws|rejects|doesNotThrow|doesNotReject)\s*\(`)
)

// jsNode is a test or a suite with the range it stands in.
type jsNode struct {
	test
	suite   bool
	from    int
	to      int
	plain   bool // its name is known
	parents []int
}

// jsTests reads jest, vitest, mocha, jasmine, playwright, cypress and node:test.
func jsTests(src string) []test {
	c := coded(detect.JSSyntax, src, quietAs(nil))
	if at := c.Leaves(); at > 0 {
		c.Code = c.Cut(at)
	}
	masked := c.Masked
	branches := c.Branches()
	lines := detect.LineCounter{Src: src}
	var nodes []jsNode
	var open []int
	whole := c.Hooked(jsHook, jsSkipNow)
	for _, m := range jsCall.FindAllStringSubmatchIndex(masked, -1) {
		if !review.ScriptStarts(masked, m[0]) {
			continue
		}
		for len(open) > 0 && nodes[open[len(open)-1]].to <= m[0] {
			open = open[:len(open)-1]
		}
		n, ok := jsRead(c, m)
		if !ok {
			s := jsAnnotation(c, m)
			if len(open) == 0 {
				whole = max(whole, s)
			} else {
				nodes[open[len(open)-1]].skip = max(nodes[open[len(open)-1]].skip, s)
			}
			continue
		}
		n.line, n.parents = lines.At(m[0]), slices.Clone(open)
		if slices.ContainsFunc(branches, func(b [2]int) bool { return b[0] <= m[0] && m[0] < b[1] }) {
			n.skip = max(n.skip, sometimes)
		}
		nodes = append(nodes, n)
		open = append(open, len(nodes)-1)
		if len(open) > maxDepth {
			return nil
		}
	}
	tests := jsFlatten(c, nodes, whole)
	if exported := jsExported(c); len(exported) > len(tests) {
		tests = exported
	}
	return c.finish(tests, jsAssert)
}

var (
	jsHook = lazyre.New(`\b(?:before|beforeEach|beforeAll)\s*\(`)
)

// jsExport is a test as nodeunit and its kin have it: exports['name'] = function (test) { … }, or a member of
// such an object.
var jsExport = lazyre.New(`(?m)^[ \t]*(?:(?:module\.)?exports(?:\.(\w+)|\[["']\s*["']\])\s*=|["']\s*["']\s*:|(\w+)\s*:)\s*(?:async\s+)?function\s*\w*\s*\(\s*(t\b|test\b|assert\b|beforeExit\b)?[^)]*\)\s*\{`)

func jsExported(c code) []test {
	var tests []test
	lines, end := detect.LineCounter{Src: c.Src}, 0
	for _, m := range jsExport.FindAllStringSubmatchIndex(c.Masked, -1) {
		if m[0] < end {
			continue
		}
		t := test{name: part(c.Masked, m, 1) + part(c.Masked, m, 2), line: lines.At(m[0]), from: m[1]}
		if i := strings.IndexAny(c.Bare[m[0]:m[1]], `"'`); t.name == "" && i >= 0 {
			t.name, _ = review.FirstText(c.Src, m[0]+i)
		}
		if m[6] < 0 && !strings.HasPrefix(t.name, "test") {
			continue
		}
		end = c.Partner(m[1] - 1)
		t.to, t.once = max(t.from, end-1), strings.Contains(c.Masked[m[0]:m[1]], "exports")
		tests = append(tests, t)
	}
	return tests
}

// maxDepth is more than anyone nests suites; it bounds the work on odd input.
const maxDepth = 100

// jsRead reads one call; false when it is no test but says something about the
// one it stands in, as test.skip(condition) does.
func jsRead(c code, m []int) (jsNode, bool) {
	prefix, word, mods := part(c.Masked, m, 1), part(c.Masked, m, 2), part(c.Masked, m, 3)
	n := jsNode{suite: word == "describe" || word == "suite" || word == "context", from: m[1] - 1}
	n.to = review.ScriptEnd(c.Code, n.from)
	chain := review.ScriptChain(mods)
	if slices.Contains(chain, "each") || slices.Contains(chain, "skipIf") || slices.Contains(chain, "runIf") || slices.Contains(chain, "for") {
		next := c.Blanks(n.to)
		if next >= len(c.Masked) || c.Masked[next] != '(' {
			return n, false
		}
		n.from, n.to = next, c.Partner(next)
	}
	for _, mod := range chain {
		if review.ScriptOthers[mod] || !review.ScriptMods[mod] {
			return n, false
		}
	}
	n.name, n.plain = review.FirstText(c.Src, n.from+1)
	if !review.ScriptWords[word] && !(n.plain && jsTakesFunc.MatchString(c.Masked[n.from:n.to])) {
		return n, false // no test by a word of the project's own
	}
	n.skip, n.focused = review.ScriptState(prefix, chain)
	if !n.plain && n.skip != runs {
		return n, false
	}
	return n, n.plain || !n.suite
}

// jsTakesFunc is a call that is given a body as its last argument.
var jsTakesFunc = lazyre.New(`(?:=>|\bfunction\b[^{}]*)\s*\{[\s\S]*\}\s*,?\s*\)$`)

func part(s string, m []int, group int) string {
	if m[2*group] < 0 {
		return ""
	}
	return s[m[2*group]:m[2*group+1]]
}

// jsAnnotation reads test.skip(condition): without a condition, or with true, it
// is for always.
func jsAnnotation(c code, m []int) skip {
	s, _ := review.ScriptState("", review.ScriptChain(part(c.Masked, m, 3)))
	if s == runs || c.Masked[m[1]-1] != '(' {
		return s
	}
	args := strings.TrimSpace(c.Masked[m[1]:max(m[1], c.Partner(m[1]-1)-1)])
	if args == "" || args == "true" || strings.HasPrefix(args, "true,") {
		return never
	}
	return sometimes
}

// jsFlatten gives the tests with what their suites say about them.
func jsFlatten(c code, nodes []jsNode, whole skip) []test {
	var tests []test
	for _, n := range nodes {
		names := make([]string, 0, len(n.parents)+1)
		n.skip = max(n.skip, whole)
		for _, p := range n.parents {
			names = append(names, nodes[p].name)
			n.skip = max(n.skip, nodes[p].skip)
			n.focused = n.focused || nodes[p].focused
		}
		if n.suite {
			continue
		}
		n.name = strings.Join(append(names, n.name), " > ")
		body := c.Masked[n.from:n.to]
		if jsSkipNow.MatchString(body) {
			n.skip = max(n.skip, sometimes)
		}
		n.test.from, n.test.to = jsBody(c, n.from, n.to)
		if args := c.Masked[n.test.from:n.test.to]; strings.TrimSpace(args) != "" && !strings.Contains(args, "{") && !strings.Contains(args, "=>") {
			n.claims = append(n.claims, claim{Asks: append([]string{"with"}, detect.Tokens(c.Bare[n.test.from:n.test.to])...), line: n.line}) // a macro, and what it is given
		}
		tests = append(tests, n.test)
	}
	return tests
}

// jsBody leaves out the name, which may change.
func jsBody(c code, from, to int) (int, int) {
	if i := strings.IndexByte(c.Masked[from:to], ','); i >= 0 {
		from += i + 1
	}
	return from, max(from, to-1)
}
