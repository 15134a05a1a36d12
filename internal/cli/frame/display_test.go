package frame

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"kedge/internal/process"
	"kedge/internal/process/hold"
	"kedge/internal/process/tape"
	"kedge/internal/screen/vt"
)

// shown is a terminal that shows a session.
type shown struct {
	t    *testing.T
	log  *tape.Writer
	term *vt.Terminal
	d    *Display
}

// newShown begins with a session of 20 by 5 that has printed something.
func newShown(t *testing.T, printed string) *shown {
	t.Helper()
	dir := t.TempDir()
	w, err := tape.Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	if err := w.Mark(tape.Mark{Kind: tape.Resize, A: 20, B: 5, At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	w.Append([]byte(printed), time.Now())
	feed, err := tape.OpenFeed(dir, tape.Anywhere, tape.Anywhere)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = feed.Close() })
	s := &shown{t: t, log: w, term: vt.New(20, 5)}
	s.d = &Display{Out: s.term, Cols: 20, Rows: 5, Feed: feed, Clean: true}
	s.upTo()
	s.d.Begins(hold.Role{Cols: 20, Rows: 5, Owns: true, Answers: true})
	s.upTo()
	return s
}

func (s *shown) upTo() {
	s.t.Helper()
	for more := true; more; {
		var err error
		if more, err = s.d.UpTo(s.log.End()); err != nil {
			s.t.Fatal(err)
		}
	}
}

func (s *shown) print(text string) {
	s.t.Helper()
	s.log.Append([]byte(text), time.Now())
	s.upTo()
}

// state is what a terminal shows and how it is set.
func state(t *vt.Terminal) string {
	b, _ := t.Snapshot()
	return string(b)
}

// leave leaves the session, empties the screen and prints something, as on a terminal that
// never showed the session.
func leave(term *vt.Terminal, way process.Leaving) string {
	_, _ = term.Write([]byte(process.Usual + string(way) + "\x1b[2J\x1b[H\tx"))
	return state(term)
}

// TestUsualAgain: whatever the program did, the next one finds the terminal as usual.
func TestUsualAgain(t *testing.T) {
	want := leave(vt.New(20, 5), process.LeaveBelowAll)
	for _, did := range []string{
		"\x1b]8;;https://example.test\x1b\\link", "\x1b[3g", "\x1b]4;1;rgb:ff/00/ff\x1b\\", "\x1b]10;red\x07", "\x1b]11;#123456\x07",
		"\x1b]12;red\x07", "\x1b]17;red\x07", "\x1b]19;red\x07", "\x1bPq", "\x1b[3", "\x1b]0;a title",
	} {
		s := newShown(t, "")
		s.print(did)
		if got := leave(s.term, s.d.Leaving(false)); got != want {
			t.Errorf("after %q the terminal is %q, want %q", did, got, want)
		}
		s = newShown(t, did)
		if got := leave(s.term, s.d.Leaving(false)); got != want {
			t.Errorf("of a session that did %q before, the terminal is %q, want %q", did, got, want)
		}
	}
}

// TestOwnColours: a person's own colours stay, if the program did not change any.
func TestOwnColours(t *testing.T) {
	s := newShown(t, "\x1b[31mred")
	if out := process.Usual + string(s.d.Leaving(false)); strings.Contains(out, "\x1b]104") {
		t.Errorf("it is left with %q", out)
	}
}

// painted is what a terminal shows, with its title, and not the titles that it put aside.
func painted(t *vt.Terminal) string {
	_, screen, _ := strings.Cut(state(t), "\x1b[1;1H")
	return t.Title() + ": " + screen
}

// TestBeginsWithinASequence: a terminal that gets the screen in the middle of a sequence or
// of a character shows what follows as the session does. What is asked is asked of none but
// the one that answers.
func TestBeginsWithinASequence(t *testing.T) {
	for _, c := range []struct{ begun, rest, asks string }{
		{"\x1b[38;5;", "12mred", ""}, {"\xe4\xb8", "\x96", ""}, {"\x1b", "[1mbold", ""}, {"\x1b]0;a ti", "tle\ab", ""}, {"\x1b[", "cx", "\x1b[?62;22c"},
	} {
		for _, answers := range []bool{true, false} {
			s := newShown(t, "X"+c.begun)
			s.d.Begins(hold.Role{Cols: 20, Rows: 5, Answers: answers})
			s.upTo()
			s.d.Way = Waiting
			s.upTo()
			var asks string
			s.term.Reply = func(b []byte) { asks += string(b) }
			s.print(c.rest)
			if got, want := painted(s.term), painted(s.d.Feed.Screen); got != want || answers && asks != c.asks || !answers && asks != "" {
				t.Errorf("%q and %q later, answering %v: the terminal is %q, want %q; it says %q", c.begun, c.rest, answers, got, want, asks)
			}
		}
	}
}

// TestTerminalWithoutASize: a terminal that tells no size shows the session at its size,
// also when that changes, and has no say; when it tells one it is like any other.
func TestTerminalWithoutASize(t *testing.T) {
	s := newShown(t, "one\r\n")
	s.d.Fits(0, 0)
	if err := s.log.Mark(tape.Mark{Kind: tape.Resize, A: 30, B: 7, At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	s.print("two")
	if got, want := s.d.Viewer(false, true), (hold.Viewer{Cols: 30, Rows: 7, Watch: true, Typed: true}); got != want || s.d.Way != Whole {
		t.Errorf("it is %+v, want %+v; shown %s", got, want, s.d.Way)
	}
	if err := s.d.Resized(20, 6); err != nil {
		t.Fatal(err)
	}
	if got, want := s.d.Viewer(false, true), (hold.Viewer{Cols: 20, Rows: 6, Typed: true}); got != want || s.d.Way != Viewed {
		t.Errorf("with a size it is %+v, want %+v; shown %s", got, want, s.d.Way)
	}
}

// TestHeldIsBounded: of a sequence that has no end, a terminal that answers nothing gets all,
// and little of it is kept.
func TestHeldIsBounded(t *testing.T) {
	s := newShown(t, "")
	s.d.Begins(hold.Role{At: s.log.End(), Cols: 20, Rows: 5, Others: 1})
	s.upTo()
	got := &bytes.Buffer{}
	s.d.Out = got
	const begin = "\x1b]52;c;"
	s.print(begin)
	piece := strings.Repeat("A", 10_000)
	for n := len(begin); n < 1<<20; n += len(piece) {
		s.print(piece)
		if len(s.d.held) > 100_000 || n > 200_000 && n-got.Len() > 100_000 {
			t.Fatalf("of %d bytes %d are kept, and the terminal has %d", n, len(s.d.held), got.Len())
		}
	}
	s.print("\x1b\\after\x1b[6nand more")
	if !strings.HasSuffix(got.String(), "\x1b\\afterand more") {
		t.Errorf("the end is %q", got.Bytes()[max(got.Len()-50, 0):])
	}
}

// TestFarBehind: a terminal that is far behind comes to the same screen in steps, between
// which it tells how far it is.
func TestFarBehind(t *testing.T) {
	s := newShown(t, "")
	line := strings.Repeat("x", 15) + "\r\n"
	s.log.Append([]byte("first\r\n"+strings.Repeat(line, (farBehind+3*stepMost)/len(line))+"last"), time.Now())
	steps := 0
	for more := true; more; steps++ {
		var err error
		if more, err = s.d.UpTo(s.log.End()); err != nil {
			t.Fatal(err)
		}
		if told := strings.Contains(s.term.Text(), "of output"); told != (more && s.d.behind != "") || steps == 0 && !told {
			t.Fatalf("step %d: %q", steps, s.term.Text())
		}
	}
	if steps < 10 || s.d.Way != Whole || painted(s.term) != painted(s.d.Feed.Screen) {
		t.Errorf("after %d steps it is shown %s: %q, want %q", steps, s.d.Way, s.term.Text(), s.d.Feed.Screen.Text())
	}
}

// TestSizeThatIsNotInTheLog: where the disk was full when the session's size changed, the
// holder tells it, and the log does later.
func TestSizeThatIsNotInTheLog(t *testing.T) {
	s := newShown(t, "one")
	s.d.Begins(hold.Role{At: s.log.End(), Cols: 30, Rows: 7, Owns: true, Unlogged: true})
	s.upTo()
	if cols, rows := s.d.Feed.Screen.Size(); cols != 30 || rows != 7 || s.d.Way != Viewed {
		t.Fatalf("%d columns, %d rows, shown %s", cols, rows, s.d.Way)
	}
	s.d.Begins(hold.Role{At: s.log.End(), Cols: 40, Rows: 8, Owns: true, Unlogged: true})
	for _, m := range []tape.Mark{{Kind: tape.Resize, A: 30, B: 7}, {Kind: tape.Resize, A: 40, B: 8}} {
		m.At = time.Now()
		if err := s.log.Mark(m); err != nil {
			t.Fatal(err)
		}
	}
	s.print("two")
	if cols, rows := s.d.Feed.Screen.Size(); cols != 40 || rows != 8 {
		t.Errorf("%d columns, %d rows", cols, rows)
	}
}
