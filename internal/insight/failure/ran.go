package failure

import (
	"strconv"
	"strings"

	"kedge/internal/text/lazyre"
)

var (
	pyNumbers = lazyre.New(`\b(\d+) (?:passed|failed|xfailed|xpassed|errors?)\b`)
	pySkipped = lazyre.New(`^(?:OK|FAILED) \(.*\bskipped=(\d+)`) // unittest counts them among those that it ran
	automake  = lazyre.New(`^# (?:PASS|FAIL|XPASS|XFAIL|ERROR):\s+(\d+)$`)
	mesonRan  = lazyre.New(`^(?:Ok|Fail|Expected Fail|Unexpected Pass|Timeout):\s+(\d+)\s*$`)
	tapPlan   = lazyre.New(`^1\.\.(\d+)`)
	goVerbose = lazyre.New(`^--- (?:PASS|FAIL): `)
	goRan     = lazyre.New(`^(?:ok  |FAIL)\t\S+\s+(?:[\d.]+s|\(cached\))`)
)

// Ran adds up how many tests ran by what the runners in an output say; false if none of them counts.
// Of a go test without -v it is the number of packages that ran tests. The number is there to be
// compared with that of another run of the same command: a runner that tells the same tests twice
// does so each time.
func Ran(out string) (n int, known bool) {
	goTests, goPackages := 0, 0
	for _, line := range clean(out, maxLines) {
		if e, ok := ParseGoEvent(line); ok {
			line = strings.TrimSuffix(e.Output, "\n")
		}
		switch {
		case goVerbose.MatchString(line):
			goTests++
		case goRan.MatchString(line) && !goNoTests.MatchString(line):
			goPackages++
		default:
			m, ok := ranLine(line)
			n, known = n+m, known || ok
		}
	}
	if goTests == 0 {
		goTests = goPackages
	}
	return max(n+goTests, 0), known || goTests > 0
}

// ranLine is what one line adds to the number of tests.
func ranLine(line string) (n int, known bool) {
	switch {
	case strings.Contains(line, " in ") && pyTotals.MatchString(line):
		return sum(pyNumbers.FindAllStringSubmatch(line, -1)), true
	case strings.Contains(line, "skipped=") && pySkipped.MatchString(line):
		return -sum(pySkipped.FindAllStringSubmatch(line, -1)), false
	}
	for _, p := range []*lazyre.Regexp{automake, mesonRan, tapPlan} {
		if m := p.FindAllStringSubmatch(line, -1); m != nil {
			return sum(m), true
		}
	}
	for _, t := range tallies {
		if !strings.Contains(line, t.key) {
			continue
		}
		if m := t.pattern.FindStringSubmatch(line); m != nil {
			return sum([][]string{m}), true
		}
	}
	return 0, false
}

// sum adds up the groups of matches.
func sum(matches [][]string) (n int) {
	for _, m := range matches {
		for _, g := range m[1:] {
			v, _ := strconv.Atoi(g) // a group that matched nothing is no number
			n += v
		}
	}
	return n
}
