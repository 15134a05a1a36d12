package detect

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"kedge/internal/text/lazyre"
)

// Mixed is a file that holds tests and source, with the one side old and the other new.
type Mixed struct {
	OldSource, OldTests []byte
}

// versions are a file in its two versions.
type versions struct{ before, after []byte }

// MaxSource bounds what is read: no one writes tests of this size by hand.
const MaxSource = 2 << 20

// Region is a part of a file that belongs to the tests.
type Region struct {
	Key      string // the same in both versions
	From, To int
}

// splitter gives the parts of a file that belong to the tests.
type splitter func(src string) []Region

// splitterOf gives the splitter for a file that may hold both sides; nil for others.
func splitterOf(name string) splitter {
	switch base := strings.ToLower(path.Base(name)); {
	case strings.HasSuffix(base, ".rs"):
		return rustRegions
	case base == "pyproject.toml" || base == "setup.cfg":
		return sectionRegions
	case base == "makefile" || base == "gnumakefile" || strings.HasPrefix(base, "makefile."):
		return makeRegions
	}
	return nil
}

// Split mixes the two versions of a file that holds both sides; false for a file that has only
// one, or stands only in one version.
func Split(name string, before, after []byte) (Mixed, bool) {
	if before == nil || after == nil || len(before) > MaxSource || len(after) > MaxSource {
		return Mixed{}, false
	}
	v := versions{before, after}
	if path.Base(name) == "package.json" {
		return splitPackage(v)
	}
	split := splitterOf(name)
	if split == nil {
		return Mixed{}, false
	}
	was, is := split(string(before)), split(string(after))
	if len(was)+len(is) == 0 {
		return Mixed{}, false
	}
	return Mixed{
		OldSource: settled(compose(string(before), was, string(after), is), v),
		OldTests:  settled(compose(string(after), is, string(before), was), v),
	}, true
}

// settled gives the bytes of the version that has the same lines of code, where one does.
func settled(text string, c versions) []byte {
	lines := CodeLines(text)
	for _, v := range [][]byte{c.before, c.after} {
		if slices.Equal(lines, CodeLines(string(v))) {
			return v
		}
	}
	return []byte(text)
}

// compose gives one text with the regions of another in place of its own. Those that it has no
// place for are put at its end.
func compose(text string, own []Region, other string, theirs []Region) string {
	theirText := map[string]string{}
	for _, r := range theirs {
		theirText[r.Key] = other[r.From:r.To]
	}
	var b strings.Builder
	at := 0
	for _, r := range own {
		b.WriteString(text[at:r.From])
		b.WriteString(theirText[r.Key])
		delete(theirText, r.Key)
		at = r.To
	}
	b.WriteString(text[at:])
	for _, r := range theirs {
		if t, ok := theirText[r.Key]; ok {
			b.WriteString("\n" + t + "\n")
		}
	}
	return b.String()
}

// keyed numbers regions of the same key.
func keyed(rs []Region) []Region {
	seen := map[string]int{}
	for i := range rs {
		seen[rs[i].Key]++
		rs[i].Key = fmt.Sprintf("%s#%d", rs[i].Key, seen[rs[i].Key])
	}
	return rs
}

// RustAttr begins an attribute, and RustIsTest is one that marks a test.
var (
	RustAttr   = lazyre.New(`#\s*\[`)
	RustIsTest = lazyre.New(`^(?:\w+\s*::\s*)*(?:test|rstest|test_case|wasm_bindgen_test|quickcheck|proptest)\b`)
)

var rustItem = lazyre.New(`^(?:pub(?:\([^)]*\))?\s+|async\s+|unsafe\s+|const\s+|static\s+)*(mod|fn|use|struct|enum|impl|trait|type|macro_rules|extern|let)\b\s*!?\s*(\w*)`)

// rustRegions are the items below #[cfg(test)] and the functions with #[test].
func rustRegions(src string) []Region {
	c := RustSyntax.Code(src)
	var out []Region
	from, isTest, end := -1, false, -1
	for _, m := range RustAttr.FindAllStringIndex(c.Masked, -1) {
		if m[0] < end {
			continue
		}
		if from < 0 || strings.TrimSpace(c.Masked[end:m[0]]) != "" {
			from, isTest = m[0], false
		}
		end = c.Partner(m[1] - 1)
		attr := strings.TrimSpace(c.Masked[m[1]:max(m[1], end-1)])
		isTest = isTest || strings.HasPrefix(attr, "cfg(test") || strings.HasPrefix(attr, "cfg(all(test") || RustIsTest.MatchString(attr)
		start := c.Blanks(end)
		item := rustItem.FindStringSubmatch(c.Masked[start:min(len(c.Masked), start+1000)])
		if item == nil || !isTest {
			continue
		}
		end = c.itemEnd(start)
		out = append(out, Region{Key: item[1] + " " + item[2], From: from, To: end})
		from, isTest = -1, false
	}
	return keyed(out)
}

// itemEnd is behind the braces or the semicolon that end an item.
func (c Code) itemEnd(at int) int {
	for i := at; i < len(c.Masked); i++ {
		switch c.Masked[i] {
		case '{':
			return c.Partner(i)
		case '(', '[':
			i = max(i, c.Partner(i)-1)
		case ';':
			return i + 1
		}
	}
	return len(c.Masked)
}

var (
	sectionHead = lazyre.New(`(?m)^\[+[^\]\n]+\]+[ \t]*(?:#.*)?\r?$`)
	sectionTest = lazyre.New(`^\[+"?(?:tool[.:])?(?:pytest|tox|nox|coverage|nosetests|aliases)\b`)
	makeHead    = lazyre.New(`(?m)^(?:[^\s#:=][^:=\n]*:(?:[^=\n].*)?|[\w.-]+[ \t]*[:+?!]*=.*)\r?$`)
	makeTest    = lazyre.New(`(?i)^(?:[\w./-]*[-_])?(?:tests?|checks?|specs?|unit|integration|e2e)(?:[-_]?\w+)*\s*[:+?!=]`)
)

// sectionRegions are the sections of an ini or toml file that configure tests.
func sectionRegions(src string) []Region { return headed(src, sectionHead, sectionTest) }

// makeRegions are the rules of a Makefile that run tests, and the variables that list them.
func makeRegions(src string) []Region { return headed(src, makeHead, makeTest) }

// headed cuts a text at its heads and gives the parts whose head belongs to the tests.
func headed(src string, head, tests *lazyre.Regexp) []Region {
	heads := head.FindAllStringIndex(src, -1)
	var out []Region
	for i, h := range heads {
		to := len(src)
		if i+1 < len(heads) {
			to = heads[i+1][0]
		}
		if line := src[h[0]:h[1]]; tests.MatchString(line) {
			name := line[:strings.IndexAny(line+":", ":+?!=")]
			out = append(out, Region{Key: strings.TrimSpace(name), From: h[0], To: to})
		}
	}
	return keyed(out)
}

// packageTests are the keys of a package.json that configure a runner of tests.
var packageTests = []string{"jest", "mocha", "ava", "tap", "nyc", "c8", "vitest", "jasmine", "karma", "bin-test"}

var testTarget = lazyre.New(`(?i)^(?:(?:pre|post)?tests?|specs?|unit|e2e|check|ci|verify|coverage)(?:[:_-].*)?$`)

// splitPackage mixes package.json: scripts that run tests, and the settings of runners.
func splitPackage(c versions) (Mixed, bool) {
	var before, after map[string]json.RawMessage
	if json.Unmarshal(c.before, &before) != nil || json.Unmarshal(c.after, &after) != nil {
		return Mixed{}, false
	}
	tests := exchange(after, before)
	source := exchange(before, after)
	return Mixed{OldSource: sameJSON(source, c), OldTests: sameJSON(tests, c)}, true
}

// exchange gives the first with what the second says about tests.
func exchange(into, from map[string]json.RawMessage) map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	for k, v := range into {
		out[k] = v
	}
	for _, k := range packageTests {
		delete(out, k)
		if v, ok := from[k]; ok {
			out[k] = v
		}
	}
	if s := exchangeScripts(scriptsOf(into), scriptsOf(from)); len(s) > 0 {
		out["scripts"], _ = json.Marshal(s)
	}
	return out
}

func exchangeScripts(into, from map[string]string) map[string]string {
	out := map[string]string{}
	for k, v := range into {
		if !testTarget.MatchString(k) {
			out[k] = v
		}
	}
	for k, v := range from {
		if testTarget.MatchString(k) {
			out[k] = v
		}
	}
	return out
}

func scriptsOf(pkg map[string]json.RawMessage) map[string]string {
	var s map[string]string
	if json.Unmarshal(pkg["scripts"], &s) != nil {
		return nil
	}
	return s
}

// sameJSON gives the bytes of the version that says the same, where one does.
func sameJSON(pkg map[string]json.RawMessage, c versions) []byte {
	text, err := json.MarshalIndent(pkg, "", "  ")
	if err != nil {
		return c.after
	}
	for _, v := range [][]byte{c.before, c.after} {
		if plainJSON(v) == plainJSON(text) {
			return v
		}
	}
	return append(text, '\n')
}

// plainJSON is a text in one form: the order of keys and blanks are gone.
func plainJSON(text []byte) string {
	var v any
	if json.Unmarshal(text, &v) != nil {
		return string(text)
	}
	out, err := json.Marshal(v)
	if err != nil {
		return string(text)
	}
	return string(out)
}

// TestParts gives the parts of a file that belong to the tests; false for a file that never holds both
// sides.
func TestParts(name, src string) ([]Region, bool) {
	split := splitterOf(name)
	if split == nil {
		return nil, false
	}
	return split(src), true
}

// WithoutTests is a source file without the tests that it holds.
func WithoutTests(name, src string) string {
	parts, _ := TestParts(name, src)
	return compose(src, parts, "", nil)
}

// TestScripts are the scripts of a package.json that run tests; false for a file that is none.
func TestScripts(text []byte) (map[string]string, bool) {
	var pkg map[string]json.RawMessage
	if json.Unmarshal(text, &pkg) != nil {
		return nil, false
	}
	out := scriptsOf(pkg)
	for name, line := range out {
		if !isTesting(name, line) {
			delete(out, name)
		}
	}
	return out, true
}

// CodeLines cuts a text into its lines, without blanks at their ends, and without blank ones.
func CodeLines(body string) []string {
	var out []string
	for l := range strings.SplitSeq(body, "\n") {
		if l = strings.TrimSpace(l); l != "" {
			out = append(out, l)
		}
	}
	return out
}
