package failure

import (
	"strings"

	"kedge/internal/text/lazyre"
)

// verdict is what one line says about whether tests ran.
type verdict int

const (
	silent verdict = iota // nothing
	none                  // a runner ended without having run a test
	some                  // a test ran, or would have but did not compile
)

// tally is a line by which a runner counts its tests: when a group of the
// pattern holds a number above zero, tests ran; else none did. The key is a part
// of every such line: looking for it is much faster than the pattern.
type tally struct {
	key     string
	pattern *lazyre.Regexp
}

var tallies = []tally{
	{"test result: ", lazyre.New(`^test result: \w+\. (\d+) passed; (\d+) failed`)},              // cargo
	{"ing", lazyre.New(`^\s+(\d+) (?:passing|failing)\b`)},                                       // mocha
	{" ", lazyre.New(`^[#ℹ] (?:pass|fail|cancelled) (\d+)$`)},                                    // node --test
	{"Ran ", lazyre.New(`^Ran (\d+) tests? (?:in|across) `)},                                     // unittest, bun
	{"Tests run: ", lazyre.New(`\bTests run: (\d+)`)},                                            // surefire, JUnit
	{" completed", lazyre.New(`^(\d+) tests? completed`)},                                        // Gradle
	{" example", lazyre.New(`^(\d+) examples?, \d+ failures?(?:.*?, (\d+) errors? occurred)?`)},  // RSpec
	{" runs, ", lazyre.New(`^(\d+) runs, \d+ assertions`)},                                       // minitest
	{" assertions, ", lazyre.New(`^(\d+) tests, \d+ assertions`)},                                // test-unit
	{" failure", lazyre.New(`^(?:\d+ (?:doctests?|propert\w+), )*(\d+) tests?, \d+ failures?$`)}, // ExUnit, bats
	{" passed", lazyre.New(`^(?:ok|FAILED) \| (\d+) passed.*\| (\d+) failed`)},                   // deno
	{"Passed: ", lazyre.New(`\bFailed: +(\d+), Passed: +(\d+)`)},                                 // dotnet
	{"Summary ", lazyre.New(`^\s+Summary \[.*\] (\d+) tests? run`)},                              // nextest
	{" ran.", lazyre.New(`^\[=+\] (\d+) tests? from \d+ test \w+ ran\.`)},                        // GoogleTest
	{" run.", lazyre.New(`^\[=+\] (?:.*: )?(\d+) test\(s\) run\.`)},                              // CMocka
	{"Files=", lazyre.New(`^Files=\d+, Tests=(\d+)`)},                                            // prove
	{"Assertions: ", lazyre.New(`^Tests: (\d+), Assertions`)},                                    // PHPUnit that is red
	{"Checks: ", lazyre.New(`^\d+%: Checks: (\d+)`)},                                             // Check
	{" test", lazyre.New(`^OK .*?(\d+) tests?\b`)},                                               // PHPUnit
	{" total", lazyre.New(`^Tests:\s+(?:.*?(\d+) failed)?(?:.*?(\d+) passed)?.* total$`)},        // jest
	{"Tests  ", lazyre.New(`^\s+Tests\s+(?:.*?(\d+) failed)?(?:.*?(\d+) passed)?.*\(\d+\)`)},     // vitest
	{" ", lazyre.New(`^\s+(\d+) (?:passed|failed|flaky)\b`)},                                     // Playwright
	{"% tests passed", lazyre.New(`^\d+% tests passed, \d+ tests failed out of (\d+)`)},          // CTest
}

// pyTotals is the last line of pytest.
var pyTotals = lazyre.New(`^(?:=+ )?(?:\d+ \w+(?: \w+)?(?:, )?)+ in [\d.]+s\b`)

// brokenSuite is a file of tests that could not even be loaded.
var brokenSuite = lazyre.New(`^(?:Test Suites:|\s*Test Files\s).*\b[1-9]\d* failed`)

var (
	pyRan     = lazyre.New(`\b[1-9]\d* (?:passed|failed|xfailed|xpassed|errors?)\b`)
	goOK      = lazyre.New(`^(?:ok  |FAIL)\t\S+`)
	goNoTests = lazyre.New(`^(?:\?   |ok  |\s*)\t\S+\s.*(?:\[no test files\]|\[no tests to run\]|\tcoverage: 0\.0% of statements$)`)
)

// noneLines are what runners say in so many words.
var noneLines = []string{
	"No tests found", "No test files found", "no tests ran", "NO TESTS RAN", "No tests were executed", "No tests to run", "no packages to test", "testing: warning: no tests to run",
	"No tests executed", "No tests were found", "Tests  no tests", "Your test suite must contain at least one test",
	"did not match any test files", "No test is available in", "No test matches the given testcase filter", "All tests have been excluded", "No tests ran", "Result: NOTESTS",
	"No tests found for given includes", ":test NO-SOURCE",
}

// NoTests tells whether the output says that a test runner ran and found no test
// to run, or skipped all of them. Output without any word about tests, and one in
// which some other runner ran some, gives false.
func NoTests(command, out string) bool {
	ran := runs{}
	lines := clean(out, maxLines)
	for _, line := range lines {
		if e, ok := ParseGoEvent(line); ok {
			line = strings.TrimSuffix(e.Output, "\n")
		}
		if ran.add(line) == some {
			return false
		}
	}
	return ran.none || mavenSilent(command, lines)
}

// runs adds up what the lines say.
type runs struct {
	none    bool
	skipped bool // the current Go package has printed a skipped test and no other
}

func (r *runs) add(line string) verdict {
	v := r.goLine(line)
	if v == silent {
		v = otherLine(line)
	}
	r.none = r.none || v == none
	return v
}

// goLine reads go test: with -v every result is there, without it only the
// package's line.
func (r *runs) goLine(line string) verdict {
	if strings.Contains(line, "--- ") {
		m := goResult.FindStringSubmatch(line)
		if m == nil {
			return silent
		}
		if m[1] != "SKIP" {
			return some
		}
		r.skipped = true
		return silent
	}
	if !strings.Contains(line, "\t") {
		return silent
	}
	if goNoTests.MatchString(line) {
		return none
	}
	if !goOK.MatchString(line) {
		return silent
	}
	if r.skipped && strings.HasPrefix(line, "ok") {
		r.skipped = false
		return none
	}
	return some
}

// otherLine reads all other runners.
func otherLine(line string) verdict {
	if strings.Contains(line, " in ") && pyTotals.MatchString(line) {
		if pyRan.MatchString(line) {
			return some
		}
		return none
	}
	if strings.Contains(line, "Test ") && brokenSuite.MatchString(line) {
		return some
	}
	for _, t := range tallies {
		if !strings.Contains(line, t.key) {
			continue
		}
		if m := t.pattern.FindStringSubmatch(line); m != nil {
			return counted(m[1:])
		}
	}
	for _, s := range noneLines {
		if strings.Contains(line, s) {
			return none
		}
	}
	return silent
}

func counted(groups []string) verdict {
	for _, g := range groups {
		if strings.Trim(g, "0") != "" {
			return some
		}
	}
	return none
}

// mavenSilent knows that surefire says nothing at all when a project has no test
// class: it started, and no line counts anything.
func mavenSilent(command string, lines []string) bool {
	if !strings.Contains(command, "mvn") {
		return false
	}
	started := false
	for _, l := range lines {
		started = started || strings.Contains(l, "surefire") && strings.HasSuffix(l, "---") || strings.Contains(l, ":test (default-test)")
		if strings.Contains(l, "BUILD FAILURE") || strings.Contains(l, "COMPILATION ERROR") {
			return false
		}
	}
	return started
}
