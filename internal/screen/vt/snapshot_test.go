package vt

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// state writes down all that a terminal is, whatever numbers its tables have.
func state(t *Terminal) string {
	var b strings.Builder
	looks := map[uint32]string{}
	var glyph []byte
	x, y := t.Cursor()
	fmt.Fprintf(&b, "size %d %d cursor %d %d pending %v margins %d %d %d %d\n", t.cols, t.rows, x, y, t.pending, t.top, t.bottom, t.left, t.right)
	fmt.Fprintf(&b, "pen %s modes %b mouse %d %d charsets %v kind %d keys %v\n", look(t, t.pen), t.modes, t.mouse, t.encoding, t.charsets, t.cursorKind, t.otherKeys)
	fmt.Fprintf(&b, "titles %q %q\n", t.title, t.titles)
	for x, set := range t.tabs {
		if set {
			fmt.Fprintf(&b, " %d", x)
		}
	}
	for _, n := range t.sortedPalette() {
		fmt.Fprintf(&b, " %d=%x", n, t.palette[n])
	}
	for _, n := range t.sortedRemembered() {
		fmt.Fprintf(&b, " %d=%v", n, t.remembered[n])
	}
	if t.fresh {
		fmt.Fprintf(&b, " fresh %d %d", t.atX, t.atY)
	}
	for _, g := range []*grid{t.main, t.alt, {rows: t.past.all()}} {
		if g == nil {
			continue
		}
		s := g.saved
		fmt.Fprintf(&b, "\nkeys %v saved %d %d %v %v %v %s\n", g.keys, s.x, s.y, s.pending, s.origin, s.charsets, look(t, s.pen))
		for y, r := range g.rows {
			fmt.Fprintf(&b, "%3d %v ", y, r.wrapped)
			last := ""
			for _, c := range r.cells {
				s, ok := looks[c.style()]
				if !ok {
					s = look(t, t.styles[c.style()])
					looks[c.style()] = s
				}
				if s != last {
					b.WriteString("<" + s + ">")
					last = s
				}
				if c&content == 0 {
					b.WriteByte('~')
					continue
				}
				glyph = t.glyph(glyph[:0], c)
				b.Write(glyph)
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func look(t *Terminal, s style) string {
	l := t.links[s.link]
	s.link = 0
	if s == (style{}) && l.url == "" {
		return ""
	}
	return fmt.Sprintf("%x %x %x %x %s %s", s.fg, s.bg, s.line, s.attrs, l.id, l.url)
}

// compare fails where two terminals differ.
func compare(t *testing.T, what string, got, want *Terminal) {
	t.Helper()
	a, b := state(got), state(want)
	if a == b {
		return
	}
	as, bs := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(as), len(bs)) {
		if as[i] != bs[i] {
			t.Fatalf("%s: line %d of the state is\n%s\nwant\n%s", what, i, as[i], bs[i])
		}
	}
	t.Fatalf("%s: the states differ in length", what)
}

// again is a fresh terminal that was given a snapshot of t, and where to go on.
func again(t *Terminal) (*Terminal, int64) {
	b, from := t.Checkpoint()
	fresh := New(t.cols, t.rows)
	_, _ = fresh.Write(b)
	return fresh, from
}

// TestSnapshotOfRecordings: at every 1 KB, and at every byte of the shorter ones, a
// snapshot and the rest of the bytes lead to the state of all bytes.
func TestSnapshotOfRecordings(t *testing.T) {
	for _, r := range recordings(t) {
		every := 1 << 10
		if len(r.raw) < 5000 {
			every = 1
		}
		term := New(r.cols, r.rows)
		var copies []*Terminal // of each kilobyte, that go on beside it
		fed := 0
		feed := func(to int) {
			for fed < to {
				n := min(to, fed+every-fed%every) - fed
				_, _ = term.Write(r.raw[fed : fed+n])
				for _, c := range copies {
					_, _ = c.Write(r.raw[fed : fed+n])
				}
				fed += n
				fresh, from := again(term)
				if from > int64(fed) || from < int64(fed-1000) {
					t.Fatalf("%s at %d: goes on from %d", r.name, fed, from)
				}
				compare(t, fmt.Sprintf("%s at %d", r.name, fed), fresh, term)
				_, _ = fresh.Write(r.raw[from:fed])
				if every > 1 || fed%50 == 0 {
					copies = append(copies, fresh)
				}
			}
		}
		for _, s := range r.stops {
			feed(s.Offset)
			for _, c := range copies {
				compare(t, fmt.Sprintf("%s%s", r.name, s.Label), c, term)
				if s.Cols > 0 {
					c.Resize(s.Cols, s.Rows)
				}
			}
			if s.Cols > 0 {
				term.Resize(s.Cols, s.Rows)
			}
		}
	}
}

// TestSnapshotHoldsBack: what is not complete is not in a snapshot, and is to come
// again.
func TestSnapshotHoldsBack(t *testing.T) {
	for _, c := range []struct{ done, begun string }{
		{"abc", "\x1b"},
		{"abc", "\x1b[3"},
		{"abc", "\x1b[3\n1"}, // the newline has not happened yet
		{"abc", "\x1b]0;titl"},
		{"abc", "\x1b]0;title\x1b"},
		{"abc", "\x1b("},
		{"abc", "\xe4\xb8"},
		{"abc", "\xc2"},
		{"abc", "\u009b3"},
		{"abc", "\x1bPq" + strings.Repeat("sixel", 10_000)},
		{"👩", "\xe2\x80"},
	} {
		term := New(20, 5)
		for _, part := range []byte(c.done + c.begun) {
			_, _ = term.Write([]byte{part})
		}
		b, from := term.Snapshot()
		if from != int64(len(c.done)) || bytes.Contains(b, []byte("titl")) {
			t.Errorf("%q: goes on from %d with %q", c.begun, from, b)
		}
		fresh := New(20, 5)
		_, _ = fresh.Write(b)
		_, _ = fresh.Write([]byte(c.begun))
		compare(t, c.begun, fresh, term)
	}
}

// TestEndlessSequences: a sequence that is too long to have an effect is not in a snapshot,
// however long it is; with what follows it comes to the same as the whole.
func TestEndlessSequences(t *testing.T) {
	for _, begin := range []string{"\x1b]0;title ", "\x1bPq", "\x1b_Ga=T,", "\x1b^", "\x1bX", "\x1b[3", "\x1b(", "\u009d52;c;"} {
		for _, ends := range []string{"m\x1b\\after", "\x1b\\after", "\aafter\x1b\\", "\x18after", "\x1b[1mafter", "\x1b"} {
			fill := "0123456789 \n"
			if strings.Contains("(", begin[1:2]) {
				fill = "   \n"
			}
			b := []byte("wörd e" + begin + strings.Repeat(fill, 2*maxHeld/len(fill)) + ends)
			b = append(b, "\u0301 more\r\n"...)
			whole := New(20, 5)
			_, _ = whole.Write(b)
			for _, cut := range []int{maxHeld + 100, len(b) - 100, len(b) - len("\u0301 more\r\n"), len(b) - len("\u0301 more\r\n") - len(ends) + 1} {
				what := fmt.Sprintf("%q ended by %q, cut %d before the end", begin, ends, len(b)-cut)
				parts := New(20, 5)
				_, _ = parts.Write(b[:cut])
				fresh, from := again(parts)
				if before := int64(cut) - from; before > 1 && cut < len(b)-100 {
					t.Errorf("%s: %d bytes must come again", what, before)
				}
				_, _ = fresh.Write(b[from:])
				_, _ = parts.Write(b[cut:])
				compare(t, "in pieces "+what, parts, whole)
				compare(t, "from a snapshot "+what, fresh, whole)
			}
		}
	}
}
