package vt

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// sees fails where a viewer's terminal does not show what the view is of.
func sees(t *testing.T, what string, viewer, term *Terminal, v *View) {
	t.Helper()
	for y := range viewer.rows {
		var got, want string
		for x := range viewer.cols {
			c := viewer.screen.rows[y].cells[x]
			got += fmt.Sprintf("%s<%s>", viewer.glyph(nil, c), look(viewer, bare(viewer.styles[c.style()])))
			if x >= v.cells || y >= v.lines {
				want += " <>"
				continue
			}
			c, _ = v.cellAt(term.screen.rows[y+v.y], x)
			if c&wide == 0 && x > 0 && term.screen.rows[y+v.y].cells[x+v.x]&tail != 0 {
				c = c&^content | tail
			}
			want += fmt.Sprintf("%s<%s>", term.glyph(nil, c), look(term, bare(term.styles[c.style()])))
		}
		if got != want {
			t.Fatalf("%s: line %d is\n%s\nwant\n%s", what, y, got, want)
		}
	}
	if viewer.x != term.x-v.x || viewer.y != term.y-v.y {
		t.Fatalf("%s: the cursor is at %d %d", what, viewer.x, viewer.y)
	}
	if a, b := viewer.keysNow(), term.keysNow(); a != b {
		t.Fatalf("%s: %v, want %v", what, a, b)
	}
}

func bare(s style) style {
	s.attrs &^= protected
	return s
}

// TestView: what a view gives makes a terminal of any size show its part of the
// screen, after any output and over changes of both sizes.
func TestView(t *testing.T) {
	for seed := range uint64(1500) {
		r := rand.New(rand.NewPCG(seed, 3))
		term := New(1+r.IntN(20), 1+r.IntN(7))
		viewer := New(1+r.IntN(20), 1+r.IntN(7))
		v := NewView(viewer.cols, viewer.rows)
		for step := range 8 {
			b := noise(r, r.IntN(20))
			_, _ = term.Write(b)
			sound(t, fmt.Sprintf("seed %d step %d after %q", seed, step, b), term)
			switch r.IntN(12) {
			case 0:
				term.Resize(1+r.IntN(20), 1+r.IntN(7))
			case 1:
				viewer.Resize(1+r.IntN(20), 1+r.IntN(7))
				v.Resize(viewer.cols, viewer.rows)
			}
			_, _ = viewer.Write(v.Render(term))
			sees(t, fmt.Sprintf("seed %d step %d after %q", seed, step, b), viewer, term, v)
			if again := v.Render(term); again != nil {
				t.Fatalf("seed %d: nothing changed, and %q comes", seed, again)
			}
		}
		_, _ = viewer.Write(v.Leave())
		if k := viewer.keysNow(); k != (keysOf{title: viewer.title}) {
			t.Fatalf("seed %d: it leaves %v", seed, k)
		}
	}
}

// TestViewIsSmall: one changed character costs a few bytes, not a screen.
func TestViewIsSmall(t *testing.T) {
	for _, r := range recordings(t) {
		term := New(r.cols, r.rows)
		v, viewer := NewView(80, 24), New(80, 24)
		r.play(term, 1<<10, func(s stop) {
			_, _ = viewer.Write(v.Render(term))
			sees(t, r.name+s.Label, viewer, term, v)
		})
		_, _ = term.Write([]byte("\x1b[1;1Hx"))
		_, _ = viewer.Write(v.Render(term))
		_, _ = term.Write([]byte("\x1b[1;1Hy"))
		if b := v.Render(term); len(b) > 60 {
			t.Errorf("%s: one letter costs %d bytes: %q", r.name, len(b), b)
		}
	}
}
