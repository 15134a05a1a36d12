package testguard

import (
	"slices"
	"strings"

	"kedge/internal/core/detect"
	"kedge/internal/text/lazyre"
)

var (
	jsCall    = lazyre.New("\\b(x|f)?(describe|suite|context|it|test|specify)((?:\\s*\\.\\s*\\w+)*)\\s*[(`]")
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
	c := coded(detect.JSSyntax, src)
	masked := c.Masked
	lines := lineCounter{src: src}
	var nodes []jsNode
	var open []int
	whole := runs
	for _, m := range jsCall.FindAllStringSubmatchIndex(masked, -1) {
		if !jsStarts(masked, m[0]) {
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
		n.line, n.parents = lines.at(m[0]), slices.Clone(open)
		nodes = append(nodes, n)
		open = append(open, len(nodes)-1)
		if len(open) > maxDepth {
			return nil
		}
	}
	return c.finish(jsFlatten(c, nodes, whole), jsAssert)
}

// maxDepth is more than anyone nests suites; it bounds the work on odd input.
const maxDepth = 100

// jsStarts tells whether a word begins a call of its own: no method, and not the
// name of a function that is being defined.
func jsStarts(masked string, at int) bool {
	before := strings.TrimRight(masked[max(0, at-12):at], " \t")
	if jsReceiver.MatchString(before) {
		return true
	}
	return !strings.HasSuffix(before, ".") && !strings.HasSuffix(before, "function") && !strings.HasSuffix(before, "$")
}

// jsReceiver is what a test may be a method of, in tap and QUnit.
var jsReceiver = lazyre.New(`(?:^|[^\w$.])(?:t|tt|st|tap|QUnit)\.$`)

// jsRead reads one call; false when it is no test but says something about the
// one it stands in, as test.skip(condition) does.
func jsRead(c code, m []int) (jsNode, bool) {
	prefix, word, mods := part(c.Masked, m, 1), part(c.Masked, m, 2), part(c.Masked, m, 3)
	n := jsNode{suite: word == "describe" || word == "suite" || word == "context", from: m[1] - 1}
	n.to = jsEnd(c, n.from)
	chain := jsModifiers(mods)
	if slices.Contains(chain, "each") || slices.Contains(chain, "skipIf") || slices.Contains(chain, "runIf") || slices.Contains(chain, "for") {
		next := c.Blanks(n.to)
		if next >= len(c.Masked) || c.Masked[next] != '(' {
			return n, false
		}
		n.from, n.to = next, c.Partner(next)
	}
	for _, mod := range chain {
		if jsNotATest[mod] || !jsMods[mod] {
			return n, false
		}
	}
	n.name, n.plain = jsName(c.Src, n.from+1)
	n.skip, n.focused = jsState(prefix, chain)
	if !n.plain && n.skip != runs {
		return n, false
	}
	return n, n.plain || !n.suite
}

// jsMods are the members of test that begin a test.
var jsMods = map[string]bool{
	"only": true, "skip": true, "todo": true, "each": true, "concurrent": true, "sequential": true, "serial": true, "failing": true, "fails": true,
	"fail": true, "fixme": true, "skipIf": true, "runIf": true, "for": true, "parallel": true, "shuffle": true, "cb": true, "describe": true, "test": true, "it": true, "step": true,
}

// jsNotATest are members of test that are something else: hooks and settings.
var jsNotATest = map[string]bool{
	"beforeEach": true, "afterEach": true, "beforeAll": true, "afterAll": true, "before": true, "after": true,
	"use": true, "step": true, "extend": true, "setTimeout": true, "info": true, "slow": true, "configure": true, "mock": true,
}

func part(s string, m []int, group int) string {
	if m[2*group] < 0 {
		return ""
	}
	return s[m[2*group]:m[2*group+1]]
}

func jsModifiers(mods string) []string {
	var out []string
	for p := range strings.SplitSeq(mods, ".") {
		if p = strings.TrimSpace(p); p != "" {
			out = append(out, p)
		}
	}
	return out
}

func jsState(prefix string, chain []string) (skip, bool) {
	s, focus := runs, prefix == "f"
	if prefix == "x" {
		s = never
	}
	for _, c := range chain {
		switch c {
		case "skip", "todo", "fixme", "failing", "fails", "fail":
			s = never
		case "skipIf", "runIf":
			s = max(s, sometimes)
		case "only":
			focus = true
		}
	}
	return s, focus
}

// jsEnd is behind the bracket or the template that begins at open.
func jsEnd(c code, open int) int {
	if c.Masked[open] != '`' {
		return c.Partner(open)
	}
	if i := strings.IndexByte(c.Masked[open+1:], '`'); i >= 0 {
		return open + i + 2
	}
	return len(c.Masked)
}

// jsName is the string that is a call's first argument.
func jsName(src string, at int) (string, bool) {
	rest := strings.TrimLeft(src[min(at, len(src)):min(len(src), at+2000)], " \t\r\n")
	if rest == "" || strings.IndexByte("'\"`", rest[0]) < 0 {
		return "(unnamed)", false
	}
	for i := 1; i < len(rest); i++ {
		switch rest[i] {
		case '\\':
			i++
		case rest[0]:
			return rest[1:i], true
		}
	}
	return "(unnamed)", false
}

// jsAnnotation reads test.skip(condition): without a condition, or with true, it
// is for always.
func jsAnnotation(c code, m []int) skip {
	s, _ := jsState("", jsModifiers(part(c.Masked, m, 3)))
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
			n.claims = append(n.claims, claim{words: append([]string{"with"}, tokens(c.Bare[n.test.from:n.test.to])...), line: n.line}) // a macro, and what it is given
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
