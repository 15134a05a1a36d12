package ledger_test

import (
	"bytes"
	"strings"
	"testing"

	"kedge/internal/cli"
	"kedge/internal/cli/frame"
	"kedge/internal/testkit/clitest"
)

// A person at a terminal is told to have the check seen red before the work; who
// cannot be told, or has a check that holds all along, is not.
func TestFeatureAddSaysToSubmitFirst(t *testing.T) {
	for _, c := range []struct {
		line string
		tty  bool
		told bool
	}{
		{"feature add login --check true", true, true},
		{"feature add login --check true", false, false},
		{"feature add login --check true --json", true, false},
		{"feature add login --check true --prove holds", true, false},
		{"feature add login", true, false},
	} {
		var out, talk bytes.Buffer
		cli.Main(t.Context(), frame.Env{
			Args: strings.Fields(c.line), In: strings.NewReader(""), Out: &out, Err: &talk, ErrTTY: c.tty, Dir: t.TempDir(), Call: &clitest.Goldens{T: t},
		})
		if got := strings.Contains(talk.String(), "kedge feature submit login  "); got != c.told || out.Len() == 0 {
			t.Errorf("%s, at a terminal %v: printed %q, said %q", c.line, c.tty, out.String(), talk.String())
		}
	}
}
