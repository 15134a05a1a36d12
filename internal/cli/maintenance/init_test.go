package maintenance_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"kedge/internal/app/setup"
	"kedge/internal/cli"
	"kedge/internal/cli/frame"
)

// asked is a Caller that answers init and notes what was called.
type asked struct{ calls []string }

func (a *asked) Call(_ context.Context, name string, _, out any, _ func(json.RawMessage)) error {
	a.calls = append(a.calls, name)
	b, err := json.Marshal(setup.InitReply{Written: []string{".kedge/config.toml"}})
	if err != nil {
		return err
	}
	return json.Unmarshal(b, out)
}

func TestInitAsksOnATerminal(t *testing.T) {
	for _, c := range []struct {
		name, args, in string
		tty            bool
		calls          string
		code           int
	}{
		{"return is yes", "init", "\n", true, "init.plan init", 0},
		{"yes", "init", "Yes\n", true, "init.plan init", 0},
		{"no", "init", "n\n", true, "init.plan", 130},
		{"something else is no", "init", "what?\n", true, "init.plan", 130},
		{"the end of the input is no", "init", "", true, "init.plan", 130},
		{"--yes", "init --yes", "", true, "init", 0},
		{"--json", "init --json", "", true, "init", 0},
		{"no terminal", "init", "", false, "init", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out, talk bytes.Buffer
			a := &asked{}
			code := cli.Main(t.Context(), frame.Env{
				Args: strings.Fields(c.args), In: strings.NewReader(c.in), Out: &out, Err: &talk,
				InTTY: c.tty, ErrTTY: c.tty, Call: a,
			})
			if calls := strings.Join(a.calls, " "); code != c.code || calls != c.calls {
				t.Errorf("exit code %d, calls %q\n%s%s", code, calls, &out, &talk)
			}
			if question := strings.Contains(talk.String(), "Continue? [Y/n]"); question != strings.Contains(c.calls, "plan") {
				t.Errorf("asked: %v\n%s", question, &talk)
			}
			if code != 0 && out.Len() > 0 {
				t.Errorf("printed %q", &out)
			}
		})
	}
}
