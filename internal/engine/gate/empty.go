package gate

import (
	"slices"
	"strings"
)

// emptyRunners are the runners that fail when there is nothing to run, with the
// exit code and the words they do it with. A new project has no tests yet; that
// is no failure of the work.
var emptyRunners = []struct {
	program string
	exit    int
	says    string
}{
	{"go", 1, "matched no packages"},
	{"unittest", 5, "NO TESTS RAN"},
	{"pytest", 5, "no tests ran"},
	{"py.test", 5, "no tests ran"},
	{"jest", 1, "No tests found, exiting with code 1"},
	{"vitest", 1, "No test files found, exiting with code 1"},
	{"mocha", 1, "No test files found"},
}

// nothingToRun tells whether a command failed for no other reason than that its
// runner found no test. It must be one simple command: of a longer line nobody
// can tell which part of it failed.
func nothingToRun(line, text string, exit int) bool {
	words := simple(line)
	if script, ok := scriptOf(words, text); ok {
		words = simple(script)
	}
	for _, r := range emptyRunners {
		if exit == r.exit && slices.ContainsFunc(words, runs(r.program)) && strings.Contains(text, r.says) {
			return true
		}
	}
	return false
}

// runs matches a word that starts a program: by its name or by a path to it.
func runs(program string) func(word string) bool {
	return func(word string) bool { return word == program || strings.HasSuffix(word, "/"+program) }
}

// simple gives the words of a line that is one command without redirections,
// substitutions or a second command; nil for any other.
func simple(line string) []string {
	if strings.ContainsAny(line, "&|;<>`$()\n\\") {
		return nil
	}
	return strings.Fields(line)
}

// scriptOf gives the command behind `npm test` and its kin, which print it
// before they run it.
func scriptOf(words []string, text string) (string, bool) {
	managers := []string{"npm", "pnpm", "yarn"}
	if len(words) < 2 || !slices.Contains(managers, words[0]) {
		return "", false
	}
	script, ok := "", false
	for line := range strings.Lines(text) {
		rest, is := strings.CutPrefix(strings.TrimRight(line, "\r\n"), "> ")
		if is {
			script, ok = rest, true
		} else if ok && strings.TrimSpace(line) != "" {
			break // the program's own output begins
		}
	}
	return script, ok
}
