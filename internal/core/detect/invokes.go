package detect

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"kedge/internal/text/lazyre"
)

var (
	// taskFiles run the tests by a task, a session or a script.
	taskFiles = lazyre.New(`(?i)(^|/)(rakefile|[^/]+\.rake|rakefile_helper\.rb|noxfile\.py|tox\.ini|setup\.py|composer\.json|justfile|taskfile\.ya?ml|(gulp|grunt)file\.[cm]?[jt]s|tasks\.py|dodo\.py)$`)
	// runnerCall is a line that starts a runner, or names what it takes.
	runnerCall = lazyre.New(`(?i)\b(?:py\.test|pytest|unittest|nose2?|nosetests|stestr|trial|manage\.py test|phpunit|pest|phpspec|behat|codecept|kahlan|rspec|minitest|cucumber|jest|vitest|mocha|ava|tape?|karma|jasmine|playwright|cypress|uvu|node --test|bats|ctest|(?:go|cargo|dotnet|mvn|gradle|gradlew|swift|deno|bun|npm|yarn|pnpm)(?: run)? test)\b|\btest_suite\s*=|\bTestTask\b|\bRakeTask\b|\bcmdclass\b.*\btest\b`)
	// chain is a task on which others hang: what people and CI call.
	chain      = lazyre.New(`(?m)^[ \t]*task\s*\(?\s*:?["']?(default|all|tests?|specs?|ci|check|build)["']?\s*(?::|=>)\s*(.*)$`)
	chainParts = lazyre.New(`[\w:-]*(?:test|spec)[\w:-]*`)
)

// invokes finds files of tasks that started a runner of tests and no longer do, nor does another changed file, and
// tasks that no longer need the tests.
func invokes(c Change, all []Change) *Stop {
	if !taskFiles.MatchString(c.Path) {
		return nil
	}
	if was, is := invocations(c.Before), invocations(c.After); was > 0 && is == 0 {
		before, after := 0, 0
		for _, o := range all {
			if base := strings.ToLower(path.Base(o.Path)); taskFiles.MatchString(o.Path) || IsRunner(o.Path) || buildFiles.MatchString(base) {
				before, after = before+invocations(o.Before), after+invocations(o.After)
			}
		}
		if after < before {
			return stops(c, "%q no longer runs the tests", "restore what runs them")
		}
	}
	is := chains(c.After)
	was := chains(c.Before)
	for _, task := range slices.Sorted(maps.Keys(was)) {
		for _, n := range was[task] {
			if now, ok := is[task]; ok && !slices.Contains(now, n) {
				return stops(c, fmt.Sprintf("the task %q of %%q no longer runs %q", task, n), "restore what it needs")
			}
		}
	}
	return nil
}

// invocations counts the lines that start a runner, but for comments.
func invocations(text []byte) int {
	n := 0
	for _, l := range CodeLines(string(text)) {
		if !strings.HasPrefix(l, "#") && !strings.HasPrefix(l, "//") && !strings.HasPrefix(l, ";") && runnerCall.MatchString(l) {
			n++
		}
	}
	return n
}

// chains gives the tests that tasks need, by task.
func chains(text []byte) map[string][]string {
	out := map[string][]string{}
	for _, m := range chain.FindAllStringSubmatch(string(text), -1) {
		for _, p := range chainParts.FindAllStringIndex(m[2], -1) {
			out[m[1]] = append(out[m[1]], strings.TrimLeft(m[2][p[0]:p[1]], ":"))
		}
		if out[m[1]] == nil {
			out[m[1]] = []string{}
		}
	}
	return out
}

// isTesting tells whether a script runs tests, by its name or by what it starts.
func isTesting(name, line string) bool {
	return testTarget.MatchString(name) || runnerCall.MatchString(line)
}
