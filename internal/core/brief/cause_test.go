package brief_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"kedge/internal/core/brief"
)

func TestRow110StatedCause(t *testing.T) {
	for _, tc := range []struct{ closing, want string }{
		{"", ""},
		{"It is done.", ""},
		{"Cause: the cache outlives the login.", "the cache outlives the login."},
		{"I looked.\n\n**Root cause:** an off-by-one in `slice`.\nFixed.", "an off-by-one in `slice`."},
		{"- cause : x", "x"},
		{"## Cause: first\nCause: second", "second"},
		{"Because: no\nthe cause: no", ""},
		{"Cause", ""},
		{"Causes: many", ""},
		{"Cause:\n", ""},
		{"**Cause**: y", "y"},
		{"Cause: \x1b[31mred", "\\u{1b}[31mred"},
	} {
		if got := brief.StatedCause(tc.closing); got != tc.want {
			t.Errorf("%q gives %q, want %q", tc.closing, got, tc.want)
		}
	}
}

func FuzzStatedCause(f *testing.F) {
	for _, s := range []string{"Cause: x", "**Root cause:** y\n", "cause", "\x00Cause:\xff", "- Cause: " + strings.Repeat("ü", 400)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := brief.StatedCause(s)
		if len(got) > 310 || !utf8.ValidString(got) || strings.ContainsAny(got, "\n\r\x1b") {
			t.Errorf("%q gives %q", s, got)
		}
	})
}
