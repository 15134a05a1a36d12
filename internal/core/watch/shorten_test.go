package watch_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"kedge/internal/core/watch"
)

// TestRow65CompactsAtTheThreshold: at so many tokens, of a context that could hold
// more, the session is told to compact, once; it hands over where that did not help.
func TestRow65CompactsAtTheThreshold(t *testing.T) {
	can := func(l *watch.Limits) { l.Shortens, l.Focus, l.CompactTokens = true, "the objective", 100_000 }
	compacted := watch.Act{Kind: watch.Compact}
	for _, c := range []struct {
		name   string
		limits func(*watch.Limits)
		do     func(e *eye)
		want   string
	}{
		{"below", can, func(e *eye) { e.full("", 99_999, 200_000) }, ""},
		{"once", can, func(e *eye) { e.full("", 100_000, 200_000).full("", 110_000, 200_000) }, "pressure shorten"},
		{"again when it has become large again", can, func(e *eye) {
			e.full("", 100_000, 200_000).feed(compacted).full("", 30_000, 200_000)
			for range 10 {
				e.turn("")
			}
			e.call("edit", "ok", false, "a.go").full("", 101_000, 200_000)
		}, "pressure shorten, pressure shorten"},
		{"not where it did not help", can, func(e *eye) {
			e.full("", 100_000, 200_000).feed(compacted).full("", 101_000, 200_000).full("", 139_000, 200_000).full("", 141_000, 200_000)
		}, "pressure shorten, pressure save, pressure handoff"},
		{"nor where it could not", can, func(e *eye) {
			e.full("", 100_000, 200_000).feed(watch.Act{Kind: watch.Spared}).full("", 141_000, 200_000)
		}, "pressure shorten, pressure handoff"},
		{"the handover comes first", can, func(e *eye) { e.full("", 150_000, 200_000) }, "pressure handoff"},
		{"a window that nobody knows", can, func(e *eye) {
			e.full("", 100_000, 0).full("", 104_000, 0).feed(compacted).full("", 20_000, 0)
		}, "pressure shorten"},
		{"of which the compaction did not help", can, func(e *eye) {
			e.full("", 100_000, 0).feed(compacted).full("", 104_000, 0)
		}, "pressure shorten, pressure handoff"},
		{"or never came", can, func(e *eye) { e.full("", 100_000, 0).full("", 125_000, 0) }, "pressure shorten, pressure handoff"},
		{"a session that cannot be told", func(l *watch.Limits) { can(l); l.Shortens = false }, func(e *eye) {
			e.full("", 100_000, 200_000).full("", 141_000, 200_000)
		}, "pressure handoff"},
		{"in the middle of an item", func(l *watch.Limits) { can(l); l.Steps = 3 }, func(e *eye) {
			e.step("one").full("", 145_000, 200_000).feed(compacted).full("", 144_000, 200_000)
		}, "pressure shorten, pressure handoff"},
		{"switched off", func(l *watch.Limits) { can(l); l.CompactTokens = 0 }, func(e *eye) { e.full("", 119_000, 200_000) }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := newEye(c.limits)
			c.do(e)
			e.want(t, c.want, watch.Pressure)
			if strings.HasPrefix(c.want, "pressure shorten") && !strings.Contains(e.got[0].Focus, "the objective") {
				t.Errorf("the focus is %q", e.got[0].Focus)
			}
		})
	}
}

// What the session says of its step and its check goes into the focus shortened, in
// whole characters: a command may be a whole file.
func TestFocusIsShort(t *testing.T) {
	long := strings.Repeat("x", 494) + strings.Repeat("é", 32<<10)
	e := newEye(func(l *watch.Limits) { l.Shortens, l.Focus, l.CompactTokens = true, "the objective", 100_000 })
	e.step("step "+long).call("check "+long, "no", true).full("", 100_000, 200_000)
	e.want(t, "pressure shorten", watch.Pressure)
	got := e.got[len(e.got)-1].Focus
	if len(got) > 1200 || !utf8.ValidString(got) || strings.ContainsRune(got, utf8.RuneError) {
		t.Errorf("the focus has %d bytes: %.40q", len(got), got)
	}
	for _, want := range []string{"the objective", "the step under way: step xxx", "narrowed down: check xxx"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %.1300q", want, got)
		}
	}
}

// TestRow65CompactionsThatLeadNowhere: a session is told to compact again only after
// ten turns in which its work changed, and never more than three times; one that fills
// its context again hands over, whoever compacted it.
func TestRow65CompactionsThatLeadNowhere(t *testing.T) {
	compacted := watch.Act{Kind: watch.Compact}
	work := func(e *eye, turns int, edit string) {
		e.full("", 30_000, 200_000)
		for i := range turns {
			e.turn(fmt.Sprintf("turn %d of %s", i, edit))
		}
		if edit != "" {
			e.call(edit, "ok", false, edit)
		}
	}
	again := func(e *eye, rounds, turns int, edit bool) {
		for i := range rounds {
			e.full("", 101_000, 200_000).feed(compacted)
			name := ""
			if edit {
				name = fmt.Sprintf("f%d.go", i)
			}
			work(e, turns, name)
		}
	}
	for _, c := range []struct {
		name string
		do   func(e *eye)
		want string
	}{
		{"large again at once", func(e *eye) {
			again(e, 1, 1, true)
			e.full("", 101_000, 200_000).full("", 141_000, 200_000)
		}, "pressure shorten, pressure handoff"},
		{"large again without a change", func(e *eye) {
			again(e, 1, 12, false)
			e.full("", 101_000, 200_000).full("", 141_000, 200_000)
		}, "pressure shorten, pressure handoff"},
		{"large again after work", func(e *eye) {
			again(e, 2, 12, true)
		}, "pressure shorten, pressure shorten"},
		{"three are enough, even with work", func(e *eye) {
			again(e, 3, 12, true)
			e.full("", 101_000, 200_000)
		}, "pressure shorten, pressure shorten, pressure shorten, pressure handoff"},
		{"forty by itself", func(e *eye) { again(e, 40, 0, false) }, "pressure shorten, pressure handoff"},
		{"forty, and nobody reports a size", func(e *eye) {
			for range 40 {
				e.turn("").feed(compacted)
			}
		}, "pressure handoff"},
		{"in the middle of an item", func(e *eye) {
			e.step("one")
			again(e, 1, 1, true)
			e.full("", 145_000, 200_000)
		}, "pressure shorten, pressure handoff"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := newEye(func(l *watch.Limits) {
				l.Shortens, l.CompactTokens, l.Steps, l.Checkpoint = true, 100_000, 3, 0
			})
			c.do(e)
			e.want(t, c.want, watch.Pressure)
		})
	}
}
