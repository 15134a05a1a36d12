package testguard

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"kedge/internal/text/lazyre"
)

// mixed is a file that holds tests and source, with the one side old and the other new.
type mixed struct {
	oldSource, oldTests []byte
}

// region is a part of a file that belongs to the tests.
type region struct {
	key      string // the same in both versions
	from, to int
}

// splitter gives the parts of a file that belong to the tests.
type splitter func(src string) []region

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

// splitFile mixes the two versions of a file that holds both sides; false for a file that has only
// one, or stands only in one version.
func splitFile(c Change) (mixed, bool) {
	if c.Before == nil || c.After == nil || len(c.Before) > maxSource || len(c.After) > maxSource {
		return mixed{}, false
	}
	if path.Base(c.Path) == "package.json" {
		return splitPackage(c)
	}
	split := splitterOf(c.Path)
	if split == nil {
		return mixed{}, false
	}
	before, after := string(c.Before), string(c.After)
	was, is := split(before), split(after)
	if len(was)+len(is) == 0 {
		return mixed{}, false
	}
	return mixed{
		oldSource: settled(compose(before, was, after, is), c),
		oldTests:  settled(compose(after, is, before, was), c),
	}, true
}

// settled gives the bytes of the version that has the same lines of code, where one does.
func settled(text string, c Change) []byte {
	lines := codeLines(text)
	for _, v := range [][]byte{c.Before, c.After} {
		if slices.Equal(lines, codeLines(string(v))) {
			return v
		}
	}
	return []byte(text)
}

// compose gives one text with the regions of another in place of its own. Those that it has no
// place for are put at its end.
func compose(text string, own []region, other string, theirs []region) string {
	theirText := map[string]string{}
	for _, r := range theirs {
		theirText[r.key] = other[r.from:r.to]
	}
	var b strings.Builder
	at := 0
	for _, r := range own {
		b.WriteString(text[at:r.from])
		b.WriteString(theirText[r.key])
		delete(theirText, r.key)
		at = r.to
	}
	b.WriteString(text[at:])
	for _, r := range theirs {
		if t, ok := theirText[r.key]; ok {
			b.WriteString("\n" + t + "\n")
		}
	}
	return b.String()
}

// keyed numbers regions of the same key.
func keyed(rs []region) []region {
	seen := map[string]int{}
	for i := range rs {
		seen[rs[i].key]++
		rs[i].key = fmt.Sprintf("%s#%d", rs[i].key, seen[rs[i].key])
	}
	return rs
}

var rustItem = lazyre.New(`^(?:pub(?:\([^)]*\))?\s+|async\s+|unsafe\s+|const\s+|static\s+)*(mod|fn|use|struct|enum|impl|trait|type|macro_rules|extern|let)\b\s*!?\s*(\w*)`)

// rustRegions are the items below #[cfg(test)] and the functions with #[test].
func rustRegions(src string) []region {
	c := rustSyntax.code(src)
	var out []region
	from, isTest, end := -1, false, -1
	for _, m := range rustAttr.FindAllStringIndex(c.masked, -1) {
		if m[0] < end {
			continue
		}
		if from < 0 || strings.TrimSpace(c.masked[end:m[0]]) != "" {
			from, isTest = m[0], false
		}
		end = c.partner(m[1] - 1)
		attr := strings.TrimSpace(c.masked[m[1]:max(m[1], end-1)])
		isTest = isTest || strings.HasPrefix(attr, "cfg(test") || strings.HasPrefix(attr, "cfg(all(test") || rustIsTest.MatchString(attr)
		start := c.blanks(end)
		item := rustItem.FindStringSubmatch(c.masked[start:min(len(c.masked), start+1000)])
		if item == nil || !isTest {
			continue
		}
		end = c.itemEnd(start)
		out = append(out, region{key: item[1] + " " + item[2], from: from, to: end})
		from, isTest = -1, false
	}
	return keyed(out)
}

// itemEnd is behind the braces or the semicolon that end an item.
func (c code) itemEnd(at int) int {
	for i := at; i < len(c.masked); i++ {
		switch c.masked[i] {
		case '{':
			return c.partner(i)
		case '(', '[':
			i = max(i, c.partner(i)-1)
		case ';':
			return i + 1
		}
	}
	return len(c.masked)
}

var (
	sectionHead = lazyre.New(`(?m)^\[+[^\]\n]+\]+[ \t]*(?:#.*)?\r?$`)
	sectionTest = lazyre.New(`^\[+"?(?:tool[.:])?(?:pytest|tox|nox|coverage|nosetests|aliases)\b`)
	makeHead    = lazyre.New(`(?m)^[^\s#:=][^:=\n]*:(?:[^=\n].*)?\r?$`)
	makeTest    = lazyre.New(`(?i)^(?:[\w./-]*[-_])?(?:tests?|check|spec|unit|integration|e2e)(?:[-_]?\w+)*\s*:`)
)

// sectionRegions are the sections of an ini or toml file that configure tests.
func sectionRegions(src string) []region { return headed(src, sectionHead, sectionTest) }

// makeRegions are the rules of a Makefile that run tests.
func makeRegions(src string) []region { return headed(src, makeHead, makeTest) }

// headed cuts a text at its heads and gives the parts whose head belongs to the tests.
func headed(src string, head, tests *lazyre.Regexp) []region {
	heads := head.FindAllStringIndex(src, -1)
	var out []region
	for i, h := range heads {
		to := len(src)
		if i+1 < len(heads) {
			to = heads[i+1][0]
		}
		if line := src[h[0]:h[1]]; tests.MatchString(line) {
			name, _, _ := strings.Cut(line, ":")
			out = append(out, region{key: strings.TrimSpace(name), from: h[0], to: to})
		}
	}
	return keyed(out)
}

// packageTests are the keys of a package.json that configure a runner of tests.
var packageTests = []string{"jest", "mocha", "ava", "tap", "nyc", "c8", "vitest", "jasmine", "karma", "bin-test"}

var testScript = lazyre.New(`(?i)^(?:(?:pre|post)?tests?|spec|unit|e2e|check)(?:[:_-].*)?$`)

// splitPackage mixes package.json: scripts that run tests, and the settings of runners.
func splitPackage(c Change) (mixed, bool) {
	var before, after map[string]json.RawMessage
	if json.Unmarshal(c.Before, &before) != nil || json.Unmarshal(c.After, &after) != nil {
		return mixed{}, false
	}
	tests := exchange(after, before)
	source := exchange(before, after)
	return mixed{oldSource: sameJSON(source, c), oldTests: sameJSON(tests, c)}, true
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
		if !testScript.MatchString(k) {
			out[k] = v
		}
	}
	for k, v := range from {
		if testScript.MatchString(k) {
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
func sameJSON(pkg map[string]json.RawMessage, c Change) []byte {
	text, err := json.MarshalIndent(pkg, "", "  ")
	if err != nil {
		return c.After
	}
	for _, v := range [][]byte{c.Before, c.After} {
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
