package failure

import (
	"strings"

	"kedge"
	"kedge/internal/text/lazyre"
)

var (
	goResult   = lazyre.New(`^\s*--- (FAIL|PASS|SKIP): (\S+)`)
	goLocation = lazyre.New(`^\s*([^\s:]+\.go):(\d+): ?(.*)`)
	goFrame    = lazyre.New(`^\t(\S.*\.go):(\d+)`)
	goRunning  = lazyre.New(`^=== (?:RUN|CONT|NAME|PAUSE)\s+(\S*)`)
	goPackage  = lazyre.New(`^FAIL\t(\S+)`)
	goTestFunc = lazyre.New(`\.((?:Test|Fuzz|Example|Benchmark)[\pL\d_]*)`)
	goComplain = lazyre.New(`(?i)\b(want|got|expect(ed)?|unexpected|error|err|fail(ed|ure)?|mismatch|missing|not|must|should|panic|invalid|wrong|timed? ?out)\b|!=`)
	goDiagnose = lazyre.New(`^(?:vet: )?((?:[A-Za-z]:)?[^\s:]+\.go):(\d+)(:\d+)?: (.+)`)
	goTool     = lazyre.New(`\b(go (build|vet|install|run|test|generate)|golangci-lint|staticcheck)\b`)
)

// goTest reads the text of go test, with or without -v.
func goTest(o output) (failure, bool) {
	logs := goLogs{of: map[string][]string{}}
	for i, line := range o.lines {
		switch {
		case strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: "):
			return goCrash(o.lines, i, "")
		case strings.HasPrefix(line, "exit status ") && i+1 < len(o.lines) && goPackage.MatchString(o.lines[i+1]):
			return goExit(o.lines, i), true
		}
		m := logs.add(line)
		if m == nil || m[1] != "FAIL" {
			continue
		}
		return goFailed(o.lines, i, logs)
	}
	return failure{}, false
}

// goLogs keeps what running tests have printed, for -v, where the output comes
// before the result.
type goLogs struct {
	of  map[string][]string
	cur string
}

// add takes one line; it gives the match when the line is a result.
func (g *goLogs) add(line string) []string {
	if strings.HasPrefix(line, "=== ") {
		if m := goRunning.FindStringSubmatch(line); m != nil {
			g.cur = m[1]
		}
		return nil
	}
	if strings.HasPrefix(strings.TrimLeft(line, " "), "--- ") {
		m := goResult.FindStringSubmatch(line)
		if m != nil && m[1] != "FAIL" {
			delete(g.of, m[2])
		}
		return m
	}
	if g.cur != "" && len(g.of[g.cur]) < maxBlock {
		g.of[g.cur] = append(g.of[g.cur], line)
	}
	return nil
}

// goFailed reads the report that begins at a "--- FAIL" line: of nested ones the
// first innermost.
func goFailed(lines []string, at int, logs goLogs) (failure, bool) {
	leaf, name := at, goResult.FindStringSubmatch(lines[at])[2]
	for i := at + 1; i < len(lines) && i < at+maxBlock; i++ {
		m := goResult.FindStringSubmatch(lines[i])
		if m == nil && (lines[i] == "FAIL" || strings.HasPrefix(lines[i], "=== ") || strings.HasPrefix(lines[i], "panic: ")) {
			break
		}
		if m == nil || m[1] != "FAIL" {
			continue
		}
		if !strings.HasPrefix(m[2], name+"/") {
			break
		}
		leaf, name = i, m[2]
	}
	body := goBody(lines, leaf)
	if blank(join(body)) {
		body = logs.of[name]
	}
	if blank(join(body)) && leaf+1 < len(lines) && strings.HasPrefix(lines[leaf+1], "panic: ") {
		return goCrash(lines, leaf+1, name)
	}
	f := failure{Failure: kedge.Failure{Test: name, Message: join(body)}, at: at}
	f.File, f.Line = goPlace(body)
	if strings.Contains(f.Message, "race detected during execution of test") {
		f = goRace(lines, at, f)
	}
	f.Message = withPackage(f.Message, lines, leaf)
	return f, true
}

// goBody is what the test printed under its own line; an example prints at the
// margin.
func goBody(lines []string, leaf int) []string {
	depth := indent(lines[leaf])
	margin := strings.Contains(lines[leaf], "--- FAIL: Example")
	return until(lines, leaf+1, func(l string) bool {
		if goResult.MatchString(l) || l == "FAIL" || strings.HasPrefix(l, "=== ") {
			return true
		}
		return !margin && !blank(l) && indent(l) <= depth
	})
}

// goPlace picks the line that complains: t.Log and t.Error look alike, so the
// first with a word of complaint, else the first.
func goPlace(body []string) (string, int) {
	file, line := "", 0
	for i, l := range body {
		m := goLocation.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		if file == "" {
			file, line = m[1], number(m[2])
		}
		next := ""
		if i+1 < len(body) {
			next = body[i+1]
		}
		if goComplain.MatchString(m[3]) || m[3] == "" && goComplain.MatchString(next) {
			return m[1], number(m[2])
		}
	}
	return file, line
}

// withPackage adds the package, without which a file's bare name says little.
func withPackage(msg string, lines []string, from int) string {
	for _, l := range lines[from:min(len(lines), from+10*maxBlock)] {
		if m := goPackage.FindStringSubmatch(l); m != nil {
			kept := shorten(dedent(strings.Split(msg, "\n")))
			return join(append(kept[:min(len(kept), MaxLines-1)], "package "+m[1]))
		}
	}
	return msg
}

// goRace shows the report of the race instead of the line that only says that
// there was one.
func goRace(lines []string, at int, f failure) failure {
	for i := at - 1; i >= 0 && i > at-maxBlock; i-- {
		if !strings.Contains(lines[i], "WARNING: DATA RACE") {
			continue
		}
		block := until(lines, i, func(l string) bool { return strings.HasPrefix(l, "=====") })
		f.Message = join(block)
		for _, l := range block {
			if m := goStackFrame(l); m != nil {
				f.File, f.Line = m[1], number(m[2])
				return f
			}
		}
	}
	return f
}

var goRaceFrame = lazyre.New(`^\s+(/?\S+\.go):(\d+)`)

func goStackFrame(l string) []string {
	m := goRaceFrame.FindStringSubmatch(l)
	if m == nil || !ours(m[1]) {
		return nil
	}
	return m
}

// goCrash reads a panic or a time-out: its message is what stands before the
// first goroutine.
func goCrash(lines []string, at int, test string) (failure, bool) {
	head := until(lines, at, func(l string) bool {
		return strings.HasPrefix(l, "goroutine ") || strings.HasPrefix(l, "FAIL\t") || strings.HasPrefix(l, "exit status ")
	})
	f := failure{Failure: kedge.Failure{Test: test, Message: join(head)}, at: at}
	if f.Test == "" {
		f.Test = goTimedOut(head)
	}
	f.File, f.Line, f.Test = goTrace(lines, at, f.Test)
	f.Message = withPackage(f.Message, lines, at)
	return f, true
}

var goHanging = lazyre.New(`^\t\t(\S+) \(`)

// goTimedOut gives the test that was running when the time was up.
func goTimedOut(head []string) string {
	for _, l := range head {
		if m := goHanging.FindStringSubmatch(l); m != nil {
			return m[1]
		}
	}
	return ""
}

// goTrace gives the first frame of ours, and the test, if it was not known, from
// the functions on the way. After a time-out the frame is the one in the test.
func goTrace(lines []string, at int, test string) (string, int, string) {
	root, _, _ := strings.Cut(test, "/")
	hangs := strings.Contains(lines[at], "test timed out")
	file, line := "", 0
	for i := at; i+1 < len(lines) && i < at+10*maxBlock; i++ {
		m := goFrame.FindStringSubmatch(lines[i+1])
		if m == nil || !ours(m[1]) {
			continue
		}
		fn := goTestFunc.FindStringSubmatch(lines[i])
		if file == "" && (!hangs || root == "" || fn != nil && fn[1] == root) {
			file, line = m[1], number(m[2])
		}
		if test == "" && fn != nil {
			test = fn[1]
		}
		if file != "" && test != "" {
			break
		}
	}
	return file, line, test
}

// goExit reads a test program that ended by itself: all there is is what it
// printed last.
func goExit(lines []string, at int) failure {
	from := max(at-10, 0)
	for i := at - 1; i >= from; i-- {
		if strings.HasPrefix(lines[i], "ok  \t") || goPackage.MatchString(lines[i]) {
			from = i + 1
		}
	}
	msg := withPackage(join(lines[from:at+1]), lines, at)
	return failure{Failure: kedge.Failure{Message: msg}, at: at}
}

// goPanic reads a Go program that is no test.
func goPanic(o output) (failure, bool) {
	for i, line := range o.lines {
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") {
			return goCrash(o.lines, i, "")
		}
	}
	return failure{}, false
}

// goBuild reads the diagnostics of the compiler, vet and the linters. A log line
// has the same form, so one without a column counts only under a "# package"
// line or when the command is one of the go tool.
func goBuild(o output) (failure, bool) {
	under, tool := false, goTool.MatchString(o.command)
	for i, line := range o.lines {
		if strings.HasPrefix(line, "# ") {
			under = true
			continue
		}
		var m []string
		if strings.Contains(line, ".go:") {
			m = goDiagnose.FindStringSubmatch(line)
		}
		if m == nil || m[3] == "" && !under && !tool {
			under = under && m != nil
			continue
		}
		more := until(o.lines, i+1, func(l string) bool { return !strings.HasPrefix(l, "\t") })
		msg := join(append([]string{m[4]}, more...))
		return failure{Failure: kedge.Failure{File: m[1], Line: number(m[2]), Message: msg}, at: i}, true
	}
	return failure{}, false
}
