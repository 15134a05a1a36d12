package failure

import (
	"slices"
	"strings"

	"kedge"
	"kedge/internal/text/lazyre"
)

// Programs that build, or start tests, and print what those said in between.

var (
	makeLine   = lazyre.New(`^(?:g?make|ninja)(?:\[\d+\])?: \*\*\* (?:\[([^\s:\]]+):(\d+):)?`)
	makeParse  = lazyre.New(`^([^\s:]+):(\d+): \*\*\* (.+)`)
	makeDir    = lazyre.New(`^(?:g?make(?:\[(\d+)\])?|ninja): (Entering|Leaving) directory [` + "`" + `'"](.+)['"]$`)
	chatter    = lazyre.New(`^(?:g?make(?:\[\d+\])?: (?:(?:Entering|Leaving) directory|Target .* not remade|Nothing to be done|.* is up to date|\*\*\* Waiting for)|ninja: (?:Entering directory|build stopped|no work to do)|Errors while running CTest)`)
	cmakeError = lazyre.New(`^CMake Error(?: at ([^\s:]+):(\d+) \(.*\)| in (\S+))?:\s*(.*)$`)
	ctestLine  = lazyre.New(`^ *\d+/\d+ +Test +#\d+: (.+?) \.*\s*(\S.*)?\*\*\*(.+?)\s+[\d.]+ sec`)
	ctestStart = lazyre.New(`^(?: *Start +\d+: | *\d+/\d+ +Test +#|\d+% tests passed)`)
	ctestFrom  = lazyre.New(`^(\d+): Test command: `)
	ctestOf    = lazyre.New(`^\d+: ?`)
	ctestHead  = lazyre.New(`^(?:Test command: |Working Directory: |Test timeout computed|Environment variables:)`)
	mesonLine  = lazyre.New(`^ *\d+/\d+ (.+?) +(?:FAIL|ERROR|TIMEOUT|UNEXPECTEDPASS) +[\d.]+s`)
	mesonRuler = lazyre.New(`^―+(?: ✀ +―+)?$`)
	mesonNext  = lazyre.New(`^(?: *\d+/\d+ .+ [\d.]+s\b|Ok: +\d+|Summary of Failures)`)
	ninjaLine  = lazyre.New(`^FAILED: (?:\[code=\d+\] )?(\S.*?) *$`)
	ninjaNext  = lazyre.New(`^(?:\[\d+/\d+\] |ninja: |FAILED: )`)
)

// bookkeeping tells whether a line is what a build tool says about its own work.
func bookkeeping(line string) bool { return strings.Contains(line, " ") && chatter.MatchString(line) }

// withoutChatter leaves out what a build tool says about its own work, unless there is
// nothing else.
func withoutChatter(lines []string) []string {
	for _, left := range []func(string) bool{bookkeeping, makeDir.MatchString} {
		if rest := slices.DeleteFunc(slices.Clone(lines), left); !blank(join(rest)) {
			return rest
		}
	}
	return lines
}

// makeComplains tells whether a line is the end of a recipe that failed.
func makeComplains(line string) bool {
	return strings.Contains(line, ": *** ") && makeLine.MatchString(line)
}

// makeError reads make's own complaint, with what the recipe printed before.
func makeError(o output) (failure, bool) {
	for i, line := range o.lines {
		if !strings.Contains(line, "***") || bookkeeping(line) {
			continue
		}
		if m := makeParse.FindStringSubmatch(line); m != nil {
			return failure{Failure: kedge.Failure{File: m[1], Line: number(m[2]), Message: m[3]}, at: i}, true
		}
		if m := makeLine.FindStringSubmatch(line); m != nil {
			return failure{Failure: kedge.Failure{File: m[1], Line: number(m[2]), Message: join(append(recipe(o.lines, i), line))}, at: i}, true
		}
	}
	return failure{}, false
}

// recipe gives what was printed before make complained, without make's own lines.
func recipe(lines []string, at int) []string {
	shown := above(lines, at, func(l string) bool { return makeLine.MatchString(l) || makeDir.MatchString(l) })
	return lastOf(shown, func(l string) bool { return blank(l) || bookkeeping(l) })
}

// makeFolder names the folder in which make was when it printed a failure whose file
// is relative to it. With several open at once it is not known, and not said.
func makeFolder(lines []string, f failure) string {
	if f.File == "" || strings.HasPrefix(f.File, "/") {
		return ""
	}
	var open []entered
	for _, l := range lines[:min(f.at, len(lines))] {
		if strings.Contains(l, "ing directory ") {
			if m := makeDir.FindStringSubmatch(l); m != nil {
				open = enter(open, m)
			}
		}
	}
	if dir := deepest(open); dir != "" {
		return "\nin " + dir
	}
	return ""
}

// entered is a folder that a make of some depth works in.
type entered struct {
	depth int
	dir   string
}

// maxOpen bounds how many folders are remembered at once.
const maxOpen = 64

func enter(open []entered, m []string) []entered {
	e := entered{depth: number(m[1]), dir: m[3]}
	if m[2] == "Entering" {
		if len(open) < maxOpen {
			open = append(open, e)
		}
		return open
	}
	for i := len(open) - 1; i >= 0; i-- {
		if open[i] == e {
			return append(open[:i:i], open[i+1:]...)
		}
	}
	return open
}

// deepest gives the folder of the innermost make, "" when there are two.
func deepest(open []entered) string {
	most, dir := -1, ""
	for _, e := range open {
		switch {
		case e.depth > most:
			most, dir = e.depth, e.dir
		case e.depth == most && e.dir != dir:
			dir = ""
		}
	}
	return dir
}

// cmake reads what CMake refuses to configure.
var cmake = rule{keys{"CMake Error"}, cmakeError, func(o output, at int, m []string) (failure, bool) {
	body := until(o.lines, at+1, func(l string) bool { return !blank(l) && indent(l) == 0 })
	said := m[4]
	if said == "" && blank(join(body)) {
		said = o.lines[at]
	}
	return found("", m[1]+m[3], m[2], join(append([]string{said}, body...)))
}}

// ctestPlain takes off the numbers that ctest -V puts before what a test prints.
func ctestPlain(lines []string) []string {
	for i, l := range lines {
		if !strings.Contains(l, ": Test command: ") || !ctestFrom.MatchString(l) {
			continue
		}
		out := append([]string(nil), lines...)
		for j := i; j < len(out); j++ {
			if c := out[j]; c != "" && c[0] >= '0' && c[0] <= '9' {
				out[j] = ctestOf.ReplaceAllString(c, "")
			}
		}
		return out
	}
	return lines
}

// ctest reads the first test that CTest names as failed. What the test printed stands
// below it, or above it with -V.
var ctest = rule{keys{"***"}, ctestLine, func(o output, at int, m []string) (failure, bool) {
	body := until(o.lines, at+1, ctestStart.MatchString)
	if blank(join(body)) {
		body = ctestAbove(o.lines, at)
	}
	f := printed(o.command, body)
	if f.Message == "" {
		f.Message = join(append([]string{strings.TrimSpace(o.lines[at])}, ctestLog(o.lines[at:])...))
	} else if how := strings.TrimSpace(m[2] + strings.TrimPrefix(m[3], "Exception:")); how != "Failed" && how != "" {
		f.Message = how + "\n" + f.Message
	}
	if f.Test == "" {
		f.Test = m[1]
	}
	return f, true
}}

// ctestAbove is what a test printed before its result.
func ctestAbove(lines []string, at int) []string {
	shown := above(lines, at, ctestStart.MatchString)
	for i := len(shown) - 1; i >= 0; i-- {
		if ctestHead.MatchString(shown[i]) {
			return shown[i+1:]
		}
	}
	return shown
}

// ctestLog is where CTest keeps what it did not show.
func ctestLog(lines []string) []string {
	for i, l := range lines {
		if strings.HasPrefix(l, "Output from these tests are in: ") {
			return lines[i : i+1]
		}
	}
	return nil
}

// printed finds the failure in what one program printed that is known to have failed,
// or shows its end.
func printed(command string, body []string) failure {
	o := output{command: command, lines: body}
	for _, readers := range [][]reader{stacks, {located}, {placeFirst}, {worded}, {ending}} {
		if f, ok := earliest(readers, o); ok {
			return f
		}
	}
	return failure{}
}

// meson reads the first test that meson names as failed.
var meson = rule{keys{" FAIL ", " ERROR ", " TIMEOUT ", " UNEXPECTEDPASS "}, mesonLine, func(o output, at int, m []string) (failure, bool) {
	f := failure{Failure: kedge.Failure{Message: strings.TrimSpace(o.lines[at])}}
	body := until(o.lines, at+1, mesonNext.MatchString)
	for i, l := range body {
		if mesonRuler.MatchString(l) {
			f = printed(o.command, until(body, i+1, mesonRuler.MatchString))
			break
		}
	}
	f.Test = m[1]
	return f, true
}}

// ninja reads the first edge that failed: below it stand its command and what that
// printed.
var ninja = rule{keys{"FAILED: "}, ninjaLine, func(o output, at int, m []string) (failure, bool) {
	body := until(o.lines, at+1, ninjaNext.MatchString)
	if len(body) == 0 {
		return failure{}, false
	}
	f := printed(o.command, body[1:])
	if f.Message == "" {
		f.Message = m[1] + "\n" + body[0]
	}
	return f, true
}}
