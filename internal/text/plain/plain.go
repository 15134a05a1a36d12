// Package plain makes untrusted text safe to show outside a terminal emulator: in a list,
// a log line, a notification. Its output cannot move the cursor, set a title, reach the
// clipboard or reorder its line. A Stripper removes whole escape sequences from a stream,
// even if the stream is cut inside one. Cells gives the width of a text in columns.
package plain

import (
	"io"
	"strings"
	"unicode/utf8"
)

// Text removes escape sequences' introducers, control characters but newline
// and tab, C1 controls, and characters that reorder or hide text. Invalid UTF-8
// becomes U+FFFD.
func Text(s string) string {
	return strings.Map(func(r rune) rune {
		if unsafe(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// ASCII tells whether all of s is printable ASCII or tabs: then nothing is to be removed.
func ASCII(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < 0x20 && c != '\t' || c >= 0x7f {
			return false
		}
	}
	return true
}

// Line is Text on one line: newlines and tabs become spaces.
func Line(s string) string {
	return strings.NewReplacer("\n", " ", "\t", " ").Replace(Text(s))
}

// JSON escapes the unsafe characters of encoded JSON, so that the value stays
// what it was and a terminal shows it raw. It expects valid JSON, in which they
// can only stand inside strings.
func JSON(b []byte) []byte {
	out := make([]byte, 0, len(b))
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r != utf8.RuneError && unsafe(r) && r >= 0x7f {
			out = append(out, '\\', 'u', hex(r>>12), hex(r>>8), hex(r>>4), hex(r))
		} else {
			out = append(out, b[:n]...)
		}
		b = b[n:]
	}
	return out
}

func hex(r rune) byte { return "0123456789abcdef"[r&15] }

func unsafe(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < 0x20, r >= 0x7f && r <= 0x9f:
		return true
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069: // bidi embeddings, overrides, isolates
		return true
	case r == 0x200e, r == 0x200f, r == 0x061c: // bidi marks
		return true
	case r == 0x2028, r == 0x2029, r == 0xfeff: // separators that some terminals break lines at; BOM
		return true
	}
	return false
}

// Writer passes text on through Text. A character split over two writes is put
// together again; one that never ends is dropped.
type Writer struct {
	W    io.Writer
	rest []byte
}

// Write implements io.Writer.
func (w *Writer) Write(p []byte) (int, error) {
	b := append(w.rest, p...)
	cut := len(b) - Unfinished(b)
	w.rest = append([]byte(nil), b[cut:]...)
	if _, err := io.WriteString(w.W, Text(string(b[:cut]))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Unfinished is the length of an unfinished character at the end of b.
func Unfinished(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		tail := b[len(b)-n:]
		if utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return 0
			}
			return n
		}
	}
	return 0
}
