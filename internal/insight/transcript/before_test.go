package transcript

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"
)

func zipped(t *testing.T, s string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(s)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestFirstLines(t *testing.T) {
	for _, c := range []struct {
		in    string
		lines int
		want  string
		n     int
	}{
		{"a\nb\nc\n", 2, "a\nb\n", 2},
		{"a\nb\nc\n", 0, "", 0},
		{"a\nb\nc\n", 3, "a\nb\nc\n", 3},
		{"a\nb\nc\n", 9, "a\nb\nc\n", 3},
		{"a\nb\nc", 9, "a\nb\nc", 3},
		{"\n\nc", 2, "\n\n", 2},
		{"", 5, "", 0},
	} {
		for _, in := range []string{c.in, zipped(t, c.in)} {
			f, err := newFirstLines(strings.NewReader(in), c.lines)
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(f)
			if err != nil || string(got) != c.want || f.n != c.n {
				t.Errorf("the first %d of %q: %q, %d lines (%v)", c.lines, c.in, got, f.n, err)
			}
		}
	}
}

// FuzzFirstLines: what comes is the beginning of what is there, by whole lines.
func FuzzFirstLines(f *testing.F) {
	f.Add("a\nb\n", 1)
	f.Add("\n", 3)
	f.Fuzz(func(t *testing.T, s string, lines int) {
		if strings.HasPrefix(s, "\x1f\x8b") {
			t.Skip("gzip, or what looks so")
		}
		r, err := newFirstLines(strings.NewReader(s), lines)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r)
		if err != nil || !strings.HasPrefix(s, string(got)) || r.n > max(lines, 0) {
			t.Fatalf("%q of %q: %d lines (%v)", got, s, r.n, err)
		}
		if len(got) < len(s) && (r.n != max(lines, 0) || len(got) > 0 && got[len(got)-1] != '\n') {
			t.Fatalf("%q ends too early, behind %d lines of %d", got, r.n, lines)
		}
	})
}
