package ledger_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"kedge/internal/cli"
	"kedge/internal/cli/frame"
	"kedge/internal/testkit/clitest"
)

// checking answers a gate and tells of one check on the way.
type checking struct{ clitest.Goldens }

func (c *checking) Call(ctx context.Context, name string, in, out any, progress func(json.RawMessage)) error {
	check := `"check":{"name":"unit","kind":"test","command":"go test ./...` + strings.Repeat(" ./x", 99) + `"}}`
	progress(json.RawMessage(`{"state":"started",` + check))
	progress(json.RawMessage(`{"state":"finished",` + check))
	return c.Goldens.Call(ctx, name, in, out, nil)
}

// TestGateNamesTheRunningCheck: a terminal shows which check runs, in one line
// that gives way to its end; nothing else is shown it.
func TestGateNamesTheRunningCheck(t *testing.T) {
	for _, args := range []string{"gate", "feature submit orders"} {
		for _, tty := range []bool{true, false} {
			var out, talk bytes.Buffer
			_ = cli.Main(t.Context(), frame.Env{Args: strings.Fields(args), Out: &out, Err: &talk, ErrTTY: tty, Environ: []string{"TERM=xterm"}, Call: &checking{clitest.Goldens{T: t}}})
			said := talk.String()
			_, after, named := strings.Cut(said, "\r\x1b[2Krun   unit         test: go test ./...")
			if named != tty || tty != strings.Contains(said, "\x1b") {
				t.Errorf("%s, terminal %v: said %q", args, tty, said)
			}
			line, rest, _ := strings.Cut(after, "\r\x1b[2K")
			if tty && (len(line) > frame.DefaultCols || strings.Contains(line, "\n") || !strings.HasPrefix(rest, "ok    unit")) {
				t.Errorf("%s: the line does not give way: %q", args, said)
			}
		}
	}
}
