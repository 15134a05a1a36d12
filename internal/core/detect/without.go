package detect

import (
	"slices"
	"strings"

	"kedge/internal/text/lazyre"
)

// mostRed is how many tests may be left out of a check: where more are red, the check says
// nothing that could be trusted.
const mostRed = 10

// skipper is a runner that can leave single tests out.
type skipper struct {
	ends   *lazyre.Regexp // how a line ends that starts it, and nothing after it
	red    *lazyre.Regexp // a red test in its output; the first group is its name
	broken *lazyre.Regexp // what its output has where not a test but the build is red
	skip   func(line string, red []string) string
}

var skippers = []skipper{
	{
		ends: lazyre.New(`(^|&& |[A-Z]=\S+ )go test( -skip '\^\([\w|]+\)\$')?( \.[\w./-]*)+$`), red: lazyre.New(`(?m)^--- FAIL: (Test\w+) \(`),
		broken: lazyre.New(`(?m)\[(build|setup) failed\]`), skip: skipGo,
	},
	{
		ends: lazyre.New(`-m pytest( --deselect \S+)*$`), red: lazyre.New(`(?m)^FAILED ([\w./-]+::[\w:]+)`),
		broken: lazyre.New(`(?m)^ERROR `), skip: func(line string, red []string) string {
			return line + " --deselect " + strings.Join(red, " --deselect ")
		},
	},
	{
		ends: lazyre.New(`(^|&& )cargo test( --workspace)?( -- --exact( --skip [\w:]+)+)?$`), red: lazyre.New(`(?m)^test ([\w:]+) \.\.\. FAILED$`),
		broken: lazyre.New(`(?m)^error: could not compile`), skip: skipCargo,
	},
	{
		ends: lazyre.New(`&& ctest --output-on-failure( -E '\^\([\w|.-]+\)\$')?$`), red: lazyre.New(`(?m)^\s+\d+ - ([\w.-]+) \((Failed|SEGFAULT|Timeout|Subprocess aborted|Exit code [^)]*)\)`),
		broken: lazyre.New(`(?m)\(Not Run\)`), skip: skipCTest,
	},
}

// Without gives a line that leaves the red tests of an output out of a check, where the
// runner can do that and they are few; empty: it cannot. A line that leaves some out already
// leaves out more.
func Without(line, output string) string {
	for _, s := range skippers {
		if !s.ends.MatchString(line) {
			continue
		}
		var red []string
		left := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" '^$()|", r) })
		for _, m := range s.red.FindAllStringSubmatch(output, -1) {
			if !slices.Contains(left, m[1]) {
				red = joined(red, []string{m[1]})
			}
		}
		if len(red) == 0 || len(red) > mostRed || s.broken.MatchString(output) {
			return ""
		}
		slices.Sort(red)
		return s.skip(line, red)
	}
	return ""
}

// skipGo adds to what a line skips: `go test` takes one pattern.
func skipGo(line string, red []string) string {
	before, after, _ := strings.Cut(line, "go test ")
	if rest, had := strings.CutPrefix(after, "-skip '^("); had {
		names, packages, _ := strings.Cut(rest, ")$' ")
		red, after = append(strings.Split(names, "|"), red...), packages
	}
	return before + "go test -skip '^(" + strings.Join(red, "|") + ")$' " + after
}

func skipCargo(line string, red []string) string {
	if !strings.Contains(line, " -- --exact") {
		line += " -- --exact"
	}
	return line + " --skip " + strings.Join(red, " --skip ")
}

// skipCTest adds to what a line excludes: ctest takes one pattern.
func skipCTest(line string, red []string) string {
	line, rest, had := strings.Cut(line, " -E '^(")
	if had {
		red = append(strings.Split(strings.TrimSuffix(rest, ")$'"), "|"), red...)
	}
	return line + " -E '^(" + strings.Join(red, "|") + ")$'"
}
