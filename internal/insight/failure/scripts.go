package failure

import (
	"strings"

	"kedge/internal/text/lazyre"
)

// More runners of JavaScript and TypeScript.

var (
	tapFailFile = lazyre.New(`^ ?✖ (.+)$`)
	tapNext     = lazyre.New(`^(?: ?✖ |Suites: |Asserts: )`)
	tapDiffEnd  = lazyre.New(`^\s*$|^\s+test: |\.[cm]?[jt]sx?:\d+:\d+\)?$`)
	tapBare     = lazyre.New(`\(?([^\s()]+\.[cm]?[jt]sx?):(\d+):\d+\)?$`)
	uvuTitle    = lazyre.New(`^\s+FAIL  (?:\S+ )?"(.+)"$`)
	avaTitle    = lazyre.New(`^\s+✘ \[fail\]: (.+?)(?: \(.*\))?$`)
	avaPlace    = lazyre.New(`^\s+(\S+\.[cm]?[jt]sx?):(\d+)$`)
	avaCode     = lazyre.New(`^\s+\d+: `)
	avaEnd      = lazyre.New(`^\s+›|^\s+─+$`)
	denoTitle   = lazyre.New(`^(\S.*) => (\S+?):(\d+):\d+$`)
	denoEnd     = lazyre.New(`^(?:\S.* => \S+:\d+:\d+|\s*FAILURES\s*)$`)
	denoCode    = lazyre.New(`^\s*\^+\s*$`)
	denoType    = lazyre.New(`^TS\d+ \[ERROR\]: (.+)`)
	bunFail     = lazyre.New(`^(?:\(fail\)|✗) (.+?)(?: \[[\d.]+m?s\])?$`)
	bunResult   = lazyre.New(`^(?:\((?:pass|fail|skip|todo)\)|[✓✗»]) `)
	bunImport   = lazyre.New(`^error: (.+ from ['"](\S+)['"].*)$`)
	bunError    = lazyre.New(`^(?:error: |\w*(?:Error|Exception): )`)
)

// nodeTap reads tap as it speaks to people: the diff, then the frames.
var nodeTap = rule{keys{"✖ "}, tapFailFile, func(o output, at int, m []string) (failure, bool) {
	body := until(o.lines, at+1, tapNext.MatchString)
	file, line := placeIn(body, tapBare)
	var said []string
	for i, l := range body {
		if strings.TrimSpace(l) == "--- expected" {
			said = until(body, i, tapDiffEnd.MatchString)
			break
		}
	}
	if file == "" || said == nil {
		return failure{}, false
	}
	return found(m[1], file, line, join(said))
}}

// uvu reads the first test that it names as failed.
var uvu = rule{keys{"FAIL  "}, uvuTitle, func(o output, at int, m []string) (failure, bool) {
	body := until(o.lines, at+1, func(l string) bool { return uvuTitle.MatchString(l) || strings.HasPrefix(l, "  Total: ") })
	return jsReport(m[1], "", "", body)
}}

// ava reads the block of the first test that it crossed out.
var ava = rule{keys{"[fail]: "}, avaTitle, func(o output, at int, m []string) (failure, bool) {
	for i, l := range o.lines[at:] {
		p := avaPlace.FindStringSubmatch(l)
		if p == nil {
			continue
		}
		var said []string
		for _, s := range until(o.lines, at+i+1, avaEnd.MatchString) {
			if !avaCode.MatchString(s) {
				said = append(said, s)
			}
		}
		return found(m[1], p[1], p[2], join(said))
	}
	return found(m[1], "", "", strings.TrimSpace(o.lines[at]))
}}

// denoTest reads the first of the errors that deno lists.
var denoTest = rule{keys{" => "}, denoTitle, func(o output, at int, m []string) (failure, bool) {
	if at+1 == len(o.lines) || !strings.HasPrefix(o.lines[at+1], "error: ") {
		return failure{}, false
	}
	return jsReport(m[1], m[2], m[3], denoPlain(until(o.lines, at+1, denoEnd.MatchString)))
}}

// denoPlain leaves out the line of code that deno shows, with its marker.
func denoPlain(body []string) []string {
	for i, l := range body {
		if i > 0 && denoCode.MatchString(l) {
			return append(body[:i-1:i-1], body[i+1:]...)
		}
	}
	return body
}

// denoCheck reads the first error of deno's type check.
var denoCheck = rule{keys{" [ERROR]: "}, denoType, func(o output, at int, _ []string) (failure, bool) {
	return jsReport("", "", "", denoPlain(until(o.lines, at, blank)))
}}

// bunTest reads the first test that bun names as failed: what happened stands above.
var bunTest = rule{keys{"(fail) ", "✗ "}, bunFail, func(o output, at int, m []string) (failure, bool) {
	body := above(o.lines, at, bunResult.MatchString)
	for i, l := range body {
		if bunError.MatchString(l) {
			return jsReport(m[1], "", "", body[i:])
		}
	}
	return failure{}, false
}}

// bunModule reads a module that bun did not find, which has no frame.
var bunModule = rule{keys{"error: "}, bunImport, func(_ output, _ int, m []string) (failure, bool) {
	return found("", m[2], "", m[1])
}}
