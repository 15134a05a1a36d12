package testguard

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/core/detect"
	"kedge/internal/text/lazyre"
)

// runnerFindings reports a change after which the tests no longer run, or their result is ignored.
func runnerFindings(c Change) []Finding {
	if len(c.Before) > detect.MaxSource || len(c.After) > detect.MaxSource {
		return nil
	}
	base := strings.ToLower(path.Base(c.Path))
	switch {
	case c.After == nil:
		return nil
	case detect.Shadows(c.Path) && c.Before == nil:
		return runner(c, "%q takes the place of what the tests are run with", "rename it")
	case base == "package.json":
		return packageRunner(c)
	case strings.HasSuffix(base, "makefile") || strings.HasPrefix(base, "makefile."):
		return makeRunner(c)
	case base == ".npmrc" || strings.HasPrefix(base, ".yarnrc"):
		return lineRunner(c, shellLine, "%q sets the shell that runs its scripts")
	case strings.HasSuffix(base, ".cmake") || base == "cmakelists.txt":
		return cmakeRunner(c)
	}
	return exitRunner(c)
}

func runner(c Change, what, fix string) []Finding {
	return []Finding{{Kind: Runner, Finding: kedge.Finding{
		Level: kedge.LevelError, What: fmt.Sprintf(what, c.Path), Where: c.Path, Fix: fix,
	}}}
}

var (
	shellLine  = lazyre.New(`(?m)^\s*(?:script-shell|scriptShell|ignore-scripts|yarnPath)\s*[=: ]`)
	emptyLine  = lazyre.New(`^\s*[-@+]*\s*(?:true|:|exit(?:\s+0)?|echo\b[^&|;]*|printf\b[^&|;]*|sleep\s+\d+|node\s+-e\s+["']{2}|)\s*$`)
	swallowing = lazyre.New(`\|\|\s*(?:true|:|exit\s+0|echo\b)|;\s*(?:true|exit\s+0)\s*$|\bpassWithNoTests\b|--exit-zero\b|--no-bail\b.*--forceExit`)
	hardExit   = lazyre.New(`\bos\._exit\s*\(\s*0?\s*\)|\bprocess\.reallyExit\s*\(|\bposix\._exit\s*\(`)
	goInitExit = lazyre.New(`(?m)^func init\(\)\s*\{(?:[^}]|\n)*?\bos\.Exit\s*\(`)
	setupExit  = lazyre.New(`\bsys\.exit\s*\(\s*0?\s*\)|\bprocess\.exit\s*\(\s*0?\s*\)|\bexit\s*\(?\s*0\s*\)?|\bpytest\.exit\s*\(`)
	makeIgnore = lazyre.New(`(?m)^\s*\.IGNORE\b|^\s*MAKEFLAGS\s*[+:]?=.*(?:-i\b|--ignore-errors|-n\b)|^\s*SHELL\s*[:?]?=`)
	cmakeTests = lazyre.New(`(?mi)^\s*(?:add_test|gtest_discover_tests|catch_discover_tests|doctest_discover_tests|enable_testing|add_unit_test|include\s*\(\s*CTest)\b`)
	willFail   = lazyre.New(`(?i)\bWILL_FAIL\b|\bDISABLED\s+(?:TRUE|ON|1)`)
)

// exitRunner finds code that newly ends the program with success while tests run.
func exitRunner(c Change) []Finding {
	const what, fix = "%q exits the program, which also ends the run of its tests", "remove the exit"
	ext := strings.ToLower(path.Ext(c.Path))
	for _, r := range []struct {
		re   *lazyre.Regexp
		when bool
	}{
		{hardExit, languages[ext] != nil},
		{goInitExit, ext == ".go" && !detect.IsTest(c.Path)},
		{setupExit, detect.IsRunner(c.Path) && languages[ext] != nil},
	} {
		if r.when && count(r.re, c.After) > count(r.re, c.Before) {
			return runner(c, what, fix)
		}
	}
	return nil
}

func count(re *lazyre.Regexp, src []byte) int { return len(re.FindAllStringIndex(string(src), -1)) }

func lineRunner(c Change, re *lazyre.Regexp, what string) []Finding {
	if count(re, c.After) > count(re, c.Before) {
		return runner(c, what, "remove that line")
	}
	return nil
}

// packageRunner finds scripts of package.json that no longer run tests, or whose result is
// swallowed.
func packageRunner(c Change) []Finding {
	was, ok1 := detect.TestScripts(c.Before)
	is, ok2 := detect.TestScripts(c.After)
	if !ok1 || !ok2 {
		return nil
	}
	for _, name := range sorted(was) {
		if emptyScript(was[name]) {
			continue
		}
		now, ok := is[name]
		if ok && (emptyScript(now) || swallows(was[name], now)) || !ok && name == "test" {
			return runner(c, fmt.Sprintf("the script %q of %%q no longer runs the tests", name), "restore the script")
		}
	}
	return nil
}

func sorted(m map[string]string) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// emptyScript tells whether a line of shell runs nothing.
func emptyScript(line string) bool {
	for part := range strings.SplitSeq(strings.ReplaceAll(line, "&&", ";"), ";") {
		if !emptyLine.MatchString(part) {
			return false
		}
	}
	return true
}

// swallows tells whether a line newly turns a failure into success.
func swallows(was, is string) bool {
	return swallowing.MatchString(is) && !swallowing.MatchString(was)
}

// makeRunner finds rules of a Makefile that no longer run tests.
func makeRunner(c Change) []Finding {
	before, after := string(c.Before), string(c.After)
	is := map[string]string{}
	parts, _ := detect.TestParts("Makefile", after)
	for _, r := range parts {
		is[r.Key] = after[r.From:r.To]
	}
	parts, _ = detect.TestParts("Makefile", before)
	for _, r := range parts {
		was, now := recipe(before[r.From:r.To]), recipe(is[r.Key])
		_, there := is[r.Key]
		switch {
		case len(was) == 0 || !there && !strings.HasPrefix(r.Key, "test#") && !strings.HasPrefix(r.Key, "check#"):
		case len(now) == 0 && !needs(is[r.Key]) || makeSwallows(was, now):
			name, _, _ := strings.Cut(r.Key, "#")
			return runner(c, fmt.Sprintf("the target %q of %%q no longer runs the tests", name), "restore the target")
		}
	}
	return lineRunner(c, makeIgnore, "%q makes make ignore failures of its targets")
}

// needs tells whether a rule has prerequisites that may run the tests for it.
func needs(rule string) bool {
	head, _, _ := strings.Cut(rule, "\n")
	_, more, _ := strings.Cut(head, ":")
	return strings.TrimSpace(more) != ""
}

// recipe gives the lines of a rule that run something.
func recipe(rule string) []string {
	var out []string
	_, lines, _ := strings.Cut(rule, "\n")
	for l := range strings.SplitSeq(lines, "\n") {
		if strings.HasPrefix(l, "\t") && !emptyScript(l) && !strings.HasPrefix(strings.TrimSpace(l), "#") {
			out = append(out, strings.TrimSpace(l))
		}
	}
	return out
}

// makeSwallows tells whether a line of a recipe newly lets failures pass, by its shell or by a
// dash.
func makeSwallows(was, is []string) bool {
	for _, l := range is {
		dash := strings.HasPrefix(strings.TrimLeft(l, "@+"), "-")
		if (dash || swallowing.MatchString(l)) && !slices.Contains(was, l) {
			return true
		}
	}
	return false
}

// cmakeRunner finds files of CMake that register fewer tests, or let them fail.
func cmakeRunner(c Change) []Finding {
	if c.Before == nil {
		return nil
	}
	if count(cmakeTests, c.After) == 0 && count(cmakeTests, c.Before) > 0 || count(willFail, c.After) > count(willFail, c.Before) {
		return runner(c, "%q no longer runs the tests that it ran", "restore it")
	}
	return nil
}
