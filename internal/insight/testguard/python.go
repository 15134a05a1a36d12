package testguard

import (
	"slices"
	"strings"

	"kedge/internal/core/detect"
	"kedge/internal/core/review"
	"kedge/internal/text/lazyre"
)

var (
	pyDef       = lazyre.New(`^(?:async\s+)?def\s+(test\w*)\s*\(`)
	pyClass     = lazyre.New(`^class\s+(\w+)`)
	pyNever     = lazyre.New(`\b(?:mark\.(?:skip|xfail)|unittest\.skip|expectedFailure)\b|^@skip\b|\bskip[iI]f\(\s*(?:True|1)\b|\bskipUnless\(\s*(?:False|0)\b`)
	pySometimes = lazyre.New(`\bskip(?:if|If|Unless)\b`)
	pySkipCall  = lazyre.New(`\bpytest\.(?:skip|xfail|importorskip)\s*\(|\bself\.skipTest\s*\(|\braise\s+(?:unittest\.)?SkipTest\b`)
	pyIf        = lazyre.New(`^if\b.*:$`)
	pyReturnIf  = lazyre.New(`^if\b.*:\s*return$`)
	pyNoTests   = lazyre.New(`^__test__\s*=\s*False\b`)
	pyAssert    = lazyre.New(`(?i)\bassert\b|\b(?:assert|check|expect|verify|should|ensure|fail)\w*\s*\(|\b(?:raises|warns|deprecated_call)\s*\(|\.assert\w*\b`)
)

// pyScope is an open class or function: what it says about the tests below it.
type pyScope struct {
	indent int
	name   string
	skip   skip
	hook   bool // a function that runs before each test
	test   int  // index of the test whose body this is, or -1
	body   int  // the indent of that body, once it is known
	first  int  // the first test that may stand in it
	kind   pyKind
}

// pyKind says what a scope is that is no test.
type pyKind int

const (
	pyClasses pyKind = iota
	pyFunctions
	pyBranches // an if, a try or their kin
)

// pyReader goes through the lines of a Python file once.
type pyReader struct {
	src, bare  string
	tests      []test
	scopes     []pyScope
	decorators skip
	decorator  string // the text of one that may go on over several lines
	whole      skip
	depth      int // of open brackets: a line inside them is no statement
	returned   bool
	left       bool // the test may have ended under a condition
	condition  int  // 1: behind an if of the test itself; 2: behind its return
	at, end    int  // where the line stands, in bytes
	decorated  int  // where the decorators begin; 0: none
}

// pythonTests reads pytest and unittest by indentation.
func pythonTests(src string) []test {
	c := coded(detect.PythonSyntax, src, detect.Code.QuietLines)
	r := pyReader{src: c.Masked, bare: c.Bare}
	for i, line := range strings.Split(c.Masked, "\n") {
		r.end = r.at + len(line)
		if strings.TrimSpace(line) != "" {
			r.line(i, line)
		}
		r.at = r.end + 1
	}
	for i := range r.tests {
		r.tests[i].skip = max(r.tests[i].skip, r.whole)
	}
	return c.finish(slices.DeleteFunc(r.tests, func(t test) bool { return t.gone }), pyAssert)
}

func (r *pyReader) line(i int, line string) {
	inside := r.depth > 0
	r.depth = max(0, r.depth+strings.Count(line, "(")+strings.Count(line, "[")+strings.Count(line, "{")-
		strings.Count(line, ")")-strings.Count(line, "]")-strings.Count(line, "}"))
	text := strings.TrimSpace(line)
	if inside && r.decorator != "" {
		r.decorate(text)
		return
	}
	if inside {
		r.inBody(text, -1)
		return
	}
	r.decorator = ""
	indent := len(line) - len(strings.TrimLeft(line, " \t"))
	for len(r.scopes) > 0 && r.scopes[len(r.scopes)-1].indent >= indent {
		r.scopes = r.scopes[:len(r.scopes)-1]
	}
	switch {
	case strings.HasPrefix(text, "@"):
		if r.decorated == 0 {
			r.decorated = max(r.at, 1)
		}
		r.decorate(text)
	case pyClass.MatchString(text) && !r.inTest():
		r.class(indent, text)
	case pyDef.MatchString(text) && !r.inTest() && !r.within(pyFunctions):
		r.define(i, indent, pyDef.FindStringSubmatch(text)[1])
		r.sameLine(text, indent)
	default:
		r.decorators, r.decorated = runs, 0
		r.statement(indent, text)
		r.inBody(text, indent)
		r.block(indent, text)
	}
}

// class opens a class. One without a base that pytest does not look into is collected only where another
// class takes its tests over; a second one of a name takes the place of the first.
func (r *pyReader) class(indent int, text string) {
	name := pyClass.FindStringSubmatch(text)[1]
	if !strings.HasPrefix(name, "Test") && !strings.HasPrefix(name, "test") && !strings.Contains(text, "(") && !review.BaseOf(r.src, name) {
		r.decorators = max(r.decorators, sometimes)
		if strings.HasPrefix(name, "_") {
			r.decorators = never
		}
	}
	sure := !r.within(pyBranches)
	r.open(indent, name, -1)
	s := &r.scopes[len(r.scopes)-1]
	if sure && !r.within(pyFunctions) {
		r.forget(func(t test) bool { return t.once && strings.HasPrefix(t.name, s.name+".") })
	}
	s.first = len(r.tests)
}

// within tells whether a line stands in a scope of a kind.
func (r *pyReader) within(kind pyKind) bool {
	return slices.ContainsFunc(r.scopes, func(s pyScope) bool { return s.kind == kind && s.test < 0 })
}

// forget drops tests that the file takes back.
func (r *pyReader) forget(which func(test) bool) {
	for i := range r.tests {
		if which(r.tests[i]) {
			r.tests[i].gone = true
		}
	}
}

// block opens a function that is no test, or a branch.
func (r *pyReader) block(indent int, text string) {
	if r.inTest() {
		return
	}
	kind := pyBranches
	switch m := pyBranch.FindStringSubmatch(text); {
	case pyAnyDef.MatchString(text):
		kind = pyFunctions
	case m == nil:
		return
	case m[1] == "if" || m[1] == "elif":
		r.decorators = sometimes
	}
	r.open(indent, "", -1)
	r.scopes[len(r.scopes)-1].kind = kind
	if m := pyAnyDef.FindStringSubmatch(text); m != nil {
		r.scopes[len(r.scopes)-1].hook = pyHook.MatchString(m[1])
	}
}

var (
	pyBranch = lazyre.New(`^(if|elif|else|try|except|finally|for|while|with)\b.*:$`)
	pyAnyDef = lazyre.New(`^(?:async\s+)?def\s+(\w+)`)
	pyHook   = lazyre.New(`^(?:set[uU]p|setup_\w+|setUpClass|setUpModule|asyncSetUp)$`)
	pyTakes  = lazyre.New(`^(?:del\s+(?:\w+\.)?(\w+)$|(\w+)\s*=[^=]|(?:delattr|setattr)\s*\([^)]*,\s*["'](\w+)["']|globals\(\)\.pop\(\s*["'](\w+)["']|(\w+)\.__test__\s*=\s*False|\w+\.(test_\w+)\s*=[^=])`)
)

// takesBack drops a test, or a class of tests, whose name a later line removes or gives to something else.
func (r *pyReader) takesBack(text string) {
	m := pyTakes.FindStringSubmatch(strings.TrimSpace(r.bare[r.at:r.end]))
	if m == nil || r.within(pyBranches) || r.within(pyFunctions) {
		return
	}
	for _, name := range m[1:] {
		if name != "" {
			r.forget(func(t test) bool {
				return t.name == name || strings.HasPrefix(t.name, name+".") || strings.HasSuffix(t.name, "."+name)
			})
		}
	}
}

// decorate takes a line of a decorator; ones longer than a page are not read on.
func (r *pyReader) decorate(text string) {
	if len(r.decorator) < 4000 {
		r.decorator += text
		r.decorators = max(r.decorators, pyDecorator(r.decorator))
	}
}

func pyDecorator(text string) skip {
	switch {
	case pyNever.MatchString(text):
		return never
	case pySometimes.MatchString(text):
		return sometimes
	}
	return runs
}

func (r *pyReader) open(indent int, name string, test int) {
	from := runs
	if n := len(r.scopes); n > 0 {
		from = r.scopes[n-1].skip
		name = strings.Trim(r.scopes[n-1].name+"."+name, ".")
	}
	r.scopes = append(r.scopes, pyScope{indent: indent, name: name, skip: max(from, r.decorators), test: test})
	r.decorators = runs
}

func (r *pyReader) inTest() bool {
	return len(r.scopes) > 0 && r.scopes[len(r.scopes)-1].test >= 0
}

func (r *pyReader) define(i, indent int, name string) {
	r.open(indent, name, len(r.tests))
	s := r.scopes[len(r.scopes)-1]
	t := test{name: s.name, line: i + 1, skip: s.skip, from: r.end, to: r.end}
	t.head, t.once = r.decorated, !r.within(pyBranches)
	r.tests = append(r.tests, t)
	r.returned, r.decorated, r.left, r.condition = false, 0, false, 0
}

// sameLine reads a body that stands behind the colon of its def.
func (r *pyReader) sameLine(text string, indent int) {
	_, body, ok := strings.Cut(text[strings.LastIndexByte(text, ')')+1:], ":")
	if ok && strings.TrimSpace(body) != "" {
		t := &r.tests[len(r.tests)-1]
		t.from = min(t.from, r.end-len(body))
		r.inBody(strings.TrimSpace(body), indent+1)
	}
}

// statement reads what skips a whole module or class.
func (r *pyReader) statement(indent int, text string) {
	if r.inTest() {
		return
	}
	s := runs
	switch {
	case strings.HasPrefix(text, "pytestmark"):
		s = pyDecorator(text)
	case pyNoTests.MatchString(text):
		s = never
	case indent == 0 && strings.Contains(text, "importorskip"):
		s = sometimes
	case indent == 0 && pySkipCall.MatchString(text):
		s = never
	case pySkipCall.MatchString(text):
		s = sometimes
	}
	r.takesBack(text)
	if s != runs {
		r.skipAround(s)
	}
}

// skipAround lets the class around a line, or the whole module, skip: from here on, or all of it where the
// line stands in what runs before each test.
func (r *pyReader) skipAround(s skip) {
	hook := false
	for i := len(r.scopes) - 1; i >= 0; i-- {
		scope := &r.scopes[i]
		hook = hook || scope.hook
		if scope.kind != pyClasses {
			continue
		}
		scope.skip = max(scope.skip, s)
		for j := scope.first; hook && j < len(r.tests); j++ {
			r.tests[j].skip = max(r.tests[j].skip, s)
		}
		return
	}
	r.whole = max(r.whole, s)
}

// inBody counts a line of a test. indent is -1 for the rest of a statement.
func (r *pyReader) inBody(text string, indent int) {
	if !r.inTest() {
		return
	}
	s := &r.scopes[len(r.scopes)-1]
	if s.body == 0 && indent > 0 {
		s.body = indent
	}
	outer := indent >= 0 && indent <= s.body
	t := &r.tests[s.test]
	t.to = max(t.to, r.end)
	skips := pySkipCall.MatchString(text)
	switch {
	case outer && (r.returned || skips):
		t.skip, r.returned = never, false // code after a return is never run
	case skips:
		t.skip = max(t.skip, sometimes)
	}
	if outer && (text == "return" || strings.HasPrefix(text, "return ")) {
		r.returned = true
	}
	switch {
	case outer:
		r.left = r.left || pyReturnIf.MatchString(text)
		if r.condition == 2 {
			r.left = true // the condition had nothing but the return
		}
		r.condition = 0
		if pyIf.MatchString(text) {
			r.condition = 1
		}
	case indent >= 0 && r.condition == 1 && (text == "return" || text == "return None"):
		r.condition = 2
	case indent >= 0:
		r.condition = 0
	}
	if r.left && pyAssert.MatchString(text) {
		t.skip, r.left = max(t.skip, sometimes), false
	}
}
