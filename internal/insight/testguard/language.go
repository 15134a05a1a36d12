package testguard

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"kedge/internal/core/detect"
	"kedge/internal/core/review"
	"kedge/internal/text/glob"
	"kedge/internal/text/lazyre"
)

// code is a source whose tests are read.
type code struct{ review.Code }

// coded reads a source; quiet gives where a failure is taken without a word.
func coded(x detect.Syntax, src string, quiet func(detect.Code) [][2]int) code {
	c := x.Code(src).Live()
	return code{review.Code{Code: c, Silent: quiet(c), Braced: x.Braced()}}
}

// quietAs are handlers that take what matches.
func quietAs(takes *lazyre.Regexp) func(detect.Code) [][2]int {
	return func(c detect.Code) [][2]int { return c.Quiet(takes) }
}

var (
	javaTakes = lazyre.New(`\b(?:AssertionError|AssertionFailedError|Throwable|Error)\b`)
	phpTakes  = lazyre.New(`\b(?:Throwable|Exception|AssertionFailedError|ExpectationFailedException)\b`)
	cTakes    = lazyre.New(`\.\.\.`)
)

// language reads the tests of a source file. It is never given more than
// detect.MaxSource bytes.
type language func(src string) []test

var languages = map[string]language{
	".go": goTests, ".py": pythonTests, ".rs": rustTests, ".java": javaTests, ".kt": javaTests,
	".js": jsTests, ".jsx": jsTests, ".mjs": jsTests, ".cjs": jsTests,
	".ts": jsTests, ".tsx": jsTests, ".mts": jsTests, ".cts": jsTests,
	".c": cTests, ".h": cTests, ".cc": cTests, ".cpp": cTests, ".cxx": cTests, ".hpp": cTests, ".hh": cTests, ".m": cTests, ".mm": cTests,
	".rb": rubyTests, ".php": phpTests, ".bats": batsTests, ".sh": shellTests, ".bash": shellTests,
}

// interpreters are the readers of files without an ending, by the program that their first line names.
var interpreters = lazyre.New(`^#![^\n]*\b(?:(sh|bash|dash|zsh|ksh|bats)|(python[0-9.]*)|(ruby)|(node)|(php))\b`)

// named is the ending that a file of tests has, or would have by its first line.
func named(name string, src []byte) string {
	ext := strings.ToLower(path.Ext(name))
	if languages[ext] != nil || len(src) == 0 {
		return ext
	}
	if m := interpreters.FindStringSubmatch(string(src[:min(len(src), 100)])); m != nil && !strings.ContainsAny(ext, "0123456789") {
		for i, end := range []string{".sh", ".py", ".rb", ".js", ".php"} {
			if m[i+1] != "" {
				return end
			}
		}
	}
	return ext
}

// reader gives the reader for a changed file that may hold tests; nil when its tests cannot be counted.
func (g Guard) reader(c Change) language {
	src := c.After
	if len(src) == 0 {
		src = c.Before
	}
	return g.language(c.Path, src)
}

func (g Guard) language(name string, src []byte) language {
	ext := named(name, src)
	if own := strings.ToLower(path.Ext(name)); own != ext {
		if detect.SideOf(name, g.Tests) != detect.Tests {
			return nil
		}
		return languages[ext]
	}
	if ext != ".rs" && !detect.IsTest(name) && !slices.ContainsFunc(g.Tests, func(p string) bool { return glob.Match(p, name) }) {
		return nil
	}
	return languages[ext]
}

// read gives the tests of one version of a file, each with a name of its own, and the rest of the
// file behind them.
func (g Guard) read(name string, src []byte) []test {
	lang := g.language(name, src)
	if lang == nil || src == nil || len(src) > detect.MaxSource {
		return nil
	}
	tests := lang(string(src))
	if strings.HasSuffix(name, ".rs") && !detect.IsTest(name) {
		inTests(string(src), &tests[len(tests)-1])
	}
	if len(tests) > 0 && tests[len(tests)-1].source != nil {
		tests[len(tests)-1].source.around(name, strings.HasSuffix(name, ".rs") && !detect.IsTest(name), tests)
	}
	tests = lastOnes(tests)
	seen := map[string]int{}
	for i := range tests {
		t := &tests[i]
		t.path = name
		seen[t.name]++
		if n := seen[t.name]; n > 1 {
			t.name = fmt.Sprintf("%s#%d", t.name, n)
		}
	}
	return tests
}

// lastOnes drops tests whose name is defined again behind them, where the last definition is the one
// that runs.
func lastOnes(tests []test) []test {
	last := map[string]int{}
	for i, t := range tests {
		if t.once {
			last[t.name] = i
		}
	}
	out := tests[:0]
	for i, t := range tests {
		if at, ok := last[t.name]; !ok || !t.once || at == i {
			out = append(out, t)
		}
	}
	return out
}

// finish gives each test what stands in it, but for the tests inside it, and adds the rest of the
// file.
func (c code) finish(tests []test, asserts *lazyre.Regexp) []test {
	lines := detect.LineCounter{Src: c.Src}
	for i := range tests {
		var inner []test
		for j := i + 1; j < len(tests) && tests[j].from < tests[i].to; j++ {
			inner = append(inner, tests[j])
		}
		c.collect(&tests[i], inner, asserts, &lines)
		if c.Braced {
			tests[i].skip = max(tests[i].skip, c.exits(tests[i], asserts))
		}
		tests[i].asserts += assertions(tests[i])
	}
	rest := test{rest: true, line: 1, to: len(c.Src)}
	c.collect(&rest, tests, asserts, &lines)
	rest.helpers = c.own(rest.claims)
	dead := c.DeadLines()
	rest.claims = slices.DeleteFunc(rest.claims, func(cl claim) bool { return dead[cl.line] })
	rest.source = &c
	return append(tests, rest)
}

// inTests leaves only that in the rest of a source file which stands among its tests.
func inTests(src string, rest *test) {
	lines := detect.LineCounter{Src: src}
	var spans [][2]int
	parts, _ := detect.TestParts("a.rs", src)
	for _, r := range parts {
		spans = append(spans, [2]int{lines.At(r.From), lines.At(r.To)})
	}
	rest.claims = slices.DeleteFunc(rest.claims, func(c claim) bool {
		return !slices.ContainsFunc(spans, func(s [2]int) bool { return s[0] <= c.line && c.line <= s[1] })
	})
	rest.body = nil
	for _, r := range parts {
		rest.body = append(rest.body, detect.CodeLines(src[r.From:r.To])...)
	}
}

// start is where a test begins, with its annotations.
func (t test) start() int {
	if t.head > 0 {
		return t.head
	}
	return t.from
}

// collect reads the claims and lines of a test, past the tests inside it.
func (c code) collect(t *test, inner []test, asserts *lazyre.Regexp, lines *detect.LineCounter) {
	at := t.from
	c.OfTests = !t.rest
	piece := func(to int) {
		if at < to {
			t.claims = append(t.claims, c.claimsIn(at, to, asserts, lines)...)
			t.body = append(t.body, detect.CodeLines(c.Bare[at:to])...)
			t.aside += " " + detect.Commented(c.Src[at:to], c.Bare[at:to])
		}
	}
	for _, in := range inner {
		if start := in.start(); start >= at {
			piece(start)
			at = in.to
		}
	}
	piece(t.to)
	if t.head > 0 {
		t.marks = detect.CodeLines(c.Bare[t.head:max(t.head, t.from)])
		t.claims = append(t.claims, c.rowsIn(t.head, t.from, nil, lines)...)
	}
}

var helper = lazyre.New(`\b(?:func|def|function|fn|fun|sub|macro_rules!)\s+(?:self\.)?([\pL_][\w?!]*)|^(?:[\w*<>\[\]]+\s+)+\**(\w+)\s*\([^;{}]*\)\s*\{?$|^(\w+)\s*\(\)\s*\{|\b(?:const|let|var)\s+(\w+)\s*=\s*(?:async\s*)?(?:function|\()`)

// own tells claims outside tests which helper they stand in, and gives all helpers.
func (c code) own(claims []claim) map[string]bool {
	owners, helpers := map[int]string{}, map[string]bool{}
	owner, indent, n := "", 0, 0
	for line := range strings.SplitSeq(c.Masked, "\n") {
		n++
		bare := strings.TrimSpace(line)
		at := len(line) - len(strings.TrimLeft(line, " \t"))
		name := helperName(bare)
		switch {
		case name != "":
			owner, indent = name, at
			helpers[name] = true
		case bare != "" && at <= indent && !strings.ContainsAny(bare[:1], "{})]#"): // the helper has ended
			owner = ""
		}
		owners[n] = owner
		if name != "" && strings.HasSuffix(bare, "}") && strings.Contains(bare, "{") { // all of it is on the line
			owner = ""
		}
	}
	for i := range claims {
		claims[i].owner = owners[claims[i].line]
	}
	return helpers
}

// helperName is the name of the function that a line declares, if it does.
func helperName(line string) string {
	if len(line) > 300 || strings.IndexByte(line, '(') < 0 && !strings.HasPrefix(line, "def ") || strings.HasSuffix(line, ";") {
		return ""
	}
	m := helper.FindStringSubmatch(line)
	if m == nil || review.NoSymbol(m[2]) || strings.HasPrefix(line, "return") || strings.HasPrefix(line, "else") {
		return ""
	}
	return m[1] + m[2] + m[3] + m[4]
}
