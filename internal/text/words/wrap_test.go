package words_test

import (
	"testing"

	"kedge/internal/text/words"
)

func TestWrap(t *testing.T) {
	for in, want := range map[string]string{
		"":                "",
		"one":             "one",
		"one two three":   "one two\nthree",
		"a  b\nc":         "a b c",
		"longerthan it":   "longerthan\nit",
		"äöü äöü äöü":     "äöü äöü\näöü",
		"exactly8 8chars": "exactly8\n8chars",
	} {
		if got := words.Wrap(in, 8); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
