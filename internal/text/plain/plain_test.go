package plain_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"kedge/internal/text/plain"
)

func TestT11Text(t *testing.T) {
	for in, want := range map[string]string{
		"plain text\n\tindented": "plain text\n\tindented",
		"\x1b[31mred\x1b[0m":     "[31mred[0m",
		"\x1b]0;title\x07x":      "]0;titlex",
		"\x1b]52;c;aGk=\x1b\\":   "]52;c;aGk=\\",
		"a\u009b31mb":            "a31mb",
		"user\u202egnp.exe":      "usergnp.exe",
		"back\bspace\rover\x00":  "backspaceover",
		"bad\xff\xfeutf8":        "bad\uFFFDutf8",
		"grüße 世界 👍":             "grüße 世界 👍",
	} {
		if got := plain.Text(in); got != want {
			t.Errorf("Text(%q) = %q, want %q", in, got, want)
		}
	}
	if got := plain.Line("a\nb\tc"); got != "a b c" {
		t.Errorf("Line = %q", got)
	}
}

func TestWriterJoinsSplitCharacters(t *testing.T) {
	const text = "grüße 世界 👍\x1b[0m"
	var out bytes.Buffer
	w := &plain.Writer{W: &out}
	for _, b := range []byte(text) {
		if _, err := w.Write([]byte{b}); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := out.String(), "grüße 世界 👍[0m"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func FuzzText(f *testing.F) {
	f.Add("\x1b[31m\u009b\u202e\xff")
	f.Fuzz(func(t *testing.T, s string) {
		got := plain.Text(s)
		if !utf8.ValidString(got) || strings.ContainsAny(got, "\x1b\x07\x00\r\u009b\u202e") {
			t.Fatalf("Text(%q) = %q", s, got)
		}
		if plain.Text(got) != got {
			t.Fatalf("not stable: %q", got)
		}
		b, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var a, z any
		if json.Unmarshal(b, &a) != nil || json.Unmarshal(plain.JSON(b), &z) != nil || !reflect.DeepEqual(a, z) {
			t.Fatalf("JSON changed the value of %q", b)
		}
	})
}
