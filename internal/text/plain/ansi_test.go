package plain_test

import (
	"bytes"
	"testing"

	"kedge/internal/text/plain"
)

var cases = []struct{ in, want string }{
	{"plain\r\n\ttext", "plain\r\n\ttext"},
	{"\x1b[1;31mred\x1b[0m done", "red done"},
	{"\x1b[?25l\x1b[2J\x1b[Hat home", "at home"},
	{"\x1b]0;title\x07after", "after"},
	{"\x1b]0;\xe2\x9c\xb3 title\x07after", "after"}, // 0x9c inside UTF-8 is no terminator
	{"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"},
	{"\x1bPq#0\x1b\\after", "after"},
	{"\x1b(Bascii\x1b=keypad\x1bMup", "asciikeypadup"},
	{"\x1b[31\nm", "\n"},
	{"half \x1b[", "half "},
	{"\x1b\x1b[0mx", "x"},
	{"\x1b]cut\x1b[1mbold", "bold"},
	{"grüße \x1b[1m世界", "grüße 世界"},
}

func TestText(t *testing.T) {
	for _, tc := range cases {
		if got := string(plain.Stripped([]byte(tc.in))); got != tc.want {
			t.Errorf("Text(%q) = %q, want %q", tc.in, got, tc.want)
		}
	}
}

// FuzzStrip: however a stream is cut into pieces, the text is the same, without
// any ESC, and stripping it again changes nothing.
func FuzzStrip(f *testing.F) {
	for _, tc := range cases {
		f.Add([]byte(tc.in), 3)
	}
	f.Fuzz(func(t *testing.T, in []byte, size int) {
		whole := plain.Stripped(in)
		if bytes.IndexByte(whole, 0x1b) >= 0 {
			t.Fatalf("an ESC is left in %q", whole)
		}
		var s plain.Stripper
		var pieces []byte
		size = max(1, size%7)
		for rest := in; len(rest) > 0; {
			n := min(size, len(rest))
			pieces = s.Strip(pieces, rest[:n])
			rest = rest[n:]
		}
		if !bytes.Equal(whole, pieces) {
			t.Fatalf("whole %q, in pieces %q", whole, pieces)
		}
		if runs := inPlaces(t, in); !bytes.Equal(runs, whole) {
			t.Fatalf("whole %q, by stretches %q", whole, runs)
		}
		if !bytes.Equal(plain.Stripped(whole), whole) {
			t.Fatalf("not stable: %q", whole)
		}
	})
}

// inPlaces puts the text together from its stretches; each must lie in the
// stream where Next's rest says it does.
func inPlaces(t *testing.T, in []byte) []byte {
	t.Helper()
	var (
		s   plain.Stripper
		out []byte
	)
	for rest := in; len(rest) > 0; {
		run, after := s.Next(rest)
		if len(after) >= len(rest) {
			t.Fatalf("no step forward at %q", rest)
		}
		end := len(in) - len(after)
		if !bytes.Equal(in[end-len(run):end], run) {
			t.Fatalf("%q is not what stands before %q", run, after)
		}
		out, rest = append(out, run...), after
	}
	return out
}
