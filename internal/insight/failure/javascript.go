package failure

import (
	"strings"

	"kedge"
	"kedge/internal/text/lazyre"
)

var (
	jsFrame     = lazyre.New(`^\s*(?:at |❯ ).*?\(?((?:file://)?[^\s()]+?):(\d+):\d+\)?(?: \{)?$`)
	jsCode      = lazyre.New(`^\s*>?\s*\d+ ?\|`)
	jsCodeMark  = lazyre.New(`^\s*>\s*(\d+) ?\|`)
	jestTitle   = lazyre.New(`^\s*● (.+)$`)
	jestFile    = lazyre.New(`^ ?(FAIL|PASS)\s+(?:\S+ )?(\S+\.\w+)`)
	vitestTitle = lazyre.New(`^\s*FAIL\s+(?:\|[^|]*\|\s+)?(\S+\.\w+)(?: > (.+)| \[.*)?$`)
	mochaCount  = lazyre.New(`^\s+\d+ failing$`)
	mochaTitle  = lazyre.New(`^\s+1\) (.+)$`)
	playTitle   = lazyre.New(`^\s+\d+\) (?:\[[^\]]+\] › )?([^\s:]+):(\d+):\d+ › (.+?)[ ─]*$`)
	nodeAt      = lazyre.New(`^test at (\S+):(\d+):\d+$`)
	nodeTitle   = lazyre.New(`^✖ (.+?)(?: \([\d.]+ms\))?$`)
	nodeHead    = lazyre.New(`^((?:file://)?/?[^\s:]*[^\s:]\.[cm]?[jt]sx?|[A-Za-z]:[^\s:]+):(\d+)$`)
	jsError     = lazyre.New(`^(?:error: .|(?:Uncaught )?\w*(?:Error|Exception)\b)`)
)

// jsPlace gives the first frame of the project: JavaScript prints the innermost
// first.
func jsPlace(body []string) (string, int) {
	for _, l := range body {
		if m := jsFrame.FindStringSubmatch(l); m != nil && ours(m[1]) {
			return strings.TrimPrefix(m[1], "file://"), number(m[2])
		}
	}
	return "", 0
}

// jsMessage is what stands before the excerpt of the code and the stack.
func jsMessage(body []string) []string {
	for i, l := range body {
		if jsCode.MatchString(l) || jsFrame.MatchString(l) {
			return body[:i]
		}
	}
	return body
}

// jest reads the first ● of a file that failed.
func jest(o output) (failure, bool) {
	file := ""
	for i, line := range o.lines {
		if m := jestHead(line); m != nil {
			file = ""
			if m[1] == "FAIL" {
				file = m[2]
			}
			continue
		}
		if file == "" || !strings.Contains(line, "● ") {
			continue
		}
		m := jestTitle.FindStringSubmatch(line)
		if m == nil || m[1] == "Console" {
			continue
		}
		return jestBlock(o.lines, i, file, m[1]), true
	}
	return failure{}, false
}

// jestHead matches the line that names a file of tests.
func jestHead(line string) []string {
	if !strings.HasPrefix(strings.TrimPrefix(line, " "), "FAIL") && !strings.HasPrefix(strings.TrimPrefix(line, " "), "PASS") {
		return nil
	}
	return jestFile.FindStringSubmatch(line)
}

func jestBlock(lines []string, at int, file, title string) failure {
	body := until(lines, at+1, func(l string) bool {
		return jestTitle.MatchString(l) || jestFile.MatchString(l) || strings.HasPrefix(l, "Test Suites:")
	})
	for i, l := range body {
		if strings.TrimSpace(l) == "Details:" { // before it stands advice on set-up
			body = body[i+1:]
			break
		}
	}
	f := failure{Failure: kedge.Failure{Test: title, Message: join(jsMessage(body))}, at: at}
	if title == "Test suite failed to run" {
		f.Test = ""
	}
	if f.File, f.Line = jsPlace(body); f.File != "" {
		return f
	}
	f.File = file
	for _, l := range body {
		if m := jsCodeMark.FindStringSubmatch(l); m != nil {
			f.Line = number(m[1])
			break
		}
	}
	return f
}

// vitest reads the first block of its list of failures.
func vitest(o output) (failure, bool) {
	listed := false
	for i, line := range o.lines {
		listed = listed || strings.HasPrefix(line, "⎯⎯") && strings.Contains(line, " Failed ")
		if !listed || !strings.Contains(line, "FAIL ") {
			continue
		}
		m := vitestTitle.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		start := i + 1
		for start < len(o.lines) && vitestTitle.MatchString(o.lines[start]) {
			start++ // tests that failed with the same error share a block
		}
		body := until(o.lines, start, func(l string) bool { return strings.HasPrefix(l, "⎯⎯") || vitestTitle.MatchString(l) })
		f := failure{Failure: kedge.Failure{Test: m[2], File: m[1], Message: join(jsMessage(body))}, at: i}
		if file, line := jsPlace(body); file != "" {
			f.File, f.Line = file, line
		}
		return f, true
	}
	return failure{}, false
}

// mocha reads the first of the numbered failures after the counts.
func mocha(o output) (failure, bool) {
	counted := false
	for i, line := range o.lines {
		counted = counted || strings.HasSuffix(line, " failing") && mochaCount.MatchString(line)
		if !counted {
			continue
		}
		m := mochaTitle.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		names := []string{m[1]}
		j := i + 1
		for !strings.HasSuffix(names[len(names)-1], ":") && j < len(o.lines) && j < i+MaxLines && !blank(o.lines[j]) {
			names = append(names, strings.TrimSpace(o.lines[j]))
			j++
		}
		body := until(o.lines, j, func(l string) bool { return strings.HasPrefix(l, "  2) ") })
		f := failure{Failure: kedge.Failure{Test: strings.TrimSuffix(strings.Join(names, " "), ":")}, at: i}
		f.Message = join(tidy(jsMessage(body)))
		f.File, f.Line = jsPlace(body)
		return f, true
	}
	return failure{}, false
}

// tidy takes the blanks off each line: mocha indents the lines of one message
// differently.
func tidy(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = strings.TrimSpace(l)
	}
	return out
}

// playwright reads the first of its numbered failures.
var playwright = rule{keys{" › "}, playTitle, func(o output, at int, m []string) (failure, bool) {
	return jsReport(m[3], m[1], m[2], until(o.lines, at+1, playTitle.MatchString))
}}

// jsReport is a failure with the place of the innermost frame, else that of the test.
func jsReport(test, file, line string, body []string) (failure, bool) {
	f, _ := found(test, file, line, join(jsMessage(body)))
	if file, line := jsPlace(body); file != "" {
		f.File, f.Line = file, line
	}
	return f, true
}

// nodeTest reads the list of failures at the end of node --test.
var nodeTest = rule{keys{"test at "}, nodeAt, func(o output, at int, m []string) (failure, bool) {
	if at+1 == len(o.lines) {
		return failure{}, false
	}
	title := nodeTitle.FindStringSubmatch(o.lines[at+1])
	if title == nil {
		return failure{}, false
	}
	return jsReport(title[1], m[1], m[2], until(o.lines, at+2, nodeAt.MatchString))
}}

// nodeStack reads a program that ended with an exception that nobody caught.
var nodeStack = rule{keys{"rror", "Exception"}, jsError, func(o output, at int, _ []string) (failure, bool) {
	if !nodeFrames(o.lines, at) {
		return failure{}, false
	}
	body := until(o.lines, at, func(l string) bool { return strings.HasPrefix(l, "Node.js v") })
	file, line := placeIn(o.lines[max(at-6, 0):at], nodeHead)
	file = strings.TrimPrefix(file, "file://")
	if file != "" && strings.HasPrefix(o.lines[at], "SyntaxError") { // the frames are those of whoever loads it
		return found("", file, line, join(jsMessage(body)))
	}
	return jsReport("", file, line, body)
}}

// tapStack reads what node --test passes on as comments of a file that died before its tests.
func tapStack(o output) (failure, bool) {
	plain := make([]string, len(o.lines))
	said := false
	for i, l := range o.lines {
		var is bool
		plain[i], is = strings.CutPrefix(l, "# ")
		said = said || is
	}
	if !said {
		return failure{}, false
	}
	f, ok := nodeStack.first(output{o.command, plain})
	return f, ok && strings.HasPrefix(o.lines[f.at], "# ")
}

// nodeFrames tells whether a stack follows an error's message.
func nodeFrames(lines []string, at int) bool {
	for i := at + 1; i < len(lines) && i < at+MaxLines; i++ {
		if jsFrame.MatchString(lines[i]) && strings.HasPrefix(strings.TrimSpace(lines[i]), "at ") {
			return true
		}
	}
	return false
}
