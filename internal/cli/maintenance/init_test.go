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
type asked struct {
	calls  []string
	trials []setup.Trial // the answer to init.try
	left   []string      // what init was asked to leave out
}

func (a *asked) Call(_ context.Context, name string, in, out any, _ func(json.RawMessage)) error {
	a.calls = append(a.calls, name)
	var answer any = setup.InitReply{Written: []string{".kedge/config.toml"}}
	switch q := in.(type) {
	case setup.InitTryRequest:
		answer = setup.InitTryReply{Trials: a.trials}
	case setup.InitRequest:
		a.left = nil
		for _, t := range q.Trials {
			if t.Left {
				a.left = append(a.left, t.Name)
			}
		}
	}
	b, err := json.Marshal(answer)
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
		{"return is yes", "init", "\n", true, "init.plan init.try init", 0},
		{"yes", "init", "Yes\n", true, "init.plan init.try init", 0},
		{"no", "init", "n\n", true, "init.plan", 130},
		{"something else is no", "init", "what?\n", true, "init.plan", 130},
		{"the end of the input is no", "init", "", true, "init.plan", 130},
		{"--yes", "init --yes", "", true, "init.try init", 0},
		{"--json", "init --json", "", true, "init.try init", 0},
		{"--no-try", "init --yes --no-try", "", true, "init", 0},
		{"no terminal", "init", "", false, "init.try init", 0},
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

// TestInitWithoutAnAnswer: the command that asks nothing is the one that was typed.
func TestInitWithoutAnAnswer(t *testing.T) {
	for typed, want := range map[string]string{
		"init": "kedge init --yes",
		"init --agent claude --no-try --try-time 2m": "kedge init --yes --agent claude --no-try --try-time 2m0s",
	} {
		var talk bytes.Buffer
		cli.Main(t.Context(), frame.Env{
			Args: strings.Fields(typed), In: strings.NewReader(""), Out: &bytes.Buffer{}, Err: &talk, InTTY: true, ErrTTY: true, Call: &asked{},
		})
		if !strings.Contains(talk.String(), "next: "+want+"\n") {
			t.Errorf("%s: %s", typed, &talk)
		}
	}
}

// TestInitAsksOfRedOnes: on a terminal you decide what becomes of a red check; elsewhere it
// is left out.
func TestInitAsksOfRedOnes(t *testing.T) {
	trials := []setup.Trial{
		{Name: "test", Command: "make test", State: setup.TrialGreen},
		{Name: "lint", Command: "make lint", State: setup.TrialRed, Why: "a.c:1: no", Left: true},
		{Name: "types", Command: "make types", State: setup.TrialRed, Left: true},
		{Name: "types", Command: "make some types", State: setup.TrialGreen},
	}
	for _, c := range []struct {
		name, args, in string
		tty            bool
		left           string
		questions      int
	}{
		{"return is yes", "init", "\n\n\n", true, "lint types", 2},
		{"one stays in", "init", "y\nn\ny\n", true, "types", 2},
		{"the end of the input", "init", "y\n", true, "lint types", 2},
		{"--yes", "init --yes", "", true, "lint types", 0},
		{"no terminal", "init", "", false, "lint types", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out, talk bytes.Buffer
			a := &asked{trials: trials}
			code := cli.Main(t.Context(), frame.Env{
				Args: strings.Fields(c.args), In: strings.NewReader(c.in), Out: &out, Err: &talk, InTTY: c.tty, ErrTTY: c.tty, Call: a,
			})
			if left := strings.Join(a.left, " "); code != 0 || left != c.left {
				t.Errorf("exit code %d, left out %q\n%s%s", code, left, &out, &talk)
			}
			if strings.Contains(talk.String(), "Use this green command instead? make some types") != (c.questions > 0) {
				t.Errorf("of the green one it says\n%s", &talk)
			}
			if n := strings.Count(talk.String(), " is red. "); n != c.questions {
				t.Errorf("asked %d times\n%s", n, &talk)
			}
		})
	}
}
