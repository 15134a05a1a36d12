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
		"answer":        "kedge answer takes N|FEATURE TEXT, but got nothing\nnext: write it like this: kedge answer 1 \"required, not positional\"; see more examples: kedge answer --help\n",
		"explain a b":   "kedge explain takes FEATURE|COMMIT|ID, but got \"a\" \"b\"\nnext: write it like this: kedge explain login; see more examples: kedge explain --help\n",
		"run --agnt x":  "kedge run has no flag --agnt; did you mean --agent?\nnext: see its flags: kedge run --help\n",
		"run --rubbish": "kedge run has no flag --rubbish\nnext: see its flags: kedge run --help\n",
	} {
		var out, talk bytes.Buffer
		code := cli.Main(t.Context(), frame.Env{Args: strings.Fields(args), Out: &out, Err: &talk, Call: refusing{}})
		if code != 2 || talk.String() != "kedge: "+want || out.Len() > 0 {
			t.Errorf("%s: code %d, said %q, printed %q", args, code, &talk, &out)
		}
	}
}
