package cli_test

import (
	"bytes"
	"strings"
	"testing"

	"kedge/internal/cli"
	"kedge/internal/cli/frame"
)

// TestWrongArgumentsAreNamed: what a command takes, what it got, and how it is
// called; a flag that is nearly another is named.
func TestWrongArgumentsAreNamed(t *testing.T) {
	for args, want := range map[string]string{
		"answer":        "kedge answer needs N|FEATURE TEXT, but got nothing\nnext: kedge answer 1 \"required, not positional\" (more: kedge answer --help)\n",
		"explain a b":   "kedge explain needs FEATURE|COMMIT|ID, but got \"a\" \"b\"\nnext: kedge explain login (more: kedge explain --help)\n",
		"run --agnt x":  "unknown flag --agnt for \"kedge run\"\nnext: did you mean --agent? All flags: kedge run --help\n",
		"run --rubbish": "unknown flag --rubbish for \"kedge run\"\nnext: kedge run --help\n",
	} {
		var out, talk bytes.Buffer
		code := cli.Main(t.Context(), frame.Env{Args: strings.Fields(args), Out: &out, Err: &talk, Call: refusing{}})
		if code != 2 || talk.String() != "kedge: "+want || out.Len() > 0 {
			t.Errorf("%s: code %d, said %q, printed %q", args, code, &talk, &out)
		}
	}
}
