package review

import (
	"strings"

	"kedge/internal/text/lazyre"
)

// ScriptStarts tells whether a word begins a call of its own: no method, and not the
// name of a function that is being defined.
func ScriptStarts(masked string, at int) bool {
	before := strings.TrimRight(masked[max(0, at-12):at], " \t")
	if scriptReceiver.MatchString(before) {
		return true
	}
	return !strings.HasSuffix(before, ".") && !strings.HasSuffix(before, "function") && !strings.HasSuffix(before, "$")
}

// scriptReceiver is what a test may be a method of, in tap and QUnit.
var scriptReceiver = lazyre.New(`(?:^|[^\w$.])(?:t|tt|st|tap|QUnit)\.$`)

// ScriptWords are the words of the frameworks.
var ScriptWords = map[string]bool{"describe": true, "suite": true, "context": true, "it": true, "test": true, "specify": true}

// ScriptMods are the members of test that begin a test.
var ScriptMods = map[string]bool{
	"only": true, "skip": true, "todo": true, "each": true, "concurrent": true, "sequential": true, "serial": true, "failing": true, "fails": true,
	"fail": true, "fixme": true, "skipIf": true, "runIf": true, "for": true, "parallel": true, "shuffle": true, "cb": true, "describe": true, "test": true, "it": true, "step": true,
}

// ScriptOthers are members of test that are something else: hooks and settings.
var ScriptOthers = map[string]bool{
	"beforeEach": true, "afterEach": true, "beforeAll": true, "afterAll": true, "before": true, "after": true,
	"use": true, "step": true, "extend": true, "setTimeout": true, "info": true, "slow": true, "configure": true, "mock": true,
}

func ScriptChain(mods string) []string {
	var out []string
	for p := range strings.SplitSeq(mods, ".") {
		if p = strings.TrimSpace(p); p != "" {
			out = append(out, p)
		}
	}
	return out
}

func ScriptState(prefix string, chain []string) (Skip, bool) {
	s, focus := Always, prefix == "f"
	if prefix == "x" {
		s = Never
	}
	for _, c := range chain {
		switch c {
		case "skip", "todo", "fixme", "failing", "fails", "fail":
			s = Never
		case "skipIf", "runIf":
			s = max(s, Sometimes)
		case "only":
			focus = true
		}
	}
	return s, focus
}

// ScriptEnd is behind the bracket or the template that begins at open.
func ScriptEnd(c Code, open int) int {
	if c.Masked[open] != '`' {
		return c.Partner(open)
	}
	if i := strings.IndexByte(c.Masked[open+1:], '`'); i >= 0 {
		return open + i + 2
	}
	return len(c.Masked)
}

// FirstText is the string that is a call's first argument.
func FirstText(src string, at int) (string, bool) {
	rest := strings.TrimLeft(src[min(at, len(src)):min(len(src), at+2000)], " \t\r\n")
	if rest == "" || strings.IndexByte("'\"`", rest[0]) < 0 {
		return "(unnamed)", false
	}
	for i := 1; i < len(rest); i++ {
		switch rest[i] {
		case '\\':
			i++
		case rest[0]:
			return rest[1:i], true
		}
	}
	return "(unnamed)", false
}
