package failure

import (
	"strings"

	"kedge"
	"kedge/internal/text/lazyre"
)

var (
	pyFrame     = lazyre.New(`^\s*(?:E\s+)?File "([^"]+)", line (\d+)`)
	pyPlace     = lazyre.New(`^([^\s:][^:]*\.\w+):(\d+): `)
	pySection   = lazyre.New(`^=+ (ERRORS|FAILURES) =+$`)
	pyTitle     = lazyre.New(`^_{3,} (.+?) _{3,}$`)
	pySummary   = lazyre.New(`^(FAILED|ERROR) (\S.*?)(?: - (.*))?$`)
	pyException = lazyre.New(`^[\pL_][\w.]*(?:: .*|Error|Exception|Interrupt|Exit)?$`)
	pyUnit      = lazyre.New(`^(?:FAIL|ERROR): (\S+)(?: \(([^)]+)\))?`)
	pySyntaxErr = lazyre.New(`^(?:SyntaxError|IndentationError|TabError): `)
)

const pyTraceHead = "Traceback (most recent call last):"

// pytest reads the first block under ERRORS or FAILURES; without blocks (--tb=no
// and =line) the first line of the summary.
func pytest(o output) (failure, bool) {
	for i, line := range o.lines {
		if !strings.HasPrefix(line, "=") || !pySection.MatchString(line) {
			continue
		}
		if i+1 >= len(o.lines) {
			break
		}
		if m := pyTitle.FindStringSubmatch(o.lines[i+1]); m != nil {
			return pyBlock(o.lines, i+1, m[1]), true
		}
		return pyOneLine(o.lines, i+1)
	}
	return pySummarised(o.lines, 0)
}

// pyBlock reads one failure's block; its message is the lines marked E, or with
// --tb=native the end of the traceback.
func pyBlock(lines []string, title int, name string) failure {
	body := until(lines, title+1, func(l string) bool {
		return pyTitle.MatchString(l) || strings.HasPrefix(l, "=====") || strings.HasPrefix(l, "----- ") || strings.HasPrefix(l, "------")
	})
	f := failure{at: title}
	f.Test = pyName(lines, title, name)
	f.File, f.Line = pyDeepest(body)
	if file, ok := strings.CutPrefix(name, "ERROR collecting "); ok {
		f.Test = ""
		if f.File == "" {
			f.File = file
		}
	}
	if id, _, ok := strings.Cut(f.Test, "::"); ok && f.File == "" {
		f.File = id
	}
	f.Message = pyMarked(body)
	if f.Message == "" {
		f.Message = pyRaised(body)
	}
	return f
}

// pyMarked gives the lines marked E without the mark.
func pyMarked(body []string) string {
	var out []string
	for _, l := range body {
		if l == "E" || strings.HasPrefix(l, "E  ") {
			out = append(out, l[1:])
		}
	}
	return join(out)
}

// pyName finds the id in the summary that belongs to a block's title, because
// that can be given to pytest again; else the title itself.
func pyName(lines []string, from int, title string) string {
	for _, phase := range []string{"ERROR at setup of ", "ERROR at teardown of ", "ERROR at call of "} {
		title = strings.TrimPrefix(title, phase)
	}
	want := "::" + strings.ReplaceAll(title, ".", "::")
	for _, l := range lines[from:] {
		if !strings.HasPrefix(l, "FAILED ") && !strings.HasPrefix(l, "ERROR ") {
			continue
		}
		m := pySummary.FindStringSubmatch(l)
		if m != nil && (strings.HasSuffix(m[2], want) || strings.HasSuffix(m[2], "::"+title)) {
			return m[2]
		}
	}
	return title
}

// pyDeepest gives the innermost frame of the project.
func pyDeepest(body []string) (string, int) {
	file, line := "", 0
	for _, l := range body {
		m := pyFrame.FindStringSubmatch(l)
		if m == nil {
			m = pyPlace.FindStringSubmatch(l + " ")
		}
		if m != nil && ours(m[1]) {
			file, line = m[1], number(m[2])
		}
	}
	return file, line
}

// pyOneLine reads --tb=line, which has no names; the summary has them.
func pyOneLine(lines []string, at int) (failure, bool) {
	m := pyPlace.FindStringSubmatch(lines[at] + " ")
	if m == nil {
		return failure{}, false
	}
	f := failure{at: at}
	f.File, f.Line, f.Message = m[1], number(m[2]), strings.TrimSpace(lines[at][len(m[0]):])
	if s, ok := pySummarised(lines, at); ok {
		f.Test = s.Test
	}
	return f, true
}

// pySummarised reads the first line of the short summary and what belongs to it.
func pySummarised(lines []string, from int) (failure, bool) {
	start := -1
	for i := from; i < len(lines); i++ {
		if strings.HasPrefix(lines[i], "=") && strings.Contains(lines[i], " short test summary info ") {
			start = i
			break
		}
	}
	for i := start + 1; start >= 0 && i < len(lines); i++ {
		m := pySummary.FindStringSubmatch(lines[i])
		if m == nil {
			continue
		}
		more := until(lines, i+1, func(l string) bool {
			return pySummary.MatchString(l) || strings.HasPrefix(l, "=") || pyTotals.MatchString(l)
		})
		f := failure{Failure: kedge.Failure{Test: m[2], Message: join(append([]string{m[3]}, more...))}, at: i}
		f.File, _, _ = strings.Cut(m[2], "::")
		return f, true
	}
	return failure{}, false
}

// unittest reads the first report of Python's own runner.
func unittest(o output) (failure, bool) {
	for i := 0; i+1 < len(o.lines); i++ {
		if !strings.HasPrefix(o.lines[i], "=====") {
			continue
		}
		m := pyUnit.FindStringSubmatch(o.lines[i+1])
		if m == nil {
			continue
		}
		body := until(o.lines, i+3, func(l string) bool { return strings.HasPrefix(l, "=====") || strings.HasPrefix(l, "-----") })
		f := failure{Failure: kedge.Failure{Test: m[1], Message: pyRaised(body)}, at: i}
		if m[2] != "" {
			f.Test = m[2]
			if !strings.HasSuffix(m[2], "."+m[1]) {
				f.Test += "." + m[1]
			}
		}
		f.File, f.Line = pyDeepest(body)
		return f, true
	}
	return failure{}, false
}

// pyRaised gives what stands at the end of a traceback: the exception and the
// rest of its text. Of chained tracebacks it is the last one's.
func pyRaised(body []string) string {
	start := -1
	for i, l := range body {
		if l == pyTraceHead || pyFrame.MatchString(l) {
			start = -1
		} else if start < 0 && indent(l) == 0 && pyException.MatchString(l) {
			start = i
		}
	}
	if start < 0 {
		return join(body)
	}
	return strings.TrimSpace(join(body[start:]))
}

// pythonTraceback reads a program that ended with an exception, chained ones up
// to the last.
func pythonTraceback(o output) (failure, bool) {
	for i, line := range o.lines {
		if !strings.HasSuffix(line, pyTraceHead) {
			continue
		}
		body := pyChain(o.lines, i)
		f := failure{Failure: kedge.Failure{Message: pyRaised(body)}, at: i}
		f.File, f.Line = pyDeepest(body[pyLastHead(body):])
		return f, true
	}
	return failure{}, false
}

// pyChain gives a traceback and those that say they were caused by it. Each ends
// with its exception, the first line at the margin, and a blank line or the end.
func pyChain(lines []string, at int) []string {
	i := at + 1
	for i < len(lines) && i < at+10*maxBlock {
		for i < len(lines) && (indent(lines[i]) > 0 || blank(lines[i])) {
			i++
		}
		end := i
		for end < len(lines) && end < i+MaxLines && !blank(lines[end]) && !makeComplains(lines[end]) {
			end++
		}
		next := end + 3
		if next >= len(lines) || !strings.Contains(lines[end+1], " exception") || !strings.HasSuffix(lines[next], pyTraceHead) {
			return lines[at:end]
		}
		i = next + 1
	}
	return lines[at:min(i, len(lines))]
}

func pyLastHead(body []string) int {
	for i := len(body) - 1; i > 0; i-- {
		if strings.HasSuffix(body[i], pyTraceHead) {
			return i
		}
	}
	return 0
}

// pythonSyntax reads a program that does not compile: no traceback, only the
// place.
var pythonSyntax = rule{keys{"Error"}, pySyntaxErr, func(o output, at int, _ []string) (failure, bool) {
	for j := at - 1; j >= 0 && j >= at-5; j-- {
		if m := pyFrame.FindStringSubmatch(o.lines[j]); m != nil {
			return found("", m[1], m[2], join(append([]string{o.lines[at]}, o.lines[j+1:at]...)))
		}
	}
	return failure{}, false
}}
