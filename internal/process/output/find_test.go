package output_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"kedge"
	"kedge/internal/process/output"
	"kedge/internal/process/tape"
	"kedge/internal/text/plain"
)

var began = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// tapeOf puts pieces on a tape, a second apart.
func tapeOf(t testing.TB, pieces ...string) tape.Log {
	t.Helper()
	dir := t.TempDir()
	w, err := tape.Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range pieces {
		w.Append([]byte(p), began.Add(time.Duration(i)*time.Second))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return tape.Open(dir)
}

func search(t testing.TB, q output.Query, tapes ...tape.Log) output.Result {
	t.Helper()
	if q.Limit == 0 {
		q.Limit = 1000
	}
	r, err := output.Search(context.Background(), tapes, q)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestSearch(t *testing.T) {
	first := tapeOf(t,
		"all is well\r\n",
		"goroutine \x1b[31mpa\x1b[1mnic\x1b[0m: oh\r\n\x1b[2Kquiet\r\n",
		"Panic in capitals\r\n10%\r20% panic\r30%\r\n",
		"\x1b]0;panic in a title\x07no more\r\npanic and panic on one line")
	second := tapeOf(t, "panic elsewhere\n")
	r := search(t, output.Query{Text: "panic"}, first, second)
	want := []output.Hit{
		{Tape: 0, Offset: 13, Line: "goroutine panic: oh", At: began.Add(time.Second)},
		{Tape: 0, Offset: 81, Line: "20% panic", At: began.Add(2 * time.Second)},
		{Tape: 0, Offset: 126, Line: "panic and panic on one line", At: began.Add(3 * time.Second)},
		{Tape: 1, Offset: 0, Line: "panic elsewhere", At: began},
	}
	same(t, r.Hits, want)
	if r.More {
		t.Error("more than all")
	}
	same(t, search(t, output.Query{Text: "PANIC IN", Fold: true}, first).Hits, []output.Hit{
		{Offset: 58, Line: "Panic in capitals", At: began.Add(2 * time.Second)},
	})
	if r := search(t, output.Query{Text: "panic", Limit: 4}, first, second); r.More || len(r.Hits) != 4 {
		t.Errorf("exactly the limit: %+v", r)
	}
	if r := search(t, output.Query{Text: "panic", Limit: 2}, first, second); !r.More || len(r.Hits) != 2 || r.Hits[1] != want[1] {
		t.Errorf("above the limit: %+v", r)
	}
	if r := search(t, output.Query{Text: "nowhere"}, first, second, tape.Open(filepath.Join(t.TempDir(), "gone"))); len(r.Hits) != 0 {
		t.Errorf("found what is not there: %+v", r)
	}
}

func same(t *testing.T, got, want []output.Hit) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d hits: %+v", len(got), got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("hit %d: %+v, want %+v", i, got[i], want[i])
		}
	}
}

func TestFoldBeyondASCII(t *testing.T) {
	l := tapeOf(t, "große ÄRGER\nSTRASSE\nGROSSE ärger\n")
	for text, n := range map[string]int{"ärger": 2, "ÄRGER": 2, "große": 1, "strasse": 1, "ÄRGERLICH": 0} {
		if r := search(t, output.Query{Text: text, Fold: true}, l); len(r.Hits) != n {
			t.Errorf("%q: %+v", text, r.Hits)
		}
	}
	if r := search(t, output.Query{Text: "ärger"}, l); len(r.Hits) != 1 {
		t.Errorf("case counts: %+v", r.Hits)
	}
}

func TestRefusedQueries(t *testing.T) {
	for _, q := range []output.Query{
		{Limit: 1},
		{Text: strings.Repeat("x", output.MaxQuery+1), Limit: 1},
		{Text: "two\nlines", Limit: 1},
		{Text: "a\x1b[0m", Limit: 1},
		{Text: "x"},
	} {
		if _, err := output.Search(t.Context(), nil, q); !kedge.Invalid.Is(err) || kedge.HintOf(err) == "" {
			t.Errorf("%.20q, %d: %v", q.Text, q.Limit, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := output.Search(ctx, []tape.Log{tapeOf(t, "x")}, output.Query{Text: "x", Limit: 1}); !kedge.Interrupted.Is(err) || !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %v", err)
	}
}

// TestSequencesInside: whatever stands inside a word, and wherever in it, the word
// is found; its letters make another one the rarest in every case.
func TestSequencesInside(t *testing.T) {
	long := strings.Repeat("x", 5000)
	for _, sequence := range []string{
		"\x1b[m", "\x1b[38;2;255;255;255;48;2;255;255;255m", "\x1b(B", "\x1bM", "\x1b]0;" + long + "\x07", "\x1b]8;;" + long + "\x1b\\",
		"\x1bP" + long + "\x1b\\", "\x1b[1m\x1b]0;t\x07\x1b[2m", "\x1b]0;cut\x18",
	} {
		for _, common := range []string{"", "abcd ", "bcde ", "cdea ", "deab ", "eabc "} {
			for at := range 4 {
				word := "abcde"[:at+1] + sequence + "abcde"[at+1:]
				l := tapeOf(t, strings.Repeat(common, 500)+"\n"+word+"\n")
				if r := search(t, output.Query{Text: "abcde"}, l); len(r.Hits) == 0 {
					t.Errorf("%.20q after %d of a word among %q: not found", sequence, at+1, common)
				}
			}
		}
	}
}

// TestSegmentBorders: a match, a sequence and a line that lie across the border
// of two segments are found once, with the right offset; so is what follows a
// title that began in the segment before.
func TestSegmentBorders(t *testing.T) {
	const size = tape.SegmentSize
	fill := func(n int) string { return strings.Repeat("filler line\n", n/12+1)[:n-1] + "\n" }
	for _, c := range []struct {
		name, text string
		at         int // of text[0], from the border
		line       string
		offset     int // of the line, from the border
	}{
		{"match", "a needle b\n", -5, "a needle b", -5},
		{"sequence", "nee\x1b[1;31mdle\n", -6, "needle", -6},
		{"before, on the same line", "needle and needle again\n", -8, "needle and needle again", -8},
		{"first byte", "needle\n", 0, "needle", 0},
		{"last byte", "needle\n", -7, "needle", -7},
		{"after a title", "\x1b]0;" + strings.Repeat("needle ", 900) + "\x07a needle\n", -3000, "a needle", -3000},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := tapeOf(t, fill(size+c.at)+c.text+fill(size))
			same(t, search(t, output.Query{Text: "needle"}, l).Hits, []output.Hit{{Offset: int64(size + c.offset), Line: c.line, At: began}})
		})
	}
}

// TestF22AndF23LineWithoutEnd: a line that never ends, of bytes that are no
// UTF-8, is searched in bounded memory and shown in pieces that are.
func TestF22AndF23LineWithoutEnd(t *testing.T) {
	const size = 3*tape.SegmentSize + 100
	b := bytes.Repeat([]byte("\xff\xc3\x00ü "), size/6+1)[:size]
	at := []int{500, tape.SegmentSize - 3, tape.SegmentSize + 10_000, size - 6}
	for _, i := range at {
		copy(b[i:], "needle")
	}
	l := tapeOf(t, string(b))
	b = nil
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := search(t, output.Query{Text: "needle"}, l)
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 4<<20 {
		t.Errorf("%d bytes of memory", used)
	}
	if len(r.Hits) != len(at) {
		t.Fatalf("%d hits", len(r.Hits))
	}
	for i, h := range r.Hits {
		if !strings.Contains(h.Line, "needle") || len(h.Line) > output.MaxLine {
			t.Errorf("hit %d shows %d bytes: %.60q", i, len(h.Line), h.Line)
		}
		if d := int64(at[i]) - h.Offset; d < 0 || d > 1100 {
			t.Errorf("hit %d is at %d, the match at %d", i, h.Offset, at[i])
		}
		if !utf8.RuneStart(h.Line[0]) {
			t.Errorf("hit %d begins inside a character: %.10q", i, h.Line)
		}
	}
}

// TestRetention: what is no longer kept is passed over, the rest is found.
func TestRetention(t *testing.T) {
	dir := t.TempDir()
	w, err := tape.Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	w.Append([]byte("needle one\n"), began)
	w.Append(make([]byte, tape.SegmentSize), began)
	w.Append([]byte("\nneedle two\n"), began.Add(time.Minute))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "log.0")); err != nil {
		t.Fatal(err)
	}
	same(t, search(t, output.Query{Text: "needle"}, tape.Open(dir)).Hits, []output.Hit{
		{Offset: tape.SegmentSize + 12, Line: "needle two", At: began.Add(time.Minute)},
	})
	if err := os.Remove(filepath.Join(dir, "index")); err != nil {
		t.Fatal(err)
	}
	if r := search(t, output.Query{Text: "needle"}, tape.Open(dir)); len(r.Hits) != 1 || !r.Hits[0].At.IsZero() {
		t.Errorf("without an index: %+v", r.Hits)
	}
}

// slow is the same search, written to be obviously right, for lines that are
// not too long.
func slow(b []byte, text string, fold bool) (lines []string) {
	for _, line := range strings.FieldsFunc(string(plain.Stripped(b)), func(r rune) bool { return r == '\n' || r == '\r' }) {
		in := line
		if fold {
			in, text = strings.ToLower(in), strings.ToLower(text)
		}
		if strings.Contains(in, text) {
			lines = append(lines, line)
		}
	}
	return lines
}

// TestAgainstSlow: what is found in a long random tape is what the slow search
// finds, and every line stands where its offset says.
func TestAgainstSlow(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	words := []string{"panic", "pan", "ic", "\x1b[31m", "\x1b[0m", "\x1b]0;panic\x07", " ", " ", "\r\n", "\n", "\r", "PANIC", "p", "n", "ok", "12:30", "p\x1b(Ban", "\x1bPpanic\x1b\\"}
	var b bytes.Buffer
	for b.Len() < tape.SegmentSize+tape.SegmentSize/4 {
		b.WriteString(words[r.IntN(len(words))])
		if r.IntN(50) == 0 {
			b.WriteString(strings.Repeat("x", r.IntN(300)))
		}
	}
	l := tapeOf(t, b.String())
	for _, q := range []output.Query{{Text: "panic"}, {Text: "panicpan"}, {Text: "PaNiC ok", Fold: true}} {
		q.Limit = 1_000_000
		hits := search(t, q, l).Hits
		want := slow(b.Bytes(), q.Text, q.Fold)
		if len(hits) != len(want) {
			t.Fatalf("%q: %d hits, want %d", q.Text, len(hits), len(want))
		}
		for i, h := range hits {
			if h.Line != want[i] {
				t.Fatalf("%q, hit %d: %q, want %q", q.Text, i, h.Line, want[i])
			}
			if i%997 == 0 && !strings.HasPrefix(string(plain.Stripped(b.Bytes()[h.Offset:min(int(h.Offset)+70_000, b.Len())])), h.Line) {
				t.Fatalf("%q, hit %d is not at %d", q.Text, i, h.Offset)
			}
		}
	}
}

// FuzzSearch: as TestAgainstSlow, for any bytes on short lines.
func FuzzSearch(f *testing.F) {
	f.Add([]byte("a panic\r\nb pa\x1b[1mnic\n"), "panic", false)
	f.Add([]byte("PANIC\n\x1b]0;x\x07p"), "p", true)
	f.Add([]byte("\xff\xfepanic\x00"), "c\x00", false)
	f.Fuzz(func(t *testing.T, b []byte, text string, fold bool) {
		q := output.Query{Text: text, Fold: fold, Limit: 1 << 20}
		hits, err := output.Search(context.Background(), []tape.Log{tapeOf(t, string(b))}, q)
		if err != nil {
			if !kedge.Invalid.Is(err) {
				t.Fatal(err)
			}
			return
		}
		if fold && strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) >= 0 || len(b) > output.MaxLine {
			return // the slow search folds by other rules; long lines come in pieces
		}
		want := slow(b, text, fold)
		if len(hits.Hits) != len(want) {
			t.Fatalf("%d hits for %q, want %q", len(hits.Hits), text, want)
		}
		for i, h := range hits.Hits {
			if !strings.Contains(want[i], h.Line) || h.Offset < 0 || h.Offset > int64(len(b)) {
				t.Errorf("hit %d: %q at %d, want %q", i, h.Line, h.Offset, want[i])
			}
		}
	})
}

// BenchmarkSearch is the figure behind "search of stored output": plain output,
// and output in which every line is coloured.
func BenchmarkSearch(b *testing.B) {
	for name, line := range map[string]string{
		"plain":    "2026-01-02T03:04:05Z INFO request %d served in 12ms by worker pool\r\n",
		"coloured": "\x1b[2m2026-01-02T03:04:05Z\x1b[0m \x1b[32mINFO\x1b[0m request \x1b[1m%d\x1b[0m served in 12ms\r\n",
	} {
		b.Run(name, func(b *testing.B) {
			var text bytes.Buffer
			for i := 0; text.Len() < 8*tape.SegmentSize; i++ {
				fmt.Fprintf(&text, line, i)
			}
			l := tapeOf(b, text.String())
			b.SetBytes(int64(text.Len()))
			for b.Loop() {
				if r := search(b, output.Query{Text: "panic: runtime"}, l); len(r.Hits) != 0 {
					b.Fatal("found")
				}
			}
		})
	}
}
