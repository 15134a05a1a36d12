package failure

import (
	"encoding/json"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/text/lazyre"
)

var (
	tapNotOK   = lazyre.New(`^\s*not ok \d+(?: -)? ?(.*?)(?: # time=[\d.]+m?s)?$`)
	tapError   = lazyre.New(`^\s*(?:error|message): ?(?:'(.*)'|"(.*)"|([|>][+-]?)|(.*))$`)
	tapDiff    = lazyre.New(`^\s*diff: ?[|>][+-]?$`)
	tapValue   = lazyre.New(`^\s*(operator|compare|expected|actual|wanted|found|got|want): ?(.*)$`)
	tapBlock   = lazyre.New(`^[|>][+-]?$`)
	tapExit    = lazyre.New(`^\s*exitCode: `)
	tapPlace   = lazyre.New(`^\s*(?:at|location|file): ?'?([^\s']+?):(\d+)(?::\d+)?'?$`)
	tapFrame   = lazyre.New(`^\s+\S.* \(([^\s()]+):(\d+):\d+\)$`)
	tapFile    = lazyre.New(`^\s*(?:fileName|file): ?['"]?([^\s'"]+?)['"]?$`)
	tapLine    = lazyre.New(`^\s*(?:lineNumber|line): ?(\d+)$`)
	tapTest    = lazyre.New(`\bin test file (\S+), line (\d+)\)`)
	tapSaid    = lazyre.New(`^\s*# .*?\b(?:at|in file) (\S+?),? line (\d+)\b`)
	tapComment = lazyre.New(`^(\s*)# ?`)
	gitCase    = lazyre.New(`^expecting (?:success|failure) of [\d.]+ '`)
)

// tap reads the first "not ok" of the Test Anything Protocol that is neither to
// do nor skipped; nested ones come before the one that holds them.
func tap(o output) (failure, bool) { return tapFirst(o, false) }

// tapProcess reads a file of tests of which only the end is known: what it printed
// says more, if anything in it can be read.
func tapProcess(o output) (failure, bool) { return tapFirst(o, true) }

func tapFirst(o output, process bool) (failure, bool) {
	for i, line := range o.lines {
		if !strings.Contains(line, "not ok ") {
			continue
		}
		m := tapNotOK.FindStringSubmatch(line)
		if m == nil || tapExcused(m[1]) {
			continue
		}
		body := tapBody(o.lines, i)
		if tapProcessOnly(body) != process {
			continue
		}
		f := failure{Failure: kedge.Failure{Test: m[1], Message: tapMessage(o.lines, i, body)}, at: i}
		f.File, f.Line = tapLocation(body)
		return f, true
	}
	return failure{}, false
}

func tapExcused(title string) bool {
	title = strings.ToUpper(title)
	return strings.Contains(title, "# TODO") || strings.Contains(title, "# SKIP")
}

// tapBody is what a test says about itself: a YAML block, or comments.
func tapBody(lines []string, at int) []string {
	depth := indent(lines[at])
	return until(lines, at+1, func(l string) bool {
		return !blank(l) && indent(l) <= depth && !strings.HasPrefix(strings.TrimSpace(l), "#") || strings.Contains(l, "# Subtest: ")
	})
}

// tapProcessOnly tells whether a block speaks of the end of a process and of no
// assertion.
func tapProcessOnly(body []string) bool {
	ended := false
	for _, l := range body {
		ended = ended || tapExit.MatchString(l)
		if m := tapError.FindStringSubmatch(l); m != nil && m[1]+m[2]+m[4] != "test failed" {
			return false
		}
	}
	return ended
}

// tapMessage is the error of the YAML block, or how the values differ, or the
// comments, or all that was said about it, or what was printed right before it.
func tapMessage(lines []string, at int, body []string) string {
	for _, say := range []func([]string) string{tapJSON, tapErrorText, tapDifference, tapValues, tapComments, tapRest} {
		if msg := say(body); !blank(msg) {
			return tapBefore(lines, at, msg)
		}
	}
	return tapBefore(lines, at, strings.TrimSpace(lines[at]))
}

// tapBefore puts in front what a test of git's kind printed with -v: all of it stands
// before the verdict.
func tapBefore(lines []string, at int, msg string) string {
	shown := above(lines, at, gitCase.MatchString)
	if first := at - len(shown) - 1; first < 0 || !gitCase.MatchString(lines[first]) {
		return msg
	}
	for i, l := range shown { // the test itself ends with a blank line
		if blank(l) {
			return join(shown[i+1:])
		}
	}
	return msg
}

// tapJSON reads a block that is JSON, as deno's.
func tapJSON(body []string) string {
	d, _ := tapDecode(body)
	return strings.TrimSpace(join(jsMessage(denoPlain(clean(d.Message, maxBlock)))))
}

type tapDiagnosis struct {
	Message string `json:"message"`
	At      struct {
		File string `json:"file"`
		Line int    `json:"line"`
	} `json:"at"`
}

func tapDecode(body []string) (tapDiagnosis, bool) {
	for _, l := range body[:min(len(body), 3)] {
		var d tapDiagnosis
		if l = strings.TrimSpace(l); strings.HasPrefix(l, "{") && json.Unmarshal([]byte(l), &d) == nil {
			return d, true
		}
	}
	return tapDiagnosis{}, false
}

func tapErrorText(body []string) string {
	for i, l := range body {
		m := tapError.FindStringSubmatch(l)
		switch {
		case m == nil:
		case m[3] != "":
			return join(tapNested(body, i))
		default:
			return m[1] + m[2] + m[4]
		}
	}
	return ""
}

// tapNested gives the lines that are indented below one.
func tapNested(body []string, at int) []string {
	return until(body, at+1, func(l string) bool { return !blank(l) && indent(l) <= indent(body[at]) })
}

func tapDifference(body []string) string {
	for i, l := range body {
		if tapDiff.MatchString(l) {
			return join(tapNested(body, i))
		}
	}
	return ""
}

// tapValues gives what was wanted and what was found.
func tapValues(body []string) string {
	var said []string
	for i, l := range body {
		m := tapValue.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		value := m[2]
		if tapBlock.MatchString(value) {
			value = strings.TrimSpace(join(tapNested(body, i)))
		}
		said = append(said, m[1]+": "+value)
	}
	if len(said) < 2 {
		return ""
	}
	return join(said)
}

func tapComments(body []string) string {
	var said []string
	for _, l := range body {
		if tapComment.MatchString(l) && !rulerLine(l) {
			said = append(said, tapComment.ReplaceAllString(l, "$1"))
		}
	}
	if rest := slices.DeleteFunc(slices.Clone(said), perlHead.MatchString); len(rest) > 0 {
		return join(rest)
	}
	return join(said)
}

func tapRest(body []string) string {
	var said []string
	for _, l := range body {
		if !rulerLine(l) {
			said = append(said, l)
		}
	}
	return join(said)
}

// tapLocation prefers the innermost frame over the place of the whole test.
func tapLocation(body []string) (string, int) {
	if d, ok := tapDecode(body); ok {
		if file, line := jsPlace(clean(d.Message, maxBlock)); file != "" {
			return file, line
		}
		if d.At.File != "" && d.At.Line >= 0 {
			return d.At.File, d.At.Line
		}
	}
	file, line := placeIn(body, tapFrame)
	for _, p := range []*lazyre.Regexp{tapPlace, tapTest, tapSaid} {
		if file != "" && ours(file) {
			break
		}
		if f, l := placeIn(body, p); f != "" {
			file, line = f, l
		}
	}
	if file == "" {
		file, line = tapKeys(body)
	}
	if file == "" {
		file, line = tapMentioned(body)
	}
	return file, number(line)
}

// tapKeys reads a place whose file and line are two keys of one map.
func tapKeys(body []string) (file, line string) {
	for i, l := range body {
		f := tapFile.FindStringSubmatch(l)
		if f == nil {
			continue
		}
		for _, near := range body[max(i-2, 0):min(i+3, len(body))] {
			if n := tapLine.FindStringSubmatch(near); n != nil && indent(near) == indent(l) {
				return f[1], n[1]
			}
		}
	}
	return "", ""
}

// tapMentioned takes a place out of a comment that complains.
func tapMentioned(body []string) (file, line string) {
	for _, l := range body {
		if tapComment.MatchString(l) && hasPlace(l) && Complains(l) {
			if m := place.FindStringSubmatch(l); m != nil {
				return m[1], m[2]
			}
		}
	}
	return "", ""
}

var (
	perlFailed = lazyre.New(`^(\s*)#\s+Failed test(?: '(.*)')?(?: at (\S+) line (\d+)\.?)?(?: at .*)?$`)
	perlHead   = lazyre.New(`^\s*(?:Failed test\b.*|at \S+ line \d+\.)$`)
	perlAt     = lazyre.New(`^\s*#?\s*(?:.* )?at (\S+) line (\d+)\.?$`)
	proveFile  = lazyre.New(`^(\S+) \.{2,} ?$`)
	proveDone  = lazyre.New(`^\S+ \.{2,} ?(?:ok|skipped|Dubious|Failed)\b`)
	proveEnd   = lazyre.New(`^Test Summary Report$`)
)

// perlTest reads what Test::More says about a test, also where prove hides the test
// itself.
var perlTest = rule{keys{"Failed test"}, perlFailed, func(o output, at int, m []string) (failure, bool) {
	body := until(o.lines, at+1, func(l string) bool {
		return !tapComment.MatchString(l) || strings.Contains(l, "Failed test") || strings.Contains(l, "# Looks like ")
	})
	file, line := m[3], m[4]
	if file == "" {
		file, line = placeIn(body[:min(len(body), 2)], perlAt)
	}
	msg := tapComments(body)
	if blank(msg) {
		msg = strings.TrimSpace(strings.TrimLeft(o.lines[at], " #"))
	}
	return found(m[2], file, line, msg)
}}

// prove reads the first script that prove names as failed, with what it printed.
var prove = rule{keys{" .."}, proveFile, func(o output, at int, m []string) (failure, bool) {
	if at+1 == len(o.lines) || blank(o.lines[at+1]) {
		return failure{}, false
	}
	said := above(o.lines, at, func(l string) bool { return proveDone.MatchString(l) || proveFile.MatchString(l) })
	said = append(said[:len(said):len(said)], until(o.lines, at+1, blank)...)
	file, line := placeIn(said, perlAt)
	if file == "" {
		file = m[1]
	}
	return found("", file, line, join(append(said, proveSummary(o.lines[at:], m[1])...)))
}}

// proveSummary gives what the report at the end says about a script.
func proveSummary(lines []string, script string) []string {
	report := false
	for i, l := range lines {
		report = report || proveEnd.MatchString(l)
		if report && strings.HasPrefix(l, script+" ") {
			return until(lines, i+1, func(n string) bool { return indent(n) == 0 })
		}
	}
	return nil
}

var batsTitle = lazyre.New(`^\s*✗ (.+?)(?: \[\d+\])?$`)

// batsPretty reads bats as it speaks to a terminal.
var batsPretty = rule{keys{"✗ "}, batsTitle, func(o output, at int, m []string) (failure, bool) {
	body := until(o.lines, at+1, func(l string) bool { return blank(l) || indent(l) < 2 })
	file, line := placeIn(body, tapTest)
	if file == "" {
		return failure{}, false
	}
	return found(m[1], file, line, join(body))
}}
