package output

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"kedge/internal/process/tape"
)

// everything is Search without any short cut: one worker looks at each byte of a
// tape, in one go.
func everything(t testing.TB, l tape.Log, q Query) Result {
	t.Helper()
	n, err := newNeedle(q)
	if err != nil {
		t.Fatal(err)
	}
	from, end, err := l.Range()
	if err != nil {
		t.Fatal(err)
	}
	sc := newScanner(n, q.Limit+1)
	sc.sieve = nil
	hits, err := sc.scan(context.Background(), task{log: l, kept: from, first: from, last: end})
	if err != nil {
		t.Fatal(err)
	}
	s := &search{limit: q.Limit, merged: hits}
	r, err := s.result([]tape.Log{l})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// taped puts bytes on a tape.
func taped(t testing.TB, b []byte) tape.Log {
	t.Helper()
	dir := t.TempDir()
	w, err := tape.Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	w.Append(b, time.Unix(1_000_000_000, 0))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return tape.Open(dir)
}

// equal compares what both ways found: the lines, where they are, and whether
// there is more.
func equal(t testing.TB, what string, got, want Result) {
	t.Helper()
	if got.More != want.More || len(got.Hits) != len(want.Hits) {
		t.Fatalf("%s: %d hits, more %v; want %d, %v", what, len(got.Hits), got.More, len(want.Hits), want.More)
	}
	for i := range want.Hits {
		if got.Hits[i] != want.Hits[i] {
			t.Fatalf("%s: hit %d is %.80q at %d, want %.80q at %d", what, i,
				got.Hits[i].Line, got.Hits[i].Offset, want.Hits[i].Line, want.Hits[i].Offset)
		}
	}
}

// bothWays searches in the usual way and by looking at everything.
func bothWays(t testing.TB, what string, l tape.Log, q Query) int {
	t.Helper()
	got, err := Search(context.Background(), []tape.Log{l}, q)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, what, got, everything(t, l, q))
	return len(got.Hits)
}

// TestShortCutsFindTheSame: over more than a segment, whatever is rare in it and
// whatever stands in between, the short cuts find what looking at everything
// finds.
func TestShortCutsFindTheSame(t *testing.T) {
	const seq = "\x1b[38;2;1;2;3m"
	for _, c := range []struct {
		name  string
		words []string
		line  int // how many words there are on a line, about; 0: no line ends
	}{
		{"plain", []string{"worker ", "handled ", "in ", "ms ", "request ", "panic: ", "panic in ms "}, 12},
		{"coloured", []string{seq + "worker\x1b[0m ", "han" + seq + "dled ", "pa\x1b[1mnic: ", "panic: ", "\x1b]0;panic: \x07"}, 9},
		{"one line", []string{"panic: ", "pani", "c: ", "x", "aaaa", seq}, 0},
		{"long sequences", []string{"pa\x1b[" + strings.Repeat("1;", 400) + "mnic: ", "pan\x1b]0;" + strings.Repeat("t", 3000) + "\x07ic: ", "none of it ", "\n"}, 30},
		{"no characters", []string{"\xff\xfe", "\x00", "PANIC: ", "Panic", "\xc3", ": ", "\x1b"}, 50},
		{"self-overlapping", []string{"aa", "a", "ab", "\x1b[m", strings.Repeat("a", 70)}, 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(3, 5))
			var b bytes.Buffer
			b.Grow(tape.SegmentSize + tape.SegmentSize/2)
			for b.Len() < tape.SegmentSize+tape.SegmentSize/8 {
				if r.IntN(40) == 0 { // a stretch in which nothing is to be found
					b.WriteString(strings.Repeat("filler of no interest\r\n", r.IntN(8000)))
				}
				for range r.IntN(20) {
					b.WriteString(c.words[r.IntN(len(c.words))])
				}
				if c.line > 0 && r.IntN(c.line) == 0 {
					b.WriteString("\r\n")
				}
			}
			l := taped(t, b.Bytes())
			for _, q := range []Query{
				{Text: "panic: ", Limit: 10_000},
				{Text: "panic: ", Limit: 3},
				{Text: "PANIC: pan", Fold: true, Limit: 10_000},
				{Text: "worker handled", Limit: 10_000},
				{Text: "aaaa", Limit: 10_000},
				{Text: "\xff\xfe\x00", Limit: 100},
			} {
				bothWays(t, fmt.Sprintf("%q, at most %d", q.Text, q.Limit), l, q)
			}
		})
	}
}

// TestLineAcrossSegments: what is shown of a line that goes over the border of
// two segments does not depend on the border.
func TestLineAcrossSegments(t *testing.T) {
	for _, gap := range []int{1, 1023, 4000, 9000} {
		b := bytes.Repeat([]byte("x"), tape.SegmentSize+100_000)
		for at := tape.SegmentSize - 60_000; at+6 < len(b); at += gap + 6 {
			copy(b[at:], "needle")
		}
		l := taped(t, b)
		for _, limit := range []int{2, 10_000} {
			if n := bothWays(t, fmt.Sprintf("every %d bytes, at most %d", gap, limit), l, Query{Text: "needle", Limit: limit}); n == 0 {
				t.Errorf("every %d bytes: nothing found", gap)
			}
		}
	}
}

// TestMatchesAmongLongSequences: a line whose text lies far apart on the tape is
// shown whole, and a match that is stretched too far is none.
func TestMatchesAmongLongSequences(t *testing.T) {
	title := "\x1b]0;" + strings.Repeat("t", 30_000) + "\x07"
	filler := strings.Repeat("filler\n", 200_000/7)
	l := taped(t, []byte(filler+"begin "+title+title+title+title+title+" a needle\n"+"nee"+title+"dle\n"+"nee"+title+title+title+"dle\n"))
	q := Query{Text: "needle", Limit: 10}
	if n := bothWays(t, "needle", l, q); n != 2 {
		t.Errorf("%d hits, want 2", n)
	}
	r, err := Search(t.Context(), []tape.Log{l}, q)
	if err != nil || r.Hits[0].Line != "begin  a needle" {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestPair: the two bytes find what stands there, at every place.
func TestPair(t *testing.T) {
	for _, text := range []string{"ab", "needle", "aaaa", strings.Repeat("xy", 40)} {
		for _, fold := range []bool{false, true} {
			for first := range min(len(text), 5) {
				for other := range min(len(text), 5) {
					if other == first {
						continue
					}
					p := newPair([]byte(text), fold, first, other)
					for at := range 80 {
						b := []byte(strings.Repeat("a", at) + strings.ToUpper(text) + strings.Repeat(".", 50))
						want := bytes.Index(b, []byte(text))
						if fold {
							want = bytes.Index(bytes.ToLower(b), []byte(text))
						}
						if got, sure := p.index(b); sure && got != want {
							t.Fatalf("%q by %d and %d, any case %v, at %d: %d, want %d", text, first, other, fold, at, got, want)
						}
					}
				}
			}
		}
	}
	p := newPair([]byte("ab"+strings.Repeat("a", 500)+"b"), false, 0, 2)
	if _, sure := p.index(bytes.Repeat([]byte("a"), 1<<16)); sure {
		t.Error("a text that nearly stands everywhere is not left to another way")
	}
}

// FuzzShortCuts: the short cuts find what looking at everything finds, in any
// bytes, which come again and again with something plain in between.
func FuzzShortCuts(f *testing.F) {
	f.Add([]byte("a panic\r\nb pa\x1b[1mnic\n"), "panic", false, uint16(9000), byte(1))
	f.Add([]byte("PANIC\n\x1b]0;x\x07p"), "p", true, uint16(1), byte(3))
	f.Add([]byte("\xff\xfepanic\x00"), "c\x00", false, uint16(70), byte(200))
	f.Add([]byte("xm\x1b[1111111111111111111111111111111111mc"), "xmc", false, uint16(65_000), byte(2))
	f.Fuzz(func(t *testing.T, piece []byte, text string, fold bool, apart uint16, times byte) {
		q := Query{Text: text, Fold: fold, Limit: 1 + int(times)/2}
		if checkQuery(q) != nil {
			t.Skip("no query that a search takes")
		}
		var b []byte
		for range 1 + times%16 {
			b = append(append(b, piece...), bytes.Repeat([]byte("plain text "), int(apart)/11)...)
		}
		bothWays(t, "fuzzed", taped(t, b), q)
	})
}

// TestPairEveryWay: what the processor's own instructions find is what arithmetic
// on words finds, and what looking at each place finds.
func TestPairEveryWay(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 13))
	for _, fold := range []bool{false, true} {
		p := newPair([]byte("kxq"), fold, 0, 2)
		for range 300 {
			b := make([]byte, 3+r.IntN(400))
			for i := range b {
				b[i] = "kqKQ.\x00\xe1\xf1"[r.IntN(8)]
			}
			n := len(b) - 2
			x, y := b[:n], b[2:]
			for at := 0; at <= n; at++ {
				want := at
				for want < n && !(x[want]|byte(p.caseF) == 'k' && y[want]|byte(p.caseO) == 'q') {
					want++
				}
				if a, w := p.next(x, y, at), p.byWords(x, y, at); a != want || w != want {
					t.Fatalf("any case %v, from %d of %d: %d and %d, want %d", fold, at, n, a, w, want)
				}
			}
		}
	}
}
