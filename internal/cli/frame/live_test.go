package frame

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"kedge/internal/screen/vt"
)

// board is a text that is drawn on a terminal of a size.
type board struct {
	out        bytes.Buffer
	lines      []string
	cols, rows int
	live       *Live
}

func newBoard(cols, rows int, lines ...string) *board {
	b := &board{lines: lines, cols: cols, rows: rows}
	b.live = LiveOn(&b.out, func() (int, int) { return b.cols, b.rows }, func(int, int) []string { return b.lines })
	return b
}

// draw draws other lines, and gives what was written for that.
func (b *board) draw(lines ...string) string {
	b.out.Reset()
	b.live.Update(func() { b.lines = lines })
	return b.out.String()
}

// TestLiveWritesWhatChanged: only lines that changed are written, all of a drawing between the
// marks of synchronised output, and nothing where nothing changed; no line is emptied first.
func TestLiveWritesWhatChanged(t *testing.T) {
	b := newBoard(20, 10)
	for _, c := range []struct {
		lines []string
		want  string
	}{
		{[]string{"one", "two"}, "\x1b[?2026h\rone\x1b[K\n\rtwo\x1b[K\n\x1b[J\x1b[?2026l"},
		{[]string{"one", "two"}, ""},
		{[]string{"one", "other"}, "\x1b[?2026h\x1b[2A\n\rother\x1b[K\n\x1b[J\x1b[?2026l"},
		{[]string{"one"}, "\x1b[?2026h\x1b[2A\n\x1b[J\x1b[?2026l"},
		{[]string{"one", "two", "three"}, "\x1b[?2026h\x1b[1A\n\rtwo\x1b[K\n\rthree\x1b[K\n\x1b[J\x1b[?2026l"},
	} {
		if got := b.draw(c.lines...); got != c.want {
			t.Errorf("%q: written %q, want %q", c.lines, got, c.want)
		}
	}
}

// TestLiveOnATerminal: whatever was drawn before, the terminal shows the last drawing, at any
// size and after a change of size.
func TestLiveOnATerminal(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {140, 40}, {20, 5}} {
		b := newBoard(size[0], size[1])
		screen := vt.New(size[0], size[1])
		show := func(lines ...string) {
			t.Helper()
			_, _ = screen.Write([]byte(strings.ReplaceAll(b.draw(lines...), "\n", "\r\n")))
			if got := strings.TrimRight(screen.Text(), "\n"); !strings.HasSuffix(got, strings.Join(lines, "\n")) {
				t.Errorf("%v: shows\n%s", size, got)
			}
		}
		show("a", "\x1b[32mb\x1b[0m"[5:6], "c")
		show("a", "longer than before", "c", "d")
		show("x")
		screen.Resize(size[0]/2, size[1])
		b.cols = size[0] / 2
		show("x", "y")
		if got := strings.TrimRight(screen.Text(), "\n"); got != "x\ny" {
			t.Errorf("%v: left over: %q", size, got)
		}
	}
}

// TestLiveGoesOn: the clock and another size of the terminal draw again.
func TestLiveGoesOn(t *testing.T) {
	var b bytes.Buffer
	n := 0
	live := LiveOn(&b, func() (int, int) { return 20, 5 }, func(int, int) []string { n++; return []string{strings.Repeat("x", n)} })
	ticks, resized := make(chan time.Time), make(chan os.Signal)
	stop := live.FollowOn(ticks, resized)
	ticks <- time.Time{}
	resized <- os.Interrupt
	stop()
	if n != 2 || !strings.Contains(b.String(), "\rxx\x1b[K") {
		t.Errorf("drawn %d times: %q", n, b.String())
	}
}

// TestLiveInOneRow: with no row below it the line is drawn over itself, and nothing scrolls;
// the last one makes way for what is said after it.
func TestLiveInOneRow(t *testing.T) {
	b := newBoard(80, 1)
	if got := b.draw("running"); got != "\rrunning\x1b[K" {
		t.Errorf("drawn as %q", got)
	}
	b.out.Reset()
	b.live.Over()
	if got := b.out.String(); strings.Count(got, "\n") != 1 {
		t.Errorf("the end is drawn as %q", got)
	}
}

// TestLiveInANarrowerTerminal: lines that the terminal broke when it became narrower are
// drawn over, too.
func TestLiveInANarrowerTerminal(t *testing.T) {
	b := newBoard(80, 24)
	b.draw(strings.Repeat("x", 40), strings.Repeat("y", 10))
	b.cols = 30
	if got := b.draw("x", "y"); !strings.HasPrefix(got, "\x1b[?2026h\x1b[3A\rx") {
		t.Errorf("redrawn as %q", got)
	}
	b.rows = 3
	if got := b.draw("x", "z"); !strings.HasPrefix(got, "\x1b[?2026h\x1b[2A\rx") {
		t.Errorf("in three rows %q", got)
	}
}

// TestSignsInASCII: where the locale is not UTF-8, Kedge's signs are ASCII and take as many
// cells.
func TestSignsInASCII(t *testing.T) {
	env := &Env{Environ: []string{"LC_ALL=C"}}
	for i := 0; i < len(asciiSigns); i += 2 {
		sign, plain := asciiSigns[i], env.Signs(asciiSigns[i])
		if plain != asciiSigns[i+1] || Cells(sign) != Cells(plain) || plain[0] >= 0x80 {
			t.Errorf("%q becomes %q", sign, plain)
		}
	}
	p := newPage(env)
	PutLine(p, Cell{Text: SignRuns + " runs " + Gauge(50, 100, 4), Role: Verified})
	if got := p.String(); got != "* runs ##..\n" {
		t.Errorf("printed %q", got)
	}
}
