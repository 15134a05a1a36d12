package testguard

import (
	"strings"

	"kedge/internal/core/detect"
	"kedge/internal/text/lazyre"
)

var (
	pyDef       = lazyre.New(`^(?:async\s+)?def\s+(test\w*)\s*\(`)
	pyClass     = lazyre.New(`^class\s+(\w+)`)
	pyNever     = lazyre.New(`\b(?:mark\.(?:skip|xfail)|unittest\.skip|expectedFailure)\b|^@skip\b|\bskip[iI]f\(\s*(?:True|1)\b|\bskipUnless\(\s*(?:False|0)\b`)
	pySometimes = lazyre.New(`\bskip(?:if|If|Unless)\b`)
	pySkipCall  = lazyre.New(`\bpytest\.(?:skip|xfail|importorskip)\s*\(|\bself\.skipTest\s*\(|\braise\s+(?:unittest\.)?SkipTest\b`)
	pyNoTests   = lazyre.New(`^__test__\s*=\s*False\b`)
	pyAssert    = lazyre.New(`(?i)\bassert\b|\b(?:assert|check|expect|verify|should|ensure|fail)\w*\s*\(|\b(?:raises|warns|deprecated_call)\s*\(|\.assert\w*\b`)
)

// pyScope is an open class or function: what it says about the tests below it.
type pyScope struct {
	indent int
	name   string
	skip   skip
	test   int // index of the test whose body this is, or -1
	body   int // the indent of that body, once it is known
}

// pyReader goes through the lines of a Python file once.
type pyReader struct {
	tests      []test
	scopes     []pyScope
	decorators skip
	decorator  string // the text of one that may go on over several lines
	whole      skip
	depth      int // of open brackets: a line inside them is no statement
	returned   bool
	at, end    int // where the line stands, in bytes
	decorated  int // where the decorators begin; 0: none
}

// pythonTests reads pytest and unittest by indentation.
func pythonTests(src string) []test {
	c := coded(detect.PythonSyntax, src)
	r := pyReader{}
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
	return c.finish(r.tests, pyAssert)
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
	case pyClass.MatchString(text):
		r.open(indent, pyClass.FindStringSubmatch(text)[1], -1)
	case pyDef.MatchString(text) && !r.inTest():
		r.define(i, indent, pyDef.FindStringSubmatch(text)[1])
		r.sameLine(text, indent)
	default:
		r.decorators, r.decorated = runs, 0
		r.statement(indent, text)
		r.inBody(text, indent)
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
		name = r.scopes[n-1].name + "." + name
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
	t.head = r.decorated
	r.tests = append(r.tests, t)
	r.returned, r.decorated = false, 0
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
	if len(r.scopes) == 0 || indent == 0 {
		r.whole = max(r.whole, s)
		return
	}
	r.scopes[len(r.scopes)-1].skip = max(r.scopes[len(r.scopes)-1].skip, s)
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
}
