package testguard

import (
	"slices"
	"strings"

	"kedge/internal/core/detect"
	"kedge/internal/text/lazyre"
)

var (
	rustMacro  = lazyre.New(`(?m)^(?:[ \t]*\w*test\w*|\w+)!\s*[({]\s*(?:#\[[^\]]*\]\s*)*(?:fn\s+)?([a-zA-Z_]\w*)\s*[,(]`)
	rustBefore = lazyre.New(`(?:#\[[^\]]*\]\s*)+$`)
	rustReturn = lazyre.New(`\bif\s+!?\s*cfg!\s*\([^)]*\)\s*\{\s*return\b`)
	rustFn     = lazyre.New(`^(?:pub(?:\([^)]*\))?\s+|async\s+|unsafe\s+|const\s+|extern\s+(?:"\s*"\s+)?)*fn\s+(\w+)`)
	rustAssert = lazyre.New(`\b\w*assert\w*\s*!|\bpanic\s*!|\bunreachable\s*!|\b(?:check|verify|assert)_?\w*\s*\(|\bexpect_\w+\s*\(`)
	javaTest   = lazyre.New(`@(?:org\.junit\.(?:jupiter\.api\.)?)?(Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate|Property)\b`)
	javaOld    = lazyre.New(`\bvoid\s+(test\w*)\s*\(\s*\)`)
	javaName   = lazyre.New("(?:\\b([\\pL_$][\\w$]*)|(`)[^`]*`)\\s*\\(")
	javaNever  = lazyre.New(`@(?:org\.junit\.(?:jupiter\.api\.)?)?(?:Disabled|Ignore)\b|\benabled\s*=\s*false\b`)
	javaIf     = lazyre.New(`@(?:Disabled|Enabled)(?:If|On|For)\w*|@EnabledIf\w*`)
	javaClass  = lazyre.New(`\b(?:class|object|interface|record)\s+\w+`)
	javaHook   = lazyre.New(`@(?:Before|BeforeEach|BeforeAll|BeforeClass|BeforeTest|BeforeMethod)\b[^;{}]*\{`)
	javaAssume = lazyre.New(`\bassum(?:e|ing)\w*\s*\(|\bthrow\s+new\s+\w*(?:Skip|Assumption|Abort)\w*`)
	javaAssert = lazyre.New(`(?i)\b(?:assert|verify|expect|fail|check|should|ensure|then)\w*\s*[(<{]|\bshould\w*\b|\bexpected\s*=`)
)

// rustTests reads functions with a #[test] of any kind before them.
func rustTests(src string) []test {
	c := coded(detect.RustSyntax, src, quietAs(nil))
	masked := c.Masked
	lines := detect.LineCounter{Src: src}
	excluded := c.LeftOut()
	var tests []test
	t, isTest, end := test{}, false, -1
	head := -1
	for _, m := range detect.RustAttr.FindAllStringIndex(masked, -1) {
		if m[0] < end {
			continue // an attribute inside another, or inside the body just read
		}
		if end < 0 || strings.TrimSpace(masked[end:m[0]]) != "" {
			t, isTest, head = test{}, false, -1
		}
		if head < 0 {
			head = m[0]
		}
		end = c.Partner(m[1] - 1)
		attr := strings.TrimSpace(masked[m[1]:max(m[1], end-1)])
		isTest = isTest || detect.RustIsTest.MatchString(attr)
		t.skip = max(t.skip, rustSkips(attr))
		if strings.HasPrefix(attr, "should_panic") {
			t.claims = append(t.claims, claim{Asks: detect.Tokens(c.Bare[m[1]:max(m[1], end-1)]), line: lines.At(m[0])})
		}
		start := c.Blanks(end)
		fn := rustFn.FindStringSubmatch(masked[start:min(len(masked), start+1000)])
		if fn == nil || !isTest {
			continue
		}
		t.name, t.line, t.head = fn[1], lines.At(start), max(head, 1)
		end = t.fill(c, start+len(fn[0]))
		if rustReturn.MatchString(masked[t.from:t.to]) {
			t.skip = max(t.skip, sometimes)
		}
		if slices.ContainsFunc(excluded, func(r [2]int) bool { return r[0] <= start && start < r[1] }) {
			t.skip = max(t.skip, sometimes)
		}
		tests = append(tests, t)
		t, isTest, head = test{}, false, -1
	}
	tests = append(tests, rustMacros(c)...)
	slices.SortStableFunc(tests, func(a, b test) int { return a.from - b.from })
	return c.finish(apart(tests), rustAssert)
}

// rustMacros are tests that a macro of the project's own defines: rgtest!(name, |…| { … }).
func rustMacros(c code) []test {
	var tests []test
	lines := detect.LineCounter{Src: c.Src}
	for _, m := range rustMacro.FindAllStringSubmatchIndex(c.Masked, -1) {
		open := m[0] + strings.IndexAny(c.Masked[m[0]:m[1]], "({")
		t := test{name: part(c.Masked, m, 1), line: lines.At(m[0]), from: m[1], to: max(m[1], c.Partner(open)-1)}
		before := c.Masked[max(0, m[0]-300):m[0]]
		if at := rustBefore.FindStringIndex(before); at != nil {
			for attr := range strings.SplitSeq(before[at[0]:], "#[") {
				t.skip = max(t.skip, rustSkips(strings.TrimRight(strings.TrimSpace(attr), "]")))
			}
		}
		tests = append(tests, t)
	}
	return tests
}

// fill takes what is between the next braces for the body; it gives the offset behind it.
func (t *test) fill(c code, from int) int {
	open := strings.IndexByte(c.Masked[from:], '{')
	if open < 0 {
		t.from, t.to = len(c.Masked), len(c.Masked)
		return len(c.Masked)
	}
	open += from
	end := c.Partner(open)
	t.from, t.to = open+1, max(open+1, end-1)
	return end
}

func rustSkips(attr string) skip {
	switch {
	case attr == "ignore" || strings.HasPrefix(attr, "ignore ") || strings.HasPrefix(attr, "ignore="):
		return never
	case strings.HasPrefix(attr, "cfg_attr") && strings.Contains(attr, "ignore"):
		return sometimes
	case strings.HasPrefix(attr, "cfg") && !strings.HasPrefix(attr, "cfg(test)") && !strings.HasPrefix(attr, "cfg_attr"):
		return sometimes
	}
	return runs
}

// javaTests reads JUnit and TestNG in Java and Kotlin.
func javaTests(src string) []test {
	c := coded(detect.JavaSyntax, src, quietAs(javaTakes))
	masked := c.Masked
	lines := detect.LineCounter{Src: src}
	whole := max(javaState(javaHead(masked)), c.Hooked(javaHook, javaAssume))
	classes := abstract.FindAllStringIndex(masked, -1)
	var tests []test
	end := 0
	for _, m := range javaStarts(masked) {
		if m[0] < end {
			continue
		}
		name, from := javaMethod(c, m[1])
		if name == "" {
			continue
		}
		start := max(end, lastOf(masked[:m[0]], ";{}"))
		head := masked[start:from]
		t := test{name: name, line: lines.At(m[0]), skip: max(whole, javaState(head), hidden(c, from, m[0], classes))}
		if strings.Contains(head, "expected") {
			t.asserts++
		}
		end = t.fill(c, from)
		t.head = m[0]
		if javaAssume.MatchString(masked[from:end]) {
			t.skip = max(t.skip, sometimes)
		}
		tests = append(tests, t)
	}
	return c.finish(tests, javaAssert)
}

// javaStarts gives where a test is announced: an annotation, or the old void
// testX() in a file without any.
func javaStarts(masked string) [][]int {
	if found := javaTest.FindAllStringIndex(masked, -1); found != nil {
		return found
	}
	var found [][]int
	for _, m := range javaOld.FindAllStringSubmatchIndex(masked, -1) {
		found = append(found, []int{m[0], m[2]})
	}
	return found
}

// javaMethod gives the name of the method behind an annotation and the offset
// behind it, past further annotations with brackets of their own.
func javaMethod(c code, at int) (string, int) {
	if i := c.Blanks(at); i < len(c.Masked) && c.Masked[i] == '(' {
		at = c.Partner(i)
	}
	for {
		m := javaName.FindStringIndex(c.Masked[at:min(len(c.Masked), at+4000)])
		if m == nil {
			return "", at
		}
		start, end := at+m[0], c.Partner(at+m[1]-1)
		if start == 0 || c.Masked[start-1] != '@' && c.Masked[start-1] != '.' {
			return strings.Trim(strings.TrimSpace(c.Src[start:at+m[1]-1]), "`"), end
		}
		at = end
	}
}

// javaHead is what stands before the first class: its annotations are for all.
func javaHead(masked string) string {
	m := javaClass.FindStringIndex(masked)
	if m == nil {
		return ""
	}
	return masked[:m[0]]
}

func javaState(head string) skip {
	switch {
	case javaNever.MatchString(head):
		return never
	case javaIf.MatchString(head):
		return sometimes
	}
	return runs
}

// lastOf is the offset behind the last of some characters.
func lastOf(s, chars string) int { return strings.LastIndexAny(s, chars) + 1 }
