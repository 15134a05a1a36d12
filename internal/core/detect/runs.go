package detect

import (
	"path"
	"slices"
	"strings"

	"kedge/internal/text/lazyre"
)

// runsTests are words that programs are given, or called by, to run tests.
var runsTests = lazyre.New(`(?i)^(?:tests?|check|specs?|verify|e2e|nextest|pytest|py\.test|unittest|tox|nox|nose2?|jest|vitest|mocha|ava|tap|jasmine|karma|cypress|playwright|ctest|rspec|minitest|phpunit|pest|behat|bats|prove|busted|testscript)$` +
	`|^(?:tests?|specs?|check|e2e|unit)[:_.-][\w:.-]*$|^[\w:.-]*[:_-](?:tests?|specs?|check|e2e)$|^--test(?:=.*)?$|^run[-_]?(?:all[-_]?)?tests?(?:\.\w+)?$`)

// onlyLook are programs that run no tests, whatever they are given.
var onlyLook = []string{
	"test", "[", "[[", "grep", "egrep", "fgrep", "rg", "ag", "cat", "ls", "find", "echo", "printf", "sed", "awk", "git", "diff", "cmp", "stat", "wc", "head", "tail",
	"rm", "cp", "mv", "mkdir", "touch", "cd", "curl", "wget", "jq", "true", "false", "exit", "export", "set", "!", "chmod", "ln",
}

// RunsTests tells whether a shell line starts a runner of tests, or a file that is a test: then new
// tests can make it red.
func RunsTests(line string) bool {
	for _, command := range commands(line) {
		words := strings.Fields(strings.NewReplacer(`"`, " ", `'`, " ").Replace(command))
		for len(words) > 0 && (assigned.MatchString(words[0]) || slices.Contains(leading, words[0])) {
			words = words[1:]
		}
		if len(words) == 0 || slices.Contains(onlyLook, words[0]) {
			continue
		}
		if slices.ContainsFunc(words, namesTests) {
			return true
		}
	}
	return false
}

// leading are words of a shell that stand before a command.
var leading = []string{"!", "do", "then", "else", "if", "while", "time", "exec", "{", "("}

// namesTests tells whether a word of a command is a runner, a target that runs tests, or a test.
func namesTests(word string) bool {
	return runsTests.MatchString(path.Base(word)) || strings.ContainsAny(word, "/.") && !strings.HasPrefix(word, "-") && SideOf(strings.TrimPrefix(word, "./"), nil) == Tests
}
