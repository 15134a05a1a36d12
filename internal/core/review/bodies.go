package review

import (
	"maps"
	"slices"
	"strings"

	"kedge/internal/core/detect"
	"kedge/internal/text/lazyre"
)

// binders stand between a name and what it is given.
var binders = lazyre.New(`^(?::?=|in|of|range)$`)

// Bound gives the names that lines bind, with the things that stand behind them.
func Bound(lines []string) map[string][]string {
	out := map[string][]string{}
	for _, l := range lines {
		if len(l) > 400 {
			continue
		}
		words := detect.Tokens(l)
		at := slices.IndexFunc(words, binders.MatchString)
		if at < 1 || at+1 >= len(words) || words[at+1] == "=" {
			continue
		}
		given := slices.Sorted(maps.Keys(Asks(words[at+1:]).Things()))
		for name := range Asks(words[:at]).Things() {
			out[name] = append(out[name], given...)
		}
	}
	return out
}

// cuts are lines by which a loop leaves out some of its cases, and says nothing.
var cuts = lazyre.New(`(?m)^(?:\}? ?(?:else )?if\b[^\n]*[{:]?\n(?:continue|next)\b;?$|if\b[^\n]*\)\s*\{?\s*continue\b|next (?:if|unless)\b|continue (?:if|unless)\b|\[\[? [^\n]*&& continue\b)`)

// LeavesOut counts the cases that a test leaves out.
func LeavesOut(body []string) int {
	return len(cuts.FindAllStringIndex(strings.Join(body, "\n"), -1))
}

// slicing is what makes a list shorter where a loop goes through it.
var slicing = lazyre.New(`\s*(?:\[[0-9]*:-?[0-9]*\]|\[[0-9]+\.\.\.?[0-9]*\]|\.(?:slice|take|first|limit)\([^()]*\))`)

// Shortened tells whether a loop of a test now goes through a part of what it went through.
func Shortened(was, is []string) bool {
	had := map[string]bool{}
	for _, l := range was {
		had[l] = true
	}
	for _, l := range is {
		if !had[l] && len(l) < 400 && slicing.MatchString(l) && had[slicing.ReplaceAllString(l, "")] {
			return true
		}
	}
	return false
}

var expecting = lazyre.New(`@ts-expect-error|\btypings:expect-error|\$ExpectError|\bexpect-error\b|//~\^*\s*ERROR|//\s*ERROR\b|<error descr=`)

// Expected counts the comments of a text by which it expects an error of the compiler.
func Expected(text []byte) int {
	if len(text) > detect.MaxSource {
		return 0
	}
	n := 0
	for range expecting.FindAllStringIndex(string(text), -1) {
		n++
	}
	return n
}

// skipping is a line that says when tests are skipped: it gives that a name, or marks all tests behind it.
var skipping = lazyre.New(`(?i)^(?:(?:const|let|var|val|final|static|private|export|auto|bool(?:ean)?)\s+)*\w*(?:skip|skipped|disabled?|ignored?|xfail)(?:_?(?:if|on|unless|reason|tests?|all))?\w*\s*(?::\s*\w+\s*)?:?=[^=]`)

// SkipsMore gives a line by which lines say that tests are skipped under a condition more than before; empty: none.
func SkipsMore(was, is []string) string {
	before := map[string][]string{}
	for _, l := range was {
		if m := skipping.FindStringIndex(l); m != nil {
			before[l[:m[1]-1]] = detect.Tokens(l)
		}
	}
	for _, l := range is {
		m := skipping.FindStringIndex(l)
		if m == nil {
			continue
		}
		old := before[l[:m[1]-1]]
		if more := others(detect.Tokens(l), old); len(old) > 0 && len(others(old, detect.Tokens(l))) == 0 && (slices.Contains(more, "||") || slices.Contains(more, "or")) {
			return l
		}
	}
	return ""
}

var catching = lazyre.New(`\bcatch\s*\(\s*(?:[\w.&|\\ ]+\s+)?[&$]*(\w+)\b|\bexcept\b[^:\n]*\bas\s+(\w+)|\brescue\b[^\n]*=>\s*(\w+)`)

// Caught are the names that lines give to what they catch.
func Caught(body []string) []string {
	var out []string
	for _, m := range catching.FindAllStringSubmatch(strings.Join(body, "\n"), -1) {
		out = append(out, m[1]+m[2]+m[3])
	}
	return out
}

// canned are ways to give a function a fixed result.
var canned = lazyre.New(`\bpatch(?:\.object)?\s*\(\s*(?:[\w.]+\s*,\s*)?["'](?:[\w.]*\.)?(\w+)["']|\bsetattr\s*\(\s*[\w.]+\s*,\s*["'](\w+)["']|\bsetattr\s*\(\s*["'](?:[\w.]*\.)?(\w+)["']|` +
	`\((\w[\w:]*)\)\.to\s+receive\s*\(\s*:(\w+)|\bwhen\s*\(\s*(\w+)\.(\w+)\s*\(|\bstub\s*\(\s*\w+\s*,\s*["'](\w+)["']|\bspyOn\s*\(\s*\w+\s*,\s*["'](\w+)["']\s*\)\s*\.\s*mock(?:Return|Resolved|Impl)|\bmethod\s*\(\s*["'](\w+)["']\s*\)\s*->\s*willReturn`)

// Canned are the functions that a test gives a fixed result, with what they are methods of, where that
// is said.
func Canned(body []string) map[string]string {
	out := map[string]string{}
	for _, m := range canned.FindAllStringSubmatch(strings.Join(body, "\n"), -1) {
		for i, name := range m[1:] {
			switch {
			case name == "" || i == 3 || i == 5: // what the next group is a method of
			case i == 4 || i == 6:
				out[name] = m[i]
			default:
				out[name] = ""
			}
		}
	}
	return out
}

// running is a line of bats that keeps a command from ending the test, and the command.
var running = lazyre.New(`^((?:\w+=\S+\s+)*)run\s+(?:-0\s+)?(\S.*)$`)

// RunsPlainly tells whether a test of bats now starts the commands themselves that it gave to run: each has to
// succeed, or the test ends.
func RunsPlainly(was, is []string) bool {
	some := false
	for _, l := range was {
		m := running.FindStringSubmatch(l)
		if m == nil || slices.Contains(is, l) {
			continue
		}
		some = true
		if command := m[1] + m[2]; !slices.ContainsFunc(is, func(l string) bool {
			name, given, _ := strings.Cut(l, "=")
			return l == command || !strings.ContainsAny(name, " \t") && strings.Trim(given, `"`) == "$("+command+")"
		}) {
			return false
		}
	}
	return some
}

var (
	branches = lazyre.New(`^(?:if|unless)\b`)
	closes   = lazyre.New(`^(?:end|fi|\}\)?;?)$|^\}? ?(?:else|elsif|elif|elseif)\b`)
	elses    = lazyre.New(`^\}? ?(?:else|elsif|elif|elseif)\b`)
)

// UnderCondition gives a line that newly stands under a condition, in a block of nothing but lines that were there
// before or count, and without another way. Those count of which tells says so.
func UnderCondition(was, is []string, tells func(line string) bool) string {
	had, under := map[string]bool{}, map[string]bool{}
	for i, l := range was {
		had[l] = true
		under[l] = under[l] || i > 0 && (branches.MatchString(was[i-1]) || elses.MatchString(was[i-1]))
	}
	for i, l := range is {
		if had[l] || !branches.MatchString(l) || i+1 < len(is) && under[is[i+1]] {
			continue
		}
		found, at := "", i+1
		for ; at < len(is) && (had[is[at]] || tells(is[at])) && !closes.MatchString(is[at]); at++ {
			if found == "" && tells(is[at]) {
				found = is[at]
			}
		}
		if found != "" && at < len(is) && !elses.MatchString(is[at]) && closes.MatchString(is[at]) && (at+1 == len(is) || !elses.MatchString(is[at+1])) {
			return found
		}
	}
	return ""
}

// Hollow gives the conditions of a test under which nothing happens.
func Hollow(body []string) map[string]bool {
	out := map[string]bool{}
	text := strings.Join(detect.Tokens(strings.Join(body, "\n")), " ")
	for _, m := range idle.FindAllStringSubmatch(text, -1) {
		out[m[1]] = true
	}
	return out
}

// idle is a condition whose body does nothing, or only says something.
var idle = lazyre.New(`(?:^| )(if [^{}]+?) \{ (?:(?:_ = \w+|\w+ \. (?:Logf?|Helper|Print(?:ln|f)?) \([^{}]*\)) )*\}`)

var binding = lazyre.New(`^[\w\s,$*&:<>\[\]]+?(?::=|=)[^=>]`)

// OwnNames are the names to which the lines of a test give a value themselves.
func OwnNames(lines []string) map[string]bool {
	out := map[string]bool{}
	for _, l := range lines {
		if m := binding.FindStringIndex(l); m != nil {
			for part := range strings.SplitSeq(l[:m[1]-1], ",") { // the last word of each part: a type may stand before it
				if words := detect.Words(part); len(words) > 0 {
					out[words[len(words)-1]] = true
				}
			}
		}
	}
	return out
}
