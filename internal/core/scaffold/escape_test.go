package scaffold

import (
	"encoding/xml"
	"strings"
	"testing"
)

// FuzzEscaped: the text is what encoding/xml makes of it.
func FuzzEscaped(f *testing.F) {
	for _, s := range []string{"/a<b>&\"'/kedge", "\x01]]>\t\r\n", "grüße\xff\xfe", "\uFFFE\uFFFF\uFFFD\x7f"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var b strings.Builder
		if err := xml.EscapeText(&b, []byte(s)); err != nil {
			t.Fatal(err)
		}
		if got := escaped(s); got != b.String() {
			t.Errorf("escaped(%q) = %q, want %q", s, got, b.String())
		}
	})
}
