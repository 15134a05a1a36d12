package main

import (
	"strings"
	"testing"
)

// TestSwitcher: the list shows the state and the last line; what is typed filters it. The
// session that was chosen gets every key that follows, and the one before it none.
func TestSwitcher(t *testing.T) {
	needs(t, "tmux")
	k := newKeeper(t)
	for _, name := range []string{"one", "two", "three"} {
		k.run("new", name, "--", "sh", "-c", "echo this is "+name+"; cat")
	}
	k.run("new", "asks", "--", "sh", "-c", `printf 'well?\033]7501;state=blocked\007\r\n'; cat`)
	p := k.pane(80, 24)
	p.attach("one", "this is one")
	p.keys("C-]", "w")
	p.shows("Switch to")
	p.await("all of them", func() bool {
		s := p.screen()
		return strings.Contains(s, "◐ asks") && strings.Contains(s, "● three") && strings.Contains(s, "this is two")
	})
	p.keys("t", "h", "r", "Enter")
	p.await("three", func() bool {
		s := p.screen()
		return strings.Contains(s, "this is three") && !strings.Contains(s, "Switch")
	})
	p.line("first")
	p.await("what the program says to the first line", func() bool { return strings.Contains(p.screen(), "first\nfirst\n") })
	p.keys("C-]", "n")
	p.shows("well?")
	p.keys("C-]", "l")
	p.shows("this is three")
	p.keys("C-]", "l")
	p.shows("well?")
	p.keys("C-]", "r")
	p.shows("new name of asks")
	p.line("answers")
	p.shows("the session is now called answers")
	p.keys("C-]", "x")
	p.shows("Type yes")
	p.line("yes")
	p.shows("[session answers has ended")
	if s := k.session(k.dir, "answers"); s.Live() {
		t.Errorf("it is %s", s.Summary())
	}
	if got := k.printed(k.session(k.dir, "one").ID); strings.Contains(got, "first") {
		t.Errorf("the session before got what was typed for this one: %q", got)
	}
}
