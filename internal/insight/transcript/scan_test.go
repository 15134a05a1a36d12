package transcript

import (
	"encoding/json"
	"testing"
	"unicode/utf8"
)

// FuzzScanner: what the scanner calls whole is JSON, and the other way round,
// and both count the same characters.
func FuzzScanner(f *testing.F) {
	f.Add([]byte(`{"a":[1,-0.5e+3,true,null,"\u00e9\ud83d\ude00\ud83dx\n"]}`))
	f.Add([]byte(`"plain text of more than eight bytes, with é"`))
	f.Fuzz(func(t *testing.T, b []byte) {
		s := Scanner{b: b}
		s.space()
		v, ok := s.Value()
		ok = ok && s.End()
		if valid := json.Valid(b); ok != valid {
			t.Fatalf("%q: whole %v, valid %v", b, ok, valid)
		}
		if again := (&Scanner{b: v, checked: true}); ok && (!again.Skip() || again.i != len(v)) {
			t.Errorf("%q: the second time it ends at %d", v, again.i)
		}
		if ok && len(v) > 0 && v[0] == '"' {
			if n, want := runes(Inside(v)), utf8.RuneCount(Inside(v)); n != want {
				t.Errorf("%q: %d runes, want %d", v, n, want)
			}
			if n, want := s.chars(Inside(v)), len([]rune(Text(Inside(v)))); n != want {
				t.Errorf("%q: %d characters, decoded %d", v, n, want)
			}
		}
	})
}
