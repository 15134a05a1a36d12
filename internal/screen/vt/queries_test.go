package vt

import (
	"fmt"
	"strings"
	"testing"
)

var (
	questions = []string{
		"\x1b[c", "\x1b[0c", "\x1b[>c", "\x1b[=c", "\x1b[5n", "\x1b[6n", "\x1b[?6n", "\x1b[?996n", "\x1b[?2026$p", "\x1b[4$p", "\x1b[?u", "\x1b[>0q",
		"\x1b[18t", "\x1b[14;2t", "\x1b[?4m", "\x1b[?2048h", "\x1b]10;?\x07", "\x1b]11;?\x1b\\", "\x1b]4;7;?\x1b\\", "\x1b]52;c;?\x07", "\x1b]7501;?\x1b\\",
		"\x1bP+q544e\x1b\\", "\x1bP$qm\x1b\\", "\x1b_Gi=1,a=q;AAAA\x1b\\", "\x05", "\x1bZ", "\u009b6n", "\u009d11;?\x07",
	}
	statements = []string{
		"text", "世界 ¢ ü\u00a0", "\x1b[1m", "\x1b[?25h", "\x1b[?2026h", "\x1b[2 q", "\x1b[>7u", "\x1b[<u", "\x1b[u", "\x1b[8;24;80t", "\x1b[22;0t", "\x1b[?1;2c",
		"\x1b]0;why?;?\x07", "\x1b]8;;?q\x1b\\", "\x1b]11;rgb:00/00/00\x1b\\", "\x1b[H\x1b[J", "\x1b(B", "\x1b7", "\x1bP1;2|x\x1b\\", "\x1b[>4;1m", "\x1b[6\x18n", "\x1b]10;?\x18",
	}
)

// TestQueriesAreFound: in any pieces, exactly what asks is found, and where it is; and
// whatever the model answers is among it.
func TestQueriesAreFound(t *testing.T) {
	var all strings.Builder
	var want []string
	for i := range max(len(questions), len(statements)) {
		all.WriteString(statements[i%len(statements)])
		q := questions[i%len(questions)]
		all.WriteString(q)
		want = append(want, q)
	}
	text := all.String()
	for size := 1; size < 40; size++ {
		var q Queries
		var got []string
		for at := 0; at < len(text); at += size {
			q.Find([]byte(text[at:min(at+size, len(text))]), func(from, end int64) { got = append(got, text[from:end]) })
		}
		if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
			t.Fatalf("in pieces of %d: %q, want %q", size, got, want)
		}
	}
	for _, s := range statements {
		term := New(80, 24)
		term.Reply = func(b []byte) { t.Errorf("%q is answered by %q, and is not found", s, b) }
		_, _ = term.Write([]byte(s))
	}
}

// FuzzQueries: what the model answers is always found, in any pieces.
func FuzzQueries(f *testing.F) {
	for i, s := range append(questions, statements...) {
		f.Add([]byte(s+"x"+questions[i%len(questions)]), uint8(i))
	}
	f.Fuzz(func(t *testing.T, b []byte, cut uint8) {
		var whole, parts []int64
		var q, p Queries
		q.Find(b, func(from, end int64) { whole = append(whole, from, end) })
		at := min(int(cut), len(b))
		found := func(from, end int64) { parts = append(parts, from, end) }
		p.Find(b[:at], found)
		p.Find(b[at:], found)
		if fmt.Sprint(whole) != fmt.Sprint(parts) {
			t.Fatalf("whole: %v, cut at %d: %v", whole, at, parts)
		}
		term := New(80, 24)
		fed := int64(0)
		term.Reply = func(answer []byte) {
			for i := 0; i < len(whole); i += 2 {
				if whole[i+1] == fed {
					return
				}
			}
			t.Fatalf("%q is answered at %d, found are %v", answer, fed, whole)
		}
		for i := range b {
			fed++
			_, _ = term.Write(b[i : i+1])
		}
	})
}
