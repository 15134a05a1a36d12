package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/cli"
	"kedge/internal/cli/frame"
)

// refusing is a Caller whose answer is an error.
type refusing struct{ err error }

func (r refusing) Call(context.Context, string, any, any, func(json.RawMessage)) error { return r.err }

// TestInterruptedIsOneWord: who pressed Ctrl-C knows why; who did not is told.
func TestInterruptedIsOneWord(t *testing.T) {
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	err := kedge.Errorf(kedge.Interrupted, "interrupted: %w", context.Canceled).WithHint("kedge gate")
	for _, c := range []struct {
		name, args string
		ctx        context.Context //nolint:containedctx // a case of a table
		err        error
		talk       string
	}{
		{"by a signal", "gate", gone, err, "interrupted\n"},
		{"bare", "gate", gone, context.Canceled, "interrupted\n"},
		{"by something else", "gate", t.Context(), err, "kedge: interrupted: context canceled\nnext: kedge gate\n"},
		{"another error at a signal", "gate", gone, kedge.Errorf(kedge.Conflict, "busy"), "kedge: busy\nnext: see where the work stands: kedge status; see how the command works: kedge gate --help\n"},
		{"as JSON", "gate --json", gone, err, `{"error":{"kind":"interrupted","message":"interrupted: context canceled","hint":"kedge gate"}}` + "\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out, talk bytes.Buffer
			code := cli.Main(c.ctx, frame.Env{Args: strings.Fields(c.args), Out: &out, Err: &talk, Call: refusing{c.err}})
			if want := map[bool]int{true: 130, false: 4}[kedge.Interrupted.Is(c.err)]; code != want || talk.String() != c.talk || out.Len() > 0 {
				t.Errorf("exit code %d, want %d; said %q, want %q; printed %q", code, want, &talk, c.talk, &out)
			}
		})
	}
}
