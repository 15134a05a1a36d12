package testguard

import (
	"slices"
	"strings"

	"kedge/internal/core/detect"
	"kedge/internal/text/lazyre"
)

var (
	rubyIf      = lazyre.New(`\b(?:if|unless)\b`)
	rubyTest    = lazyre.New(`^(?:(f|x)?(it|specify|example|scenario|test|should)\b(?:[ (]|$)|def\s+(test_\w+[?!]?))`)
	rubyOwn     = lazyre.New(`^(\w+)[ (]+["'][ ]*["'].*\bdo\s*$`)
	rubySuite   = lazyre.New(`^(?:RSpec\.)?(f|x)?(describe|context|feature|class|module|shared_examples(?:_for)?)\b`)
	rubyBlock   = lazyre.New(`\bdo\b(?:\s*\|[^|]*\|)?\s*$`)
	rubyInline  = lazyre.New(`\bdo\b.*\bend\s*$`)
	rubySkips   = lazyre.New(`^(?:skip|pending|omit)\b`)
	rubyReturns = lazyre.New(`^(?:return|next)(?: (if|unless)\b.*)?$`)
	rubyMeta    = lazyre.New(`[,(]\s*(?::(skip|pending)\b|(?:skip|pending):\s*(?:true|["'])|:(focus)\b|focus:\s*true)`)
	rubyAssert  = lazyre.New(`\b(?:assert|refute|expect|flunk|must|wont|should|fail|verify|check)\w*[?!]?(?:\s*[({]|\s+[^\s=.]|\s*$|\.)|\.\s*(?:must|wont|should)\w*\b`)
	rubyName    = lazyre.New(`^[^"']*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')`)
)

// rubyScope is an open suite or test; it ends with the end at its own indent.
type rubyScope struct {
	indent  int
	name    string
	skip    skip
	focused bool
	private bool // what is defined from here on is
	first   int  // the first test that may stand in it
	test    int  // index of the test, or -1
}

// rubyReader goes through the lines of a Ruby file once.
type rubyReader struct {
	c       code
	tests   []test
	scopes  []rubyScope
	at, end int
	hook    bool // the line stands in what runs before each test
	left    skip // how the test may have ended before its assertions
}

// rubyTests reads minitest, test-unit and RSpec by indentation.
func rubyTests(src string) []test {
	r := rubyReader{c: coded(detect.RubySyntax, src, detect.Code.QuietBlocks)}
	if m := rubyEnd.FindStringIndex(r.c.Masked); m != nil {
		r.c.Code = r.c.Cut(m[0])
	}
	for i, line := range strings.Split(r.c.Masked, "\n") {
		r.end = r.at + len(line)
		if text := strings.TrimSpace(line); text != "" {
			r.line(i+1, len(line)-len(strings.TrimLeft(line, " \t")), text)
		}
		r.at = r.end + 1
	}
	return r.c.finish(slices.DeleteFunc(r.tests, func(t test) bool { return t.gone }), rubyAssert)
}

func (r *rubyReader) line(n, indent int, text string) {
	for len(r.scopes) > 0 {
		s := r.scopes[len(r.scopes)-1]
		if s.indent < indent || s.indent == indent && strings.HasPrefix(text, "end") {
			break
		}
		r.scopes = r.scopes[:len(r.scopes)-1]
	}
	if k := len(r.scopes); k > 0 && r.scopes[k-1].indent == indent {
		r.scopes = r.scopes[:k-1]
		return // its end
	}
	switch {
	case r.inTest():
		r.inBody(indent, text)
	case rubyTest.MatchString(text) || r.custom(text):
		r.define(n, indent, text)
	case rubySuite.MatchString(text):
		m := rubySuite.FindStringSubmatch(text)
		r.open(indent, r.name(text), m[1], -1)
	case rubySkips.MatchString(text) && len(r.scopes) > 0:
		s := &r.scopes[len(r.scopes)-1]
		s.skip = max(s.skip, sometimes)
		for i := s.first; r.hook && i < len(r.tests); i++ { // what runs before each test stands behind some
			r.tests[i].skip = max(r.tests[i].skip, sometimes)
		}
	case len(r.scopes) > 0:
		r.takesBack(text)
	}
	r.hook = !r.inTest() && (rubyHook.MatchString(text) || r.hook && text != "end")
}

var (
	rubyEnd   = lazyre.New(`(?m)^__END__$`)
	rubyHook  = lazyre.New(`^(?:before|setup|around|prepend_before|def\s+(?:setup|before_setup))\b`)
	rubyTakes = lazyre.New(`^(?:undef|undef_method|remove_method|private|protected|private_method|skip_test)[ (]+:?(test_\w+[?!]?)`)
)

// takesBack takes a test away that a line removes, or makes private: no runner calls it.
func (r *rubyReader) takesBack(text string) {
	s := &r.scopes[len(r.scopes)-1]
	switch text {
	case "private", "protected":
		s.private = true
	case "public":
		s.private = false
	}
	if m := rubyTakes.FindStringSubmatch(text); m != nil {
		for i := range r.tests {
			if r.tests[i].name == s.name+" > "+m[1] {
				r.tests[i].gone = true
			}
		}
	}
}

// notTests are blocks with a name that are no tests.
var notTests = map[string]bool{"before": true, "after": true, "around": true, "let": true, "subject": true, "setup": true, "teardown": true, "task": true, "namespace": true, "describe": true, "context": true, "feature": true, "shared_examples": true, "shared_context": true, "require": true}

// custom tells whether a block with a name in a suite is a test that a word of the project's own
// defines.
func (r *rubyReader) custom(text string) bool {
	m := rubyOwn.FindStringSubmatch(text)
	return m != nil && len(r.scopes) > 0 && !notTests[m[1]] && !rubySuite.MatchString(text)
}

func (r *rubyReader) inTest() bool { return len(r.scopes) > 0 && r.scopes[len(r.scopes)-1].test >= 0 }

// name is the first string of the line, or its second word.
func (r *rubyReader) name(text string) string {
	if m := rubyName.FindStringSubmatch(r.c.Bare[r.at:r.end]); m != nil {
		return m[1] + m[2]
	}
	if words := strings.Fields(text); len(words) > 1 {
		return strings.Trim(words[1], "(){},")
	}
	return "(unnamed)"
}

func (r *rubyReader) open(indent int, name, mark string, test int) {
	s := rubyScope{indent: indent, name: name, test: test, first: len(r.tests)}
	if k := len(r.scopes); k > 0 {
		s.skip, s.focused = r.scopes[k-1].skip, r.scopes[k-1].focused
		s.name = r.scopes[k-1].name + " > " + name
	}
	line := r.c.Bare[r.at:r.end]
	meta := rubyMeta.FindStringSubmatch(line)
	if mark == "x" || meta != nil && !strings.Contains(meta[0], "focus") {
		s.skip = never
	}
	s.focused = s.focused || mark == "f" || meta != nil && strings.Contains(meta[0], "focus")
	if len(r.scopes) < maxDepth {
		r.scopes = append(r.scopes, s)
	}
}

func (r *rubyReader) define(n, indent int, text string) {
	m := rubyTest.FindStringSubmatch(text)
	if m == nil {
		m = make([]string, 4)
	}
	name := m[3]
	block := name != "" || rubyBlock.MatchString(text)
	if name == "" {
		name = r.name(text)
		if !block && !strings.Contains(text, "{") && !rubyInline.MatchString(text) {
			return
		}
	}
	r.open(indent, name, m[1], len(r.tests))
	s := r.scopes[len(r.scopes)-1]
	if s.test != len(r.tests) {
		return
	}
	t := test{name: s.name, line: n, skip: s.skip, focused: s.focused, from: r.end, to: r.end, once: m[3] != ""}
	if k := len(r.scopes); m[3] != "" && k > 1 && r.scopes[k-2].private {
		t.skip = never
	}
	if !block { // it { … }, or do … end in one line
		r.scopes = r.scopes[:len(r.scopes)-1]
		t.from, t.to = r.inline()
	}
	r.tests, r.left = append(r.tests, t), runs
}

// inline is where the block of this line stands.
func (r *rubyReader) inline() (from, to int) {
	line := r.c.Masked[r.at:r.end]
	if i := strings.IndexByte(line, '{'); i >= 0 && !rubyInline.MatchString(line) {
		return r.at + i + 1, max(r.at+i+1, r.c.Partner(r.at+i)-1)
	}
	from = r.at + strings.Index(line, "do") + 2
	return from, max(from, r.at+strings.LastIndex(line, "end"))
}

func (r *rubyReader) inBody(indent int, text string) {
	s := r.scopes[len(r.scopes)-1]
	t := &r.tests[s.test]
	first := strings.TrimSpace(r.c.Masked[t.from:max(t.from, t.to)]) == ""
	t.to = max(t.to, r.end)
	if m := rubyReturns.FindStringSubmatch(text); m != nil && indent <= s.indent+2 {
		r.left = sometimes
		if m[1] == "" {
			r.left = never
		}
	} else if r.left > runs && rubyAssert.MatchString(text) {
		t.skip, r.left = max(t.skip, r.left), runs
	}
	switch {
	case !rubySkips.MatchString(text):
	case first && !rubyIf.MatchString(text) && indent <= s.indent+2:
		t.skip = never
	default:
		t.skip = max(t.skip, sometimes)
	}
}
