package attend

import (
	"testing"

	"kedge"
	"kedge/internal/insight/transcript"
)

// TestIdentify: the session's conversation changes where its own agent begins another,
// and not by what an agent tells that was started inside of it.
func TestIdentify(t *testing.T) {
	ev := func(native string, e kedge.HookEvent, source string) kedge.HookData {
		return kedge.HookData{Agent: "claude", Native: native, Event: e, Source: source}
	}
	begin := ev("a", kedge.HookStart, "startup")
	work := ev("a", kedge.HookTool, "")
	for name, c := range map[string]struct {
		program string
		events  []kedge.HookData
		want    string
		changes int
	}{
		"its own":       {"claude", []kedge.HookData{begin, work}, "a", 0},
		"no start":      {"claude", []kedge.HookData{work}, "a", 0},
		"cleared":       {"claude", []kedge.HookData{begin, work, ev("b", kedge.HookStart, "clear")}, "b", 1},
		"resumed":       {"claude", []kedge.HookData{begin, work, ev("a", kedge.HookStop, ""), ev("b", kedge.HookStart, "resume")}, "b", 1},
		"nested":        {"claude", []kedge.HookData{begin, work, ev("n", kedge.HookStart, "startup"), ev("n", kedge.HookTool, ""), ev("n", kedge.HookEnd, ""), work}, "a", 0},
		"nested first":  {"claude", []kedge.HookData{begin, ev("n", kedge.HookStart, "startup"), work}, "a", 0},
		"nested resume": {"claude", []kedge.HookData{begin, work, ev("n", kedge.HookStart, "resume"), work}, "a", 0},
		"nested tools":  {"claude", []kedge.HookData{begin, ev("n", kedge.HookTool, ""), ev("n", kedge.HookStop, "")}, "a", 0},
		"ended":         {"bash", []kedge.HookData{begin, work, ev("a", kedge.HookEnd, ""), ev("b", kedge.HookStart, "startup")}, "b", 1},
		"killed":        {"bash", []kedge.HookData{begin, work, ev("a", kedge.HookStop, ""), ev("b", kedge.HookStart, "startup")}, "b", 1},
		"in a shell":    {"bash", []kedge.HookData{begin, work, ev("n", kedge.HookStart, "startup")}, "a", 0},
	} {
		w, changes := &watched{ses: kedge.Session{Agent: c.program}}, 0
		for _, d := range c.events {
			if w.identify(d) {
				changes++
			}
		}
		if w.native != c.want || changes != c.changes {
			t.Errorf("%s: %q after %d changes", name, w.native, changes)
		}
		if w.speaksOf(ev("n", kedge.HookTool, "")) || !w.speaksOf(ev(c.want, kedge.HookTool, "")) {
			t.Errorf("%s: another conversation's events count", name)
		}
	}
}

// TestEntryKeys: entries with the same number in two conversations are two.
func TestEntryKeys(t *testing.T) {
	one := &watched{key: "watch-s", page: page{file: transcript.File{Path: "/x/a.jsonl"}}}
	two := &watched{key: "watch-s", page: page{file: transcript.File{Path: "/x/b.jsonl"}}}
	if one.entryKey(3) == two.entryKey(3) || one.entryKey(3) == one.entryKey(4) {
		t.Errorf("%s and %s", one.entryKey(3), two.entryKey(3))
	}
}
