package testguard

import (
	"fmt"
	"path"
	"strings"

	"kedge/internal/text/lazyre"
)

// language reads the tests of a source file. It is never given more than
// maxSource bytes.
type language func(src string) []test

// maxSource bounds what is read: no one writes tests of this size by hand.
const maxSource = 2 << 20

var languages = map[string]language{
	".go": goTests, ".py": pythonTests, ".rs": rustTests, ".java": javaTests, ".kt": javaTests,
	".js": jsTests, ".jsx": jsTests, ".mjs": jsTests, ".cjs": jsTests,
	".ts": jsTests, ".tsx": jsTests, ".mts": jsTests, ".cts": jsTests,
}

// testNames are the names that runners look for. Rust keeps tests beside the
// code, so there every file is read, whatever its name.
var testNames = lazyre.New(`(?i)` + strings.Join([]string{
	`_test\.(go|py|rs|rb|exs|dart|c|cc|cpp)$`,
	`(^|/)(test_[^/]*|conftest)\.py$`,
	`[._-](test|tests|spec|cy|e2e)\.[cm]?[jt]sx?$`,
	`_spec\.rb$`, `\.(bats|feature)$`,
	`(^|/)(__tests__|tests?|specs?|e2e|cypress)/([^/]+/)*[^/]+\.([cm]?[jt]sx?|py|rs|rb|php|exs|sh)$`,
}, "|") + `|` + `(?-i:(Test|Tests|IT|Spec)\.(java|kt|scala|groovy|php|cs|swift)$|(^|/)(Test[A-Z]\w*\.(java|kt)$|src/test/))`)

// IsTest tells by its name whether a file holds tests. Files of data below
// testdata do not.
func IsTest(name string) bool {
	name = strings.ReplaceAll(name, `\`, "/")
	return testNames.MatchString(name) && !strings.Contains("/"+name, "/testdata/") && !strings.Contains("/"+name, "/node_modules/")
}

// languageOf gives the reader for a file that may hold tests; nil when its tests
// cannot be counted.
func languageOf(name string) language {
	ext := path.Ext(name)
	if ext != ".rs" && !IsTest(name) {
		return nil
	}
	return languages[ext]
}

// read gives the tests of one version of a file, each with a name of its own.
func read(name string, src []byte) []test {
	lang := languageOf(name)
	if lang == nil || src == nil || len(src) > maxSource {
		return nil
	}
	tests := lang(string(src))
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

// codeLines cuts a body into its lines, without blanks at their ends.
func codeLines(body string) []string {
	var out []string
	for l := range strings.SplitSeq(body, "\n") {
		if l = strings.TrimSpace(l); l != "" {
			out = append(out, l)
		}
	}
	return out
}

// lineAt is the line of an offset; callers go through a file once, so that the
// count goes on from where it stopped.
type lineCounter struct {
	src       string
	off, line int
}

func (c *lineCounter) at(off int) int {
	if off < c.off {
		c.off, c.line = 0, 0
	}
	c.line += strings.Count(c.src[c.off:off], "\n")
	c.off = off
	return c.line + 1
}
