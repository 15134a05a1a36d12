package usage_test

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

// reading answers an audit and tells of its progress, as far as it is asked.
type reading struct{ clitest.Goldens }

func (r *reading) Call(ctx context.Context, name string, in, out any, progress func(json.RawMessage)) error {
	if progress != nil {
		progress(json.RawMessage(`{"files":1,"of":2,"bytes":50,"total":100}`))
	}
	return r.Goldens.Call(ctx, name, in, out, nil)
}

// TestAuditBar: progress is shown on a terminal, in one line that is gone
// afterwards, and nowhere else.
func TestAuditBar(t *testing.T) {
	for _, tty := range []bool{true, false} {
		var out, talk bytes.Buffer
		env := frame.Env{Args: []string{"audit"}, Out: &out, Err: &talk, ErrTTY: tty, Environ: []string{"TERM=xterm"}, Call: &reading{clitest.Goldens{T: t}}}
		if code := cli.Main(t.Context(), env); code != 0 {
			t.Fatalf("code %d: %s", code, talk.String())
		}
		said := talk.String()
		if tty != strings.Contains(said, "[==========          ] 1 of 2") || tty != strings.HasSuffix(said, "\r\x1b[2K") {
			t.Errorf("terminal %v: said %q", tty, said)
		}
		if strings.Contains(out.String(), "\x1b") || !strings.Contains(out.String(), "What would have saved most") {
			t.Errorf("printed %q", out.String())
		}
	}
}
