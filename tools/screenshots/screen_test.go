package main

import (
	"strings"
	"testing"
)

// A program that draws its output again gives one frame for each drawing, and a
// line that is too wide breaks.
func TestFrames(t *testing.T) {
	all := frames("\r\x1b[2Kone\n\r\x1b[2Ktwo\n\x1b[J"+"\x1b[2A\r\x1b[2K1\n\x1b[J", 80)
	if len(all) != 2 {
		t.Fatalf("%d frames, not 2", len(all))
	}
	if got := text(all[0]); got != "one\ntwo\n" {
		t.Errorf("the first frame is %q", got)
	}
	if got := text(all[1]); got != "1\n" {
		t.Errorf("the second frame is %q", got)
	}
	s := newScreen(4)
	s.write("abcdef")
	if got := text(s.rows()); got != "abcd\nef\n" {
		t.Errorf("a wide line breaks as %q", got)
	}
}

// Text stays text, with its colour; what would be markup is escaped.
func TestSVG(t *testing.T) {
	s := newScreen(80)
	s.write("a < b  \x1b[32;1mgreen\x1b[0m plain")
	svg := picture{title: "x & y", windows: []window{{title: "w", prompt: "kedge ls", rows: s.rows()}}}.svg()
	for _, want := range []string{">a &lt; b</text>", `class="b c2">green</text>`, ">plain</text>", "x &amp; y", ">kedge ls</text>"} {
		if !strings.Contains(svg, want) {
			t.Errorf("the picture has no %s:\n%s", want, svg)
		}
	}
}

// The sample is the same every time, so that the picture of it changes only with
// what Kedge says about it.
func TestSample(t *testing.T) {
	for _, made := range talks() {
		a, b, compacted := sample(made), sample(made), 0
		if made.half > 0 {
			compacted = 1
		}
		if string(a) != string(b) || strings.Count(string(a), "\n") != 2*len(made.acts)+2+compacted {
			t.Errorf("the sample %s has %d lines or differs", made.id, strings.Count(string(a), "\n"))
		}
	}
}
