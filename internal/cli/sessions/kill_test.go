package sessions_test

import (
	"bytes"
	"strings"
	"testing"

	"kedge/internal/cli"
	"kedge/internal/cli/frame"
	"kedge/internal/testkit/clitest"
)

// TestKillSaysWhatItWaitsFor: whoever waits at a terminal sees for what, until it
// is over.
func TestKillSaysWhatItWaitsFor(t *testing.T) {
	for _, tty := range []bool{true, false} {
		var out, talk bytes.Buffer
		if code := cli.Main(t.Context(), frame.Env{Args: []string{"kill", "work"}, Out: &out, Err: &talk, ErrTTY: tty, Environ: []string{"TERM=xterm"}, Call: &clitest.Goldens{T: t}}); code != 0 {
			t.Fatalf("code %d: %s", code, talk.String())
		}
		if got := strings.Contains(talk.String(), "\x1b[2Kasking session work to end; if it does not, Kedge kills it after 6s\r\x1b[2K"); got != tty {
			t.Errorf("terminal %v: said %q", tty, talk.String())
		}
	}
}
