package vt

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// pieces are what random feeds are made of.
var pieces = []string{
	"a", "word ", "lines of text that wrap at the end of a small screen", "世", "界x", "é", "e\u0301", "\u0301", "👩", "\u200d", "🚀", "🏽", "❤", "\ufe0f", "🇨", "🇭", "1\ufe0f\u20e3", "\u1112", "\u1161",
	"\r", "\n", "\r\n", "\b", "\t", "\v", "\x0e", "\x0f", "\a", "\x7f", "\xff", "\xe4\xb8", "\xc2\x9b3C", "\u0085", "\u008d",
	"\x1b7", "\x1b8", "\x1bD", "\x1bE", "\x1bM", "\x1bH", "\x1b6", "\x1b9", "\x1bc", "\x1b=", "\x1b>", "\x1bN", "\x1bO", "\x1bn", "\x1bo", "\x1b(0", "\x1b(B", "\x1b)0", "\x1b*A", "\x1b#8", "\x1b",
	"\x1b[%dA", "\x1b[%dB", "\x1b[%dC", "\x1b[%dD", "\x1b[%dE", "\x1b[%dF", "\x1b[%dG", "\x1b[%d;%dH", "\x1b[H", "\x1b[%dI", "\x1b[%dJ", "\x1b[%dK", "\x1b[%dL", "\x1b[%dM", "\x1b[%dP", "\x1b[%d@",
	"\x1b[%dS", "\x1b[%dT", "\x1b[%dX", "\x1b[%dZ", "\x1b[%da", "\x1b[%db", "\x1b[%dd", "\x1b[%de", "\x1b[%dg", "\x1b[3g", "\x1b[4h", "\x1b[4l", "\x1b[20h", "\x1b[20l", "\x1b[%d;%dr", "\x1b[r", "\x1b[%d;%ds", "\x1b[s", "\x1b[u",
	"\x1b[?%dJ", "\x1b[?%dK", "\x1b[1\"q", "\x1b[0\"q", "\x1b[%d q", "\x1b[%d @", "\x1b[%d A", "\x1b[%d'}", "\x1b[%d'~", "\x1b[!p",
	"\x1b[?1h", "\x1b[?5h", "\x1b[?6h", "\x1b[?6l", "\x1b[?7h", "\x1b[?7l", "\x1b[?25l", "\x1b[?25h", "\x1b[?45h", "\x1b[?45l", "\x1b[?69h", "\x1b[?69l", "\x1b[?47h", "\x1b[?47l", "\x1b[?1047h", "\x1b[?1047l", "\x1b[?1048h", "\x1b[?1048l",
	"\x1b[?1049h", "\x1b[?1049l", "\x1b[?1000h", "\x1b[?1003h", "\x1b[?1002l", "\x1b[?1006h", "\x1b[?2004h", "\x1b[?2026h", "\x1b[?2026l", "\x1b[?2027h", "\x1b[?2027l", "\x1b[?2048h", "\x1b[?1;7;2004s", "\x1b[?1;7;2004r", "\x1b[?6;1000;25s", "\x1b[?6;1000;25r",
	"\x1b[m", "\x1b[1m", "\x1b[2;3m", "\x1b[4:3m", "\x1b[4m", "\x1b[21m", "\x1b[7m", "\x1b[3%dm", "\x1b[4%dm", "\x1b[9%dm", "\x1b[38;5;%dm", "\x1b[48;5;%dm", "\x1b[48;2;1;2;%dm", "\x1b[38:2::1:2:%dm", "\x1b[58:5:%dm", "\x1b[49m", "\x1b[53;9m", "\x1b[24;22;27m",
	"\x1b]0;title %d\a", "\x1b]2;\u2733 w\x1b\\", "\x1b]1;icon\a", "\x1b[22t", "\x1b[23t", "\x1b[23;2t", "\x1b]8;id=%d;http://x/%d\x1b\\", "\x1b]8;;\x1b\\", "\x1b]4;%d;rgb:12/34/56\a", "\x1b]11;#abcdef\a", "\x1b]104;%d\a", "\x1b]111\a",
	"\x1b[>%du", "\x1b[<%du", "\x1b[=%d;2u", "\x1b[?u", "\x1b[>4;%dm", "\x1b[>4n", "\x1bP$qm\x1b\\", "\x1b_Gi=1\x1b\\", "\x1b[c", "\x1b[6n", "\x1b[3\n1m", "\x1b]52;c;\x18", "\x1b[%d:%dm", "\x1b[?%d$p",
}

// noise is a feed made of pieces.
func noise(r *rand.Rand, n int) []byte {
	var b strings.Builder
	for range n {
		p := pieces[r.IntN(len(pieces))]
		for strings.Contains(p, "%d") {
			p = strings.Replace(p, "%d", fmt.Sprint(r.IntN(12)), 1)
		}
		b.WriteString(p)
	}
	return []byte(b.String())
}

// check feeds b in pieces and whole, with a snapshot at a place, and wants the same.
func check(t *testing.T, b []byte, cols, rows, cut, size int) {
	t.Helper()
	what := fmt.Sprintf("%dx%d cut %d pieces %d: %q", cols, rows, cut, size, b)
	whole, parts := New(cols, rows), New(cols, rows)
	whole.Reply = func([]byte) {}
	_, _ = whole.Write(b)
	for from := 0; from < cut; from += size {
		_, _ = parts.Write(b[from:min(from+size, cut)])
	}
	sound(t, what, whole)
	fresh, from := again(parts)
	compare(t, "snapshot of "+what, fresh, parts)
	_, _ = fresh.Write(b[from:])
	_, _ = parts.Write(b[cut:])
	compare(t, "in pieces "+what, parts, whole)
	compare(t, "from a snapshot "+what, fresh, whole)
	whole.Resize(cols+size%5-2, rows+cut%5-2)
	sound(t, "resized "+what, whole)
	fresh, _ = again(whole)
	compare(t, "snapshot of resized "+what, fresh, whole)
}

// sound fails where a terminal is in a state that it must never be in.
func sound(t *testing.T, what string, term *Terminal) {
	t.Helper()
	if term.x < 0 || term.x >= term.cols || term.y < 0 || term.y >= term.rows {
		t.Fatalf("%s: the cursor is at %d %d", what, term.x, term.y)
	}
	for _, g := range []*grid{term.main, term.alt} {
		if g == nil {
			continue
		}
		if len(g.rows) != term.rows {
			t.Fatalf("%s: %d rows", what, len(g.rows))
		}
		seen := map[*row]bool{}
		for y, r := range g.rows {
			if len(r.cells) != term.cols || seen[r] {
				t.Fatalf("%s: row %d has %d cells, or stands there twice", what, y, len(r.cells))
			}
			seen[r] = true
			if r.wrapped && (y == term.rows-1 || r.cells[term.cols-1]&(content|gap) == 0) {
				t.Fatalf("%s: row %d goes on after nothing", what, y)
			}
			for x, c := range r.cells {
				if c&wide != 0 && (x+1 == term.cols || r.cells[x+1]&tail == 0) || c&tail != 0 && (x == 0 || r.cells[x-1]&wide == 0) {
					t.Fatalf("%s: half a character at %d %d", what, x, y)
				}
			}
		}
	}
}

// TestNoise: random sequences, in pieces and with a snapshot between them, lead to the
// state of the whole.
func TestNoise(t *testing.T) {
	for seed := range uint64(4000) {
		r := rand.New(rand.NewPCG(seed, 1))
		b := noise(r, 1+r.IntN(60))
		check(t, b, 1+r.IntN(24), 1+r.IntN(8), r.IntN(len(b)+1), 1+r.IntN(9))
	}
}

// FuzzTerminal is TestNoise for any bytes.
func FuzzTerminal(f *testing.F) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 2))
		f.Add(noise(r, 20), 11, 4, 17, 3)
	}
	f.Fuzz(func(t *testing.T, b []byte, cols, rows, cut, size int) {
		if len(b) > 4096 {
			return
		}
		check(t, b, clamp(cols, 1, 40), clamp(rows, 1, 12), clamp(cut, 0, len(b)), clamp(size, 1, 9))
	})
}
