package check_test

import (
	"testing"

	"kedge/internal/core/check"
)

// TestSubject: the subject of a commit is what the command or git says of it.
func TestSubject(t *testing.T) {
	for command, want := range map[string]string{
		`git commit -m "Fix a"`:                                     "Fix a",
		`git commit -am 'Fix "b"'`:                                  `Fix "b"`,
		"git commit -m \"$(cat <<'EOF'\nFix c\n\nLonger.\nEOF\n)\"": "Fix c",
		"git commit --amend":                                        "",
	} {
		if got, _ := check.GitRuns(command, "")[0].Commits(command, ""); got != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}
