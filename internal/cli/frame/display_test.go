package frame

import (
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
	if err := s.d.UpTo(s.log.End()); err != nil {
		s.t.Fatal(err)
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
