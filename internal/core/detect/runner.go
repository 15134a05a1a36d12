package detect

import (
	"path"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/core/check"
)

// interpreters are the programs that run the script which comes first among their arguments.
var interpreters = []string{"sh", "bash", "dash", "zsh", "ksh", "python", "python3", "node", "ruby", "perl", "php", "bun"}

// Runners are the scripts of the project that checks run: they decide which tests run, as the settings
// of a known runner do.
func Runners(checks []kedge.Check) []string {
	var out []string
	for _, c := range checks {
		if name := scriptIn(check.ShellLine(c)); name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// scriptIn is the script that a command line runs first; empty if it runs none, or more than a name tells.
func scriptIn(line string) string {
	words := strings.Fields(line)
	for len(words) > 0 && (strings.Contains(words[0], "=") || words[0] == "exec" || words[0] == "env") {
		words = words[1:]
	}
	direct := len(words) > 0 && strings.Contains(words[0], "/")
	if !direct && len(words) > 0 && slices.Contains(interpreters, words[0]) {
		words = words[1:]
		for len(words) > 0 && (words[0] == "-e" || words[0] == "-x" || words[0] == "-u" || words[0] == "-ex") {
			words = words[1:]
		}
		direct = len(words) > 0
	}
	if !direct || strings.HasPrefix(words[0], "/") || strings.HasPrefix(words[0], "-") || strings.ContainsAny(words[0], "*?[]{}$`\"'\\;&|<>()") {
		return ""
	}
	return path.Clean(words[0])
}
