package gate

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"kedge"
	"kedge/internal/core/check"
	"kedge/internal/process"
)

// The exit codes of a shell that finds no such command, or may not run it.
const (
	notExecutable = 126
	misread       = 2 // also of a line that it could not parse
	notFound      = 127
)

// MissingTool says which program a check of a verdict needs that is not there; empty for
// none. Unless anything counts, a program counts only if it is looked for on the path.
func MissingTool(v kedge.Verdict, env []string, anything bool) string {
	for _, r := range v.Checks {
		if r.FirstFailure == nil || r.Exit != notFound && r.Exit != notExecutable {
			continue
		}
		if anything || absent(r.Command, env) {
			return fmt.Sprintf("check %q cannot run: %s", r.Name, Render(*r.FirstFailure))
		}
	}
	return ""
}

// absent tells whether the program of a line is on no path.
func absent(line string, env []string) bool {
	word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
	if word == "" || strings.ContainsAny(word, "/$\"'=;&|()<>`\\") {
		return false
	}
	for _, dir := range filepath.SplitList(process.Getenv(env, "PATH")) {
		if fi, err := os.Stat(filepath.Join(dir, word)); err == nil && !fi.IsDir() && fi.Mode()&0o111 != 0 {
			return false
		}
	}
	return true
}

// TimedOut tells whether a check ran and was ended because its time was up.
func TimedOut(r kedge.CheckResult) bool {
	return r.Skipped == "" && r.Exit == -1 && r.FirstFailure != nil && strings.HasPrefix(r.FirstFailure.Message, "timed out")
}

// Unfit tells whether a red result of a check says that the check itself is broken: its
// command is not there, may not be run or cannot be read, or it never ends.
func Unfit(c kedge.Check, r kedge.CheckResult) bool {
	return check.Of(c).Shell && (r.Exit == notFound || r.Exit == notExecutable || TimedOut(r) || r.Exit == misread && process.SyntaxError(r.Command) != "")
}
