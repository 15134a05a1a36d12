package failure

import (
	"strings"

	"kedge"
	"kedge/internal/text/lazyre"
)

// Test frameworks of C and C++.

var (
	gtestFailed  = lazyre.New(`^((?:[A-Za-z]:)?[^\s:()][^:()]*?)(?::(\d+))?: Failure$`)
	gtestMSVC    = lazyre.New(`^((?:[A-Za-z]:)?[^\s:()][^:()]*)\((\d+)\): error: (.+)`)
	gtestRun     = lazyre.New(`^\[ RUN +\] (\S.*)`)
	gtestBar     = lazyre.New(`^\[ +(?:RUN|OK|FAILED|SKIPPED|PASSED|DISABLED|ERROR|LINE)? *\] |^\[[=-]+\]`)
	cmockaError  = lazyre.New(`^\[ +ERROR +\] --- (.+)`)
	cmockaLine   = lazyre.New(`^\[ +LINE +\] --- (.+):(\d+): error: `)
	catchFailed  = lazyre.New(`^((?:[A-Za-z]:)?[^\s:()][^:()]*)(?::(\d+)|\((\d+)\)): FAILED:$`)
	catchRuler   = lazyre.New(`^-{20,}$`)
	catchEnd     = lazyre.New(`^(?:[-=.~]{20,}|.*: FAILED:)$`)
	doctestError = lazyre.New(`^((?:[A-Za-z]:)?[^\s:()][^:()]*)(?::(\d+)|\((\d+)\)): (?:FATAL )?ERROR: (.+)`)
	doctestCase  = lazyre.New(`^(?:TEST CASE|DEEPEST SUBCASE STACK REACHED.*|SCENARIO): +(.+)`)
	checkFailed  = lazyre.New(`^(?:\d+%: )?((?:[A-Za-z]:)?[^\s:][^:]*):(\d+):[FE]:([^:]*):([^:]*):-?\d+: (.+)`)
	unityFailed  = lazyre.New(`^(?:TEST\(([^()]*)\)\s*)?((?:[A-Za-z]:)?[^\s:()][^:()]*):(\d+):([^:\s]*):FAIL\b:?\s*(.*)`)
	ldUndefined  = lazyre.New(`^(?:\S*\bld(?:\.\w+)?: )?(?:[^\s:]+\.(?:o|obj|a): )?([^\s:()]+):(?:(\d+)|\([^()]*\)): ((?:undefined reference to|multiple definition of) .+)`)
)

// gtest reads the first assertion of GoogleTest that failed.
var gtest = rule{keys{": Failure"}, gtestFailed, func(o output, at int, m []string) (failure, bool) {
	return gtestReport(o, at, m[1], m[2], "")
}}

// gtestWindows is GoogleTest as Visual Studio likes it.
var gtestWindows = rule{keys{"): error: "}, gtestMSVC, func(o output, at int, m []string) (failure, bool) {
	if gtestName(o.lines, at) == "" {
		return failure{}, false
	}
	return gtestReport(o, at, m[1], m[2], m[3])
}}

func gtestReport(o output, at int, file, line, first string) (failure, bool) {
	body := until(o.lines, at+1, func(l string) bool {
		return gtestBar.MatchString(l) || gtestFailed.MatchString(l) || gtestMSVC.MatchString(l)
	})
	if line == "" {
		file = "" // "unknown file": a throw, which has no place
	}
	return found(gtestName(o.lines, at), file, line, join(append([]string{first}, body...)))
}

// gtestName gives the test that was running at a line.
func gtestName(lines []string, at int) string {
	shown := above(lines, at, func(l string) bool { return strings.HasPrefix(l, "[ RUN ") })
	if len(shown) < at {
		if m := gtestRun.FindStringSubmatch(lines[at-len(shown)-1]); m != nil {
			return m[1]
		}
	}
	return ""
}

// gtestCrash reads a test that began last and has no result: the program died in it.
func gtestCrash(o output) (failure, bool) {
	at, name := -1, ""
	for i, line := range o.lines {
		if !strings.HasPrefix(line, "[ ") {
			continue
		}
		if m := gtestRun.FindStringSubmatch(line); m != nil {
			at, name = i, m[1]
		} else if gtestBar.MatchString(line) {
			at = -1
		}
	}
	if at < 0 {
		return failure{}, false
	}
	msg := join(lastOf(o.lines[at+1:], blank))
	if msg == "" {
		msg = o.lines[at]
	}
	return failure{Failure: kedge.Failure{Test: name, Message: msg}, at: at}, true
}

// cmocka reads the error and the line below it.
var cmocka = rule{keys{" ERROR "}, cmockaError, func(o output, at int, m []string) (failure, bool) {
	said := []string{m[1]}
	for _, l := range until(o.lines, at+1, func(l string) bool { return gtestRun.MatchString(l) || strings.HasPrefix(l, "[==") }) {
		if p := cmockaLine.FindStringSubmatch(l); p != nil {
			return found(gtestName(o.lines, at), p[1], p[2], join(said))
		}
		if e := cmockaError.FindStringSubmatch(l); e != nil {
			said = append(said, e[1])
		}
	}
	return found(gtestName(o.lines, at), "", "", join(said))
}}

// catch reads Catch2: the name of the test stands between two rulers above.
var catch = rule{keys{": FAILED:"}, catchFailed, func(o output, at int, m []string) (failure, bool) {
	body := until(o.lines, at+1, catchEnd.MatchString)
	return found(catchName(o.lines, at), m[1], m[2]+m[3], join(body))
}}

func catchName(lines []string, at int) string {
	lower := above(lines, at, catchRuler.MatchString)
	end := at - len(lower) - 1
	if end < 0 {
		return ""
	}
	return strings.Join(tidy(above(lines, end, catchRuler.MatchString)), " > ")
}

// doctest reads the first error of doctest, with the test's name above it.
var doctest = rule{keys{"ERROR: "}, doctestError, func(o output, at int, m []string) (failure, bool) {
	name := doctestName(above(o.lines, at, func(l string) bool { return strings.HasPrefix(l, "=====") }))
	if name == "" {
		return failure{}, false
	}
	body := until(o.lines, at+1, func(l string) bool { return blank(l) || indent(l) == 0 })
	return found(name, m[1], m[2]+m[3], join(append([]string{m[4]}, body...)))
}}

func doctestName(head []string) string {
	for i, l := range head {
		if m := doctestCase.FindStringSubmatch(l); m != nil {
			inner := until(head, i+1, func(n string) bool { return blank(n) || indent(n) == 0 })
			return strings.Join(append([]string{m[1]}, tidy(inner)...), " > ")
		}
	}
	return ""
}

// checkUnit reads Check: place, F or E, case, test, iteration, message.
var checkUnit = rule{keys{":F:", ":E:"}, checkFailed, func(_ output, _ int, m []string) (failure, bool) {
	return found(m[4], m[1], m[2], m[5])
}}

// unity reads Unity and what prints as it does.
var unity = rule{keys{":FAIL"}, unityFailed, func(_ output, _ int, m []string) (failure, bool) {
	msg := m[5]
	if msg == "" {
		msg = "FAIL"
	}
	return found(m[1]+m[4], m[2], m[3], msg)
}}

// linker reads a symbol that is missing, or there twice.
var linker = rule{keys{"defin"}, ldUndefined, ldSymbol}

func ldSymbol(_ output, _ int, m []string) (failure, bool) { return found("", m[1], m[2], m[3]) }
