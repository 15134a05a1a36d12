package testguard

import (
	"slices"
	"strings"

	"kedge/internal/core/detect"
	"kedge/internal/core/review"
	"kedge/internal/text/lazyre"
)

// around tells each test with which lines it begins and ends, and the rest which lines belong to no test and
// import nothing, and what it imports. Of a file that holds source too, only its tests count.
func (c code) around(name string, mixed bool, tests []test) {
	text := []byte(c.Bare)
	blank := func(from, to int) {
		for i := max(from, 0); i < min(to, len(text)); i++ {
			if text[i] != '\n' {
				text[i] = ' '
			}
		}
	}
	if mixed {
		regions, _ := detect.TestParts(name, c.Src)
		at := 0
		for _, r := range regions {
			blank(at, r.From)
			at = r.To
		}
		blank(at, len(c.Src))
	}
	rest := &tests[len(tests)-1]
	for _, m := range review.Imports(name, string(text)) {
		rest.imports = append(rest.imports, strings.Join(strings.Fields(string(text[m[0]:m[1]])), " "))
		blank(m[0], m[1])
	}
	for i := range tests[:len(tests)-1] {
		t := &tests[i]
		from, to := c.shell(*t)
		t.edge = detect.CodeLines(c.Bare[from:max(from, min(t.from, len(c.Bare)))] + "\n" + c.Bare[min(max(t.to, t.from), len(c.Bare)):to])
		blank(from, to)
	}
	rest.outside = detect.CodeLines(string(text))
}

// tail is what closes a test: the rest of the line, or the line behind it.
var tail = lazyre.New(`^[ \t]*(?:[)}\]]+[;,]?|\n[ \t]*(?:end\b|[)}\]]+[;,]?))?`)

// shell is where a test stands, with the line that begins it and the one that ends it.
func (c code) shell(t test) (from, to int) {
	from = strings.LastIndexByte(c.Bare[:min(t.from, len(c.Bare))], '\n') + 1
	for n := strings.Count(c.Bare[:from], "\n") + 1; n > t.line && t.line > 0 && from > 0; n-- {
		from = strings.LastIndexByte(c.Bare[:from-1], '\n') + 1
	}
	if t.head > 0 {
		from = min(from, t.head)
	}
	to = min(max(t.to, t.from), len(c.Bare))
	return from, to + tail.FindStringIndex(c.Bare[to:])[1]
}

// keepsAround tells whether the lines around tests are all there, in their order, and what is new only begins
// or ends suites, registers new tests, or imports what no other line has a name for.
func keepsAround(before, after []test) bool {
	was, is := before[len(before)-1], after[len(after)-1]
	i := 0
	for _, l := range is.outside {
		switch {
		case i < len(was.outside) && l == was.outside[i]:
			i++
		case review.Around(is.path, l) || registers(l, before, after):
		default:
			return false
		}
	}
	return i == len(was.outside) && keepsImports(before, after)
}

// keepsImports tells whether all is imported that was, and what is new has names of its own.
func keepsImports(before, after []test) bool {
	was, is := before[len(before)-1], after[len(after)-1]
	words := map[string]bool{}
	for _, t := range before {
		for _, l := range slices.Concat(t.body, t.imports) {
			for _, w := range detect.Words(l) {
				words[w] = true
			}
		}
	}
	i := 0
	for _, s := range is.imports {
		if i < len(was.imports) && s == was.imports[i] {
			i++
			continue
		}
		if slices.ContainsFunc(review.Binds(is.path, s), func(w string) bool { return words[w] }) {
			return false
		}
	}
	return i == len(was.imports)
}

var registering = lazyre.New(`^(?:RUN_TEST(?:_CASE)?|MU_RUN_TEST|mu_run_test|tcase_add_test|ADD_TEST|run_test|RUN)\s*\(([^;{}]*)\)\s*;?$`)

// registers tells whether a line gives a runner a test that is new.
func registers(line string, before, after []test) bool {
	m := registering.FindStringSubmatch(line)
	if m == nil {
		return false
	}
	names := detect.Words(m[1])
	in := func(t test) bool { return slices.Contains(names, t.name) }
	return slices.ContainsFunc(after, in) && !slices.ContainsFunc(before, in)
}
