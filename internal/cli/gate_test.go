package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
)

// checking answers a gate and tells of one check on the way.
type checking struct{ goldens }

func (c *checking) Call(ctx context.Context, name string, in, out any, progress func(json.RawMessage)) error {
	check := `"check":{"name":"unit","kind":"test","command":"go test ./...` + strings.Repeat(" ./x", 99) + `"}}`
	progress(json.RawMessage(`{"state":"started",` + check))
	progress(json.RawMessage(`{"state":"finished",` + check))
	return c.goldens.Call(ctx, name, in, out, nil)
}

// TestGateNamesTheRunningCheck: a terminal shows which check runs, in one line
// that gives way to its end; nothing else is shown it.
func TestGateNamesTheRunningCheck(t *testing.T) {
	for _, args := range []string{"gate", "feature submit orders"} {
		for _, tty := range []bool{true, false} {
			var out, talk bytes.Buffer
			_ = Main(t.Context(), Env{Args: strings.Fields(args), Out: &out, Err: &talk, ErrTTY: tty, Environ: []string{"TERM=xterm"}, Call: &checking{goldens{t: t}}})
			said := talk.String()
			_, after, named := strings.Cut(said, "\r\x1b[2Krun   unit         test: go test ./...")
			if named != tty || tty != strings.Contains(said, "\x1b") {
				t.Errorf("%s, terminal %v: said %q", args, tty, said)
			}
			line, rest, _ := strings.Cut(after, "\r\x1b[2K")
			if tty && (len(line) > defaultCols || strings.Contains(line, "\n") || !strings.HasPrefix(rest, "ok    unit")) {
				t.Errorf("%s: the line does not give way: %q", args, said)
			}
		}
	}
}

// TestKillSaysWhatItWaitsFor: whoever waits at a terminal sees for what, until it
// is over.
func TestKillSaysWhatItWaitsFor(t *testing.T) {
	for _, tty := range []bool{true, false} {
		var out, talk bytes.Buffer
		if code := Main(t.Context(), Env{Args: []string{"kill", "work"}, Out: &out, Err: &talk, ErrTTY: tty, Environ: []string{"TERM=xterm"}, Call: &goldens{t: t}}); code != 0 {
			t.Fatalf("code %d: %s", code, talk.String())
		}
		if got := strings.Contains(talk.String(), "\x1b[2Kwork is asked to end, and made to after 6s at the latest\r\x1b[2K"); got != tty {
			t.Errorf("terminal %v: said %q", tty, talk.String())
		}
	}
}
