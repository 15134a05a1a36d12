package detect

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"kedge/internal/text/lazyre"
)

// Stop says that tests no longer run, or that their result is ignored, with the way out.
type Stop struct{ What, Fix string }

// Stops tells whether tests that ran before a change of a file no longer run after it, or their
// result is ignored; nil: they do.
// All are the files that changed together.
func Stops(c Change, all []Change) *Stop {
	if len(c.Before) > MaxSource || len(c.After) > MaxSource {
		return nil
	}
	base := strings.ToLower(path.Base(c.Path))
	switch {
	case base == "cmakelists.txt" || strings.HasSuffix(base, ".cmake"):
		return cmakeStops(c, all)
	case c.After == nil:
		return nil
	case Shadows(c.Path) && c.Before == nil:
		return stops(c, "%q replaces a program that runs the tests", "rename it")
	case base == "package.json":
		return packageStops(c)
	case strings.HasSuffix(base, "makefile") || strings.HasPrefix(base, "makefile."):
		return makeStops(c)
	case base == ".npmrc" || strings.HasPrefix(base, ".yarnrc"):
		return lineStops(c, shellLine, "%q sets the shell that runs its scripts")
	}
	for _, st := range []*Stop{fewer(c), invokes(c, all)} {
		if st != nil {
			return st
		}
	}
	return exitStops(c)
}

func stops(c Change, what, fix string) *Stop { return &Stop{fmt.Sprintf(what, c.Path), fix} }

var (
	shellLine  = lazyre.New(`(?m)^\s*(?:script-shell|scriptShell|ignore-scripts|yarnPath)\s*[=: ]`)
	emptyLine  = lazyre.New(`^\s*[-@+]*\s*(?:true|:|exit(?:\s+0)?|echo\b[^&|;]*|printf\b[^&|;]*|sleep\s+\d+|node\s+-e\s+["']{2}|)\s*$`)
	swallowing = lazyre.New(`\|\|\s*(?:true|:|exit\s+0|echo\b)|;\s*(?:true|exit\s+0)\s*$|\bpassWithNoTests\b|--exit-zero\b|--no-bail\b.*--forceExit`)
	hardExit   = lazyre.New(`\bos\._exit\s*\(\s*0?\s*\)|\bprocess\.reallyExit\s*\(|\bposix\._exit\s*\(`)
	trapExit   = lazyre.New(`(?m)^\s*trap\s+["']?exit(?:\s+0)?["'\s]`)
	noAssert   = lazyre.New(`(?m)^\s*#\s*define\s+NDEBUG\b`)
	goInitExit = lazyre.New(`(?m)^func init\(\)\s*\{(?:[^}]|\n)*?\bos\.Exit\s*\(`)
	setupExit  = lazyre.New(`\bsys\.exit\s*\(\s*0?\s*\)|\bprocess\.exit\s*\(\s*0?\s*\)|\bexit\s*\(?\s*0\s*\)?|\bpytest\.exit\s*\(`)
	makeIgnore = lazyre.New(`(?m)^\s*\.IGNORE\b|^\s*MAKEFLAGS\s*[+:]?=.*(?:-i\b|--ignore-errors|-n\b)|^\s*SHELL\s*[:?]?=`)
	cmakeTests = lazyre.New(`(?mi)^\s*(?:add_test|gtest_discover_tests|catch_discover_tests|doctest_discover_tests|enable_testing|add_unit_test|include\s*\(\s*CTest)\b`)
	willFail   = lazyre.New(`(?i)\bWILL_FAIL\b|\bDISABLED\s+(?:TRUE|ON|1)`)
)

// exitStops finds code that newly ends the program with success while tests run.
func exitStops(c Change) *Stop {
	const what, fix = "%q exits the program, which also ends the run of its tests", "remove the exit"
	ext := strings.ToLower(path.Ext(c.Path))
	for _, r := range []struct {
		re   *lazyre.Regexp
		when bool
	}{
		{hardExit, IsSource(c.Path) || IsTest(c.Path)},
		{goInitExit, ext == ".go" && !IsTest(c.Path)},
		{trapExit, ext == ".sh" || ext == ".bash" || ext == ".bats"},
		{noAssert, IsTest(c.Path)},
		{setupExit, IsRunner(c.Path) && (IsSource(c.Path) || IsTest(c.Path))},
	} {
		if r.when && count(r.re, c.After) > count(r.re, c.Before) {
			return stops(c, what, fix)
		}
	}
	return nil
}

func count(re *lazyre.Regexp, src []byte) int { return len(re.FindAllStringIndex(string(src), -1)) }

func lineStops(c Change, re *lazyre.Regexp, what string) *Stop {
	if count(re, c.After) > count(re, c.Before) {
		return stops(c, what, "remove that line")
	}
	return nil
}

// packageStops finds scripts of package.json that no longer run tests, or whose result is
// swallowed.
func packageStops(c Change) *Stop {
	was, ok1 := TestScripts(c.Before)
	is, ok2 := TestScripts(c.After)
	if !ok1 || !ok2 {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(was)) {
		if emptyScript(was[name]) {
			continue
		}
		now, ok := is[name]
		if ok && (emptyScript(now) || swallows(was[name], now)) || !ok && (name == "test" || len(is) == 0) {
			return stops(c, fmt.Sprintf("the script %q of %%q no longer runs the tests", name), "restore the script")
		}
		if ok && narrower(was[name], now) && !slices.Contains(strings.Split(now, " && "), was[name]) {
			return stops(c, fmt.Sprintf("the script %q of %%q runs fewer tests", name), "restore the script")
		}
	}
	return fewer(c)
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

// makeStops finds rules of a Makefile that no longer run tests.
func makeStops(c Change) *Stop {
	before, after := string(c.Before), string(c.After)
	is := map[string]string{}
	parts, _ := TestParts("Makefile", after)
	for _, r := range parts {
		is[r.Key] = after[r.From:r.To]
	}
	parts, _ = TestParts("Makefile", before)
	for _, r := range parts {
		was, now := recipe(before[r.From:r.To]), recipe(is[r.Key])
		_, there := is[r.Key]
		switch {
		case len(was) == 0 || !there && !strings.HasPrefix(r.Key, "test#") && !strings.HasPrefix(r.Key, "check#"):
		case len(now) == 0 && !needs(is[r.Key]) || makeSwallows(was, now):
			name, _, _ := strings.Cut(r.Key, "#")
			return stops(c, fmt.Sprintf("the target %q of %%q no longer runs the tests", name), "restore the target")
		}
	}
	return lineStops(c, makeIgnore, "%q makes make ignore failures of its targets")
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
// dash, or leaves tests out.
func makeSwallows(was, is []string) bool {
	more := !slices.ContainsFunc(was, func(l string) bool { return !slices.Contains(is, l) }) // all that ran still does
	narrow := !more && narrower(strings.Join(was, "\n"), strings.Join(is, "\n"))
	for _, l := range is {
		dash := strings.HasPrefix(strings.TrimLeft(l, "@+"), "-")
		if (dash || swallowing.MatchString(l) || narrow && narrowing.MatchString(l)) && !slices.Contains(was, l) {
			return true
		}
	}
	return false
}

// cmakeStops finds files of CMake that register fewer tests, or let them fail. Tests that another
// file of the change registers have only moved.
func cmakeStops(c Change, all []Change) *Stop {
	gone := count(cmakeTests, c.Before) > 0 && count(cmakeTests, c.After) == 0
	was, is := 0, 0
	for _, o := range all {
		if base := strings.ToLower(path.Base(o.Path)); base == "cmakelists.txt" || strings.HasSuffix(base, ".cmake") {
			was, is = was+count(cmakeTests, o.Before), is+count(cmakeTests, o.After)
		}
	}
	if gone && is < was || c.Before != nil && count(willFail, c.After) > count(willFail, c.Before) {
		return stops(c, "%q no longer runs the tests that it ran", "restore it")
	}
	return nil
}

// narrowing are the words by which a command or the settings of a runner leave tests out: pytest,
// jest, vitest, mocha, go test, cargo, ctest, RSpec and PHPUnit.
var narrowing = lazyre.New(`(?:^|[\s"',=])(?:--(?:ignore(?:-glob)?|deselect|exclude-(?:group|testsuite|regex)|skip|invert|collect-only|testPathIgnorePatterns|testNamePattern|testPathPattern|grep|fgrep)(?:[\s=]|$)|` +
	`--tag[\s=]+["']?~|-(?:k|run|skip|E|LE)[\s=]|-[mtg]\s+(?:["']|not\b))`)

// settingOut are settings that leave tests out, or their failures, in the files of runners.
var settingOut = lazyre.New(`(?m)\b(?:collect_ignore(?:_glob)?|testPathIgnorePatterns|modulePathIgnorePatterns|testNamePattern|norecursedirs)\b|` +
	`\bpytest_(?:collection_modifyitems|ignore_collect|pyfunc_call)\b[^\n]*\(|\bsession\.exitstatus\s*=|\.outcome\s*=\s*["']passed|\bpassWithNoTests\b|` +
	`<exclude-group>|^\s*--tag\s+~|filter_run_excluding|^\s*(?:test|harness)\s*=\s*false\b`)

// narrower tells whether a command newly leaves tests out.
func narrower(was, is string) bool {
	return len(narrowing.FindAllStringIndex(is, -1)) > len(narrowing.FindAllStringIndex(was, -1))
}

// fewer finds settings of a runner that newly leave tests out.
func fewer(c Change) *Stop {
	if c.Before == nil && !IsRunner(c.Path) {
		return nil
	}
	was, is := runnerSettings(c.Path, string(c.Before)), runnerSettings(c.Path, string(c.After))
	if chosen(was, is) || count(runnerWord, []byte(was)) > 0 && count(runnerWord, []byte(is)) == 0 && runnerScripts.MatchString(c.Path) {
		return stops(c, "%q no longer lets the runner find all tests", "restore its settings")
	}
	if count(settingOut, []byte(is)) > count(settingOut, []byte(was)) || narrower(addopts(was), addopts(is)) {
		return stops(c, "%q makes the runner leave tests out", "restore its settings")
	}
	return nil
}

var (
	choosing      = lazyre.New(`(?m)(?:^|[\s{,<"'])(testpaths|python_(?:files|classes|functions)|testMatch|testRegex|specPattern|testDir|testMatch|include|exclude|excludeSpecPattern|spec|spec_files|roots)["']?\s*[:=>]\s*(\[[^\]]*\]|\{[^}]*\}|[^\n<,}]*)`)
	values        = lazyre.New(`[\w*./@{}^$+\\-]+`)
	runnerWord    = lazyre.New(`\b(?:pytest|py\.test|unittest|nose2?|stestr|ward|trial|manage\.py test|tests?)\b`)
	runnerScripts = lazyre.New(`(^|/)(tox\.ini|noxfile\.py)$`)
	viteConfig    = lazyre.New(`^vite\.config\.[cm]?[jt]s$`)
)

// choices are the settings by which a runner finds tests, with their values.
func choices(settings string) map[string][]string {
	out := map[string][]string{}
	for _, m := range choosing.FindAllStringSubmatch(settings, -1) {
		for _, v := range values.FindAllStringIndex(m[2], -1) {
			out[m[1]] = append(out[m[1]], m[2][v[0]:v[1]])
		}
	}
	return out
}

// chosen tells whether the settings of a runner let it find fewer tests: a place or a pattern is gone, a new
// pattern fits no test by its usual name or a single file only, or tests are newly left out by name.
func chosen(was, is string) bool {
	old, now := choices(was), choices(is)
	for key, values := range now {
		leavesOut := strings.HasPrefix(key, "exclude")
		for _, v := range values {
			switch {
			case slices.Contains(old[key], v):
			case leavesOut && namesTest.MatchString(v) && !strings.HasSuffix(v, "/**") || !leavesOut && old[key] == nil && !strings.HasPrefix(key, "python") && singleTest.MatchString(v):
				return true
			case strings.HasPrefix(key, "python_") && !namesTest.MatchString(strings.Join(values, " ")):
				return true
			}
		}
	}
	for key, values := range old {
		if strings.HasPrefix(key, "exclude") || now[key] == nil {
			continue
		}
		for _, v := range values {
			if !slices.Contains(now[key], v) && !slices.ContainsFunc(now[key], func(n string) bool { return wider(n, v) }) {
				return true
			}
		}
	}
	return false
}

var (
	namesTest  = lazyre.New(`(?i)test|spec`)
	singleTest = lazyre.New(`(?i)(^|/)[^*/]*(test|spec)[^*/]*\.\w+$`)
)

// wider tells whether a place or a pattern takes in another one.
func wider(n, v string) bool {
	n, v = strings.TrimPrefix(n, "./"), strings.TrimPrefix(v, "./")
	base, _, _ := strings.Cut(n, "*")
	return n == "." || strings.HasPrefix(v, strings.TrimSuffix(n, "/")+"/") || strings.Contains(n, "*") && strings.HasPrefix(v, base) && strings.Count(n, "*") >= strings.Count(v, "*")
}

// addopts are the lines of settings that give a runner its options.
func addopts(settings string) string {
	var out []string
	for l := range strings.SplitSeq(settings, "\n") {
		if optionLine.MatchString(l) {
			out = append(out, l)
		}
	}
	return strings.Join(out, "\n")
}

var optionLine = lazyre.New(`^\s*(?:addopts\b|"?(?:opts|argv|args)"?\s*[:=]|--?\w|[a-z_-]*(?:pytest|ctest|go test|cargo test|npm|jest|mocha)\b)`)

// runnerSettings is what a file says about the runner of tests, without comments.
func runnerSettings(name, text string) string {
	base := strings.ToLower(path.Base(name))
	switch {
	case base == "package.json":
		return packageSettings(text)
	case base == "pyproject.toml" || base == "setup.cfg" || base == "cargo.toml":
		var out []string
		for _, r := range settingRegions(base, text) {
			out = append(out, text[r.From:r.To])
		}
		text = strings.Join(out, "\n")
	case !IsRunner(name) && !viteConfig.MatchString(base):
		return ""
	}
	syntax := PythonSyntax
	if c := path.Ext(base); strings.HasPrefix(c, ".js") || strings.HasPrefix(c, ".ts") || c == ".mjs" || c == ".cjs" || c == ".mts" {
		syntax = JSSyntax
	}
	_, bare := syntax.Mask(text)
	return bare
}

// settingRegions are the sections about tests.
func settingRegions(base, text string) []Region {
	if base == "cargo.toml" {
		return []Region{{To: len(text)}}
	}
	return sectionRegions(text)
}

// packageSettings are the settings of runners in a package.json.
func packageSettings(text string) string {
	var pkg map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &pkg) != nil {
		return ""
	}
	var out []string
	for _, key := range []string{"jest", "vitest", "mocha", "ava", "tap"} {
		out = append(out, string(pkg[key]))
	}
	return strings.ReplaceAll(strings.Join(out, "\n"), `"`, "")
}
