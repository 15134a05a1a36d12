package condense

import (
	"strings"

	"kedge"
	"kedge/internal/text/lazyre"
)

var (
	tscPlain  = lazyre.New(`^(\S[^()]*)\((\d+),\d+\): error (.+)`)
	tscPretty = lazyre.New(`^(\S[^:]*):(\d+):\d+ - error (.+)`)
	lintLine  = lazyre.New(`^\s+(\d+):\d+\s+error\s+(\S.*)`)
	lintFile  = lazyre.New(`^\S.*[/.]\w+$`)
	ccLine    = lazyre.New(`^(?::\w+)*((?:[A-Za-z]:)?[^\s:()][^:()]*):(\d+):(?:\d+:)? (?:fatal )?error: (.+)`)
	place     = lazyre.New(`(?:^|[\s("'\[])((?:[A-Za-z]:)?[\w./\\@+~-]*\w\.\w+|Makefile|Dockerfile):(\d+)(?::\d+)?\b:?`)
	bareError = lazyre.New(`^\S+:\d+:\d+:? \[?[A-Z]+\d{2,}\b`)
	makeLine  = lazyre.New(`^(?:g?make|ninja)(?:\[\d+\])?: \*\*\* (?:\[([^\s:\]]+):(\d+):)?`)
	makeParse = lazyre.New(`^([^\s:]+):(\d+): \*\*\* (.+)`)
	words     = lazyre.New(`(?i)\b(errors?|\w+error|fail(s|ed|ure|ures)?|fatal|panic(ked)?|\w*exception|abort(ed)?|cannot|can't|could not|segmentation fault|assert(ion)?|not found|no such file|denied|undefined|unexpected|killed|timed out|refused)\b`)
	noWords   = lazyre.New(`(?i)\b(0|no|without) (errors?|fail(ed|ures?))\b|\b(errors?|fail(ed|ures?))[:=]\s*0\b`)
	passing   = lazyre.New(`^\s*(\[INFO\]|ok\b|PASS(ED)?\b|--- PASS|✓|✔|√|\[ ?OK|test .* \.\.\. ok$)`)
	tapNotOK  = lazyre.New(`^\s*not ok \d+(?: -)? ?(.*)$`)
	tapKey    = lazyre.New(`^\s*(error|message): ?(?:'(.*)'|"(.*)"|(\|-?|>-?)|(.*))$`)
	tapPlace  = lazyre.New(`^\s*(?:at|location|file): ?'?([^\s']+?):(\d+)(?::\d+)?'?$`)
	tapFrame  = lazyre.New(`^\s+\S.* \(([^\s()]+):(\d+):\d+\)$`)
)

// report makes the failure of a diagnostic: its own text and the lines indented
// below it.
func report(o output, at int, file, line, msg string) failure {
	more := until(o.lines, at+1, func(l string) bool { return blank(l) || indent(l) == 0 })
	return failure{
		Failure: kedge.Failure{File: file, Line: number(line), Message: join(append([]string{msg}, more[:min(len(more), 8)]...))},
		at:      at,
	}
}

// tsc reads the TypeScript compiler, plain and pretty.
func tsc(o output) (failure, bool) {
	for i, line := range o.lines {
		if !strings.Contains(line, "error") {
			continue
		}
		if m := tscPlain.FindStringSubmatch(line); m != nil {
			return report(o, i, m[1], m[2], m[3]), true
		}
		if m := tscPretty.FindStringSubmatch(line); m != nil {
			return report(o, i, m[1], m[2], m[3]), true
		}
	}
	return failure{}, false
}

// eslint reads the first error, not warning, below the name of a file.
func eslint(o output) (failure, bool) {
	file := ""
	for i, line := range o.lines {
		if indent(line) == 0 {
			file = ""
			if lintFile.MatchString(line) {
				file = line
			}
			continue
		}
		if file == "" || !strings.Contains(line, "error") {
			continue
		}
		if m := lintLine.FindStringSubmatch(line); m != nil {
			return failure{Failure: kedge.Failure{File: file, Line: number(m[1]), Message: strings.Join(strings.Fields(m[2]), " ")}, at: i}, true
		}
	}
	return failure{}, false
}

// compiler reads "path:line: error: message", which most compilers print; Gradle
// prints the name of its task right before it.
func compiler(o output) (failure, bool) {
	for i, line := range o.lines {
		if !strings.Contains(line, "error: ") {
			continue
		}
		if m := ccLine.FindStringSubmatch(line); m != nil {
			return report(o, i, m[1], m[2], m[3]), true
		}
	}
	return failure{}, false
}

// tap reads the first "not ok" of the Test Anything Protocol that is neither to
// do nor skipped; nested ones come before the one that holds them.
func tap(o output) (failure, bool) {
	for i, line := range o.lines {
		if !strings.Contains(line, "not ok ") {
			continue
		}
		m := tapNotOK.FindStringSubmatch(line)
		if m == nil || strings.Contains(strings.ToUpper(m[1]), "# TODO") || strings.Contains(strings.ToUpper(m[1]), "# SKIP") {
			continue
		}
		depth := indent(line)
		body := until(o.lines, i+1, func(l string) bool {
			return !blank(l) && indent(l) <= depth && !strings.HasPrefix(strings.TrimSpace(l), "#") || strings.Contains(l, "# Subtest: ")
		})
		f := failure{Failure: kedge.Failure{Test: m[1], Message: tapMessage(body)}, at: i}
		f.File, f.Line = tapLocation(body)
		return f, true
	}
	return failure{}, false
}

// tapMessage is the error of the YAML block, or all that was said about it.
func tapMessage(body []string) string {
	for i, l := range body {
		m := tapKey.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		if m[4] == "" {
			return m[2] + m[3] + m[5]
		}
		return join(until(body, i+1, func(n string) bool { return !blank(n) && indent(n) <= indent(l) }))
	}
	return join(body)
}

// tapLocation prefers the innermost frame over the place of the whole test.
func tapLocation(body []string) (string, int) {
	file, line := "", 0
	for _, l := range body {
		if m := tapFrame.FindStringSubmatch(l); m != nil && ours(m[1]) {
			return m[1], number(m[2])
		}
		if m := tapPlace.FindStringSubmatch(l); m != nil && file == "" {
			file, line = m[1], number(m[2])
		}
	}
	return file, line
}

// complains tells whether a line speaks of an error and does not only say that
// there was none.
func complains(line string) bool {
	return hasStem(line) && words.MatchString(line) && !noWords.MatchString(line) && !passing.MatchString(line)
}

// stems are parts of all the words above. Looking for them first makes long logs
// without a complaint many times faster to read.
var stems = []string{
	"err", "fail", "fatal", "panic", "excep", "abort", "cannot", "can't", "could", "fault", "assert", "not found", "no such", "denied", "undef", "unexp", "kill", "timed", "refus",
}

func hasStem(line string) bool {
	line = strings.ToLower(line)
	for _, s := range stems {
		if strings.Contains(line, s) {
			return true
		}
	}
	return false
}

// hasPlace is a quick look for a colon before a digit.
func hasPlace(line string) bool {
	for i := strings.IndexByte(line, ':'); i >= 0 && i+1 < len(line); {
		if c := line[i+1]; c >= '0' && c <= '9' {
			return true
		}
		n := strings.IndexByte(line[i+1:], ':')
		if n < 0 {
			return false
		}
		i += 1 + n
	}
	return false
}

// located is the general rule's first half: a place and an error word in one
// line, or a place and a linter's code.
func located(o output) (failure, bool) {
	for i, line := range o.lines {
		if !hasPlace(line) || !complains(line) && !bareError.MatchString(line) {
			continue
		}
		m := place.FindStringSubmatchIndex(line)
		if m == nil || makeParse.MatchString(line) || makeLine.MatchString(line) {
			continue
		}
		msg := line
		if m[0] == 0 && len(line) > m[1] {
			msg = strings.TrimLeft(line[m[1]:], " :-")
		}
		return report(o, i, line[m[2]:m[3]], line[m[4]:m[5]], msg), true
	}
	return failure{}, false
}

// makeError reads make's own complaint, with what the recipe printed before.
func makeError(o output) (failure, bool) {
	for i, line := range o.lines {
		if !strings.Contains(line, "***") {
			continue
		}
		if m := makeParse.FindStringSubmatch(line); m != nil {
			return failure{Failure: kedge.Failure{File: m[1], Line: number(m[2]), Message: m[3]}, at: i}, true
		}
		if m := makeLine.FindStringSubmatch(line); m != nil {
			msg := join(o.lines[max(i-5, 0) : i+1])
			return failure{Failure: kedge.Failure{File: m[1], Line: number(m[2]), Message: msg}, at: i}, true
		}
	}
	return failure{}, false
}

// worded is the second half: the first line with an error word.
func worded(o output) (failure, bool) {
	for i, line := range o.lines {
		if complains(line) && !makeLine.MatchString(line) {
			return report(o, i, "", "", line), true
		}
	}
	return failure{}, false
}

// ending shows the last lines when nothing in the output speaks of an error.
func ending(o output) (failure, bool) {
	var last []string
	at := len(o.lines)
	for at > 0 && len(last) < 10 {
		at--
		if !blank(o.lines[at]) {
			last = append([]string{o.lines[at]}, last...)
		}
	}
	return failure{Failure: kedge.Failure{Message: join(last)}, at: at}, len(last) > 0
}
