package failure

import (
	"slices"
	"strings"

	"kedge"
	"kedge/internal/text/lazyre"
)

var (
	tscPlain  = lazyre.New(`^(\S[^()]*)\((\d+),\d+\): error (.+)`)
	tscPretty = lazyre.New(`^(\S[^:]*):(\d+):\d+ - error (.+)`)
	lintLine  = lazyre.New(`^\s+(\d+):\d+\s+error\s+(\S.*)`)
	lintFile  = lazyre.New(`^\S.*[/.]\w+$`)
	ccLine    = lazyre.New(`^(?::\w+)*((?:[A-Za-z]:)?[^\s:()][^:()]*):(\d+):(?:\d+:)? (?:fatal )?error(?:\[\w+\])?: (.+)`)
	place     = lazyre.New(`(?:^|[\s("'\[])((?:[A-Za-z]:)?[\w./\\@+~-]*\w\.\w+|Makefile|Dockerfile):(\d+)(?::\d+)?\b:?`)
	bareError = lazyre.New(`^\S+:\d+:\d+:? \[?[A-Z]+\d{2,}\b`)
	words     = lazyre.New(`(?i)\b(errors?|\w+error|fail(s|ed|ure|ures)?|fatal|panic(ked)?|\w*exception|abort(ed)?|cannot|can't|could not|segmentation fault|assert(ion)?|not found|no such file|denied|undefined|unexpected|killed|timed out|refused)\b`)
	noWords   = lazyre.New(`(?i)\b(0|no|without) (errors?|fail(ed|ures?))\b|\b(errors?|fail(ed|ures?))[:=]\s*0\b`)
	passing   = lazyre.New(`^\s*(\[INFO\]|ok\b|PASS(ED)?\b|--- PASS|✓|✔|√|\[ ?OK|test .* \.\.\. ok$)`)
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
var (
	tsc      = rule{keys{": error "}, tscPlain, diagnostic}
	tscShown = rule{keys{" - error "}, tscPretty, diagnostic}
)

// diagnostic is a line of a compiler: file, line, message.
func diagnostic(o output, at int, m []string) (failure, bool) {
	return report(o, at, m[1], m[2], m[3]), true
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
var compiler = rule{keys{"error"}, ccLine, diagnostic}

// Complains tells whether a line speaks of an error and does not only say that
// there was none.
func Complains(line string) bool {
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
		if !hasPlace(line) || !Complains(line) && !bareError.MatchString(line) {
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

// placeFirst takes the first line that begins with a place: of a program that is known to
// have failed it needs no error word.
func placeFirst(o output) (failure, bool) {
	for i, line := range o.lines {
		if !hasPlace(line) {
			continue
		}
		if m := place.FindStringSubmatchIndex(line); m != nil && m[0] == 0 && len(line) > m[1] {
			return report(o, i, line[m[2]:m[3]], line[m[4]:m[5]], strings.TrimLeft(line[m[1]:], " :-")), true
		}
	}
	return failure{}, false
}

// worded is the second half: the first line with an error word.
func worded(o output) (failure, bool) {
	for i, line := range o.lines {
		if Complains(line) && !makeLine.MatchString(line) && !bookkeeping(line) {
			return report(o, i, "", "", line), true
		}
	}
	return failure{}, false
}

// ending shows the last lines when nothing in the output speaks of an error.
func ending(o output) (failure, bool) {
	last := lastOf(o.lines, func(l string) bool { return blank(l) || rulerLine(l) || bookkeeping(l) })
	if len(last) == 0 {
		last = lastOf(o.lines, blank)
	}
	return failure{Failure: kedge.Failure{Message: join(last)}}, len(last) > 0
}

// lastOf gives the last lines that are not left out.
func lastOf(lines []string, left func(string) bool) []string {
	var last []string
	for at := len(lines) - 1; at >= 0 && len(last) < lastLines; at-- {
		if !left(lines[at]) {
			last = append(last, lines[at])
		}
	}
	slices.Reverse(last)
	return last
}

// lastLines is how much of an output without a known form is shown.
const lastLines = 10

// rulerLine tells whether a line only separates others.
func rulerLine(line string) bool {
	return strings.Trim(line, " \t-=~_*.#+|─━―⎯═│") == ""
}
