package review

import (
	"slices"
	"strings"

	"kedge/internal/core/detect"
	"kedge/internal/text/lazyre"
)

// OpensList tells whether a bracket begins a holdsValue: no call, no index, no block.
func (c Code) OpensList(i, from int) bool {
	b := c.Masked[i]
	if b != '[' && b != '{' && b != '(' {
		return false
	}
	before := strings.TrimRight(c.Masked[max(from, i-60):i], " \t\n")
	if before == "" {
		return b != '{'
	}
	last := before[len(before)-1]
	if last == '#' || strings.HasSuffix(before, "#!") {
		return false // an attribute
	}
	adjacent := i > 0 && detect.WordByte(c.Masked[i-1])
	switch {
	case strings.HasSuffix(before, "=>") || strings.HasSuffix(before, "->"):
		return b == '['
	case b == '{':
		return strings.IndexByte("=([,:{?]", last) >= 0 || strings.HasSuffix(before, "return")
	case adjacent:
		return b == '(' && strings.HasSuffix(before, "array")
	}
	return strings.IndexByte(")]", last) < 0 || strings.HasSuffix(before, "[]")
}

// Elements are the rows between two brackets; none when it is no table.
func (c Code) Elements(open, end int) [][2]int {
	var parts [][2]int
	start := open + 1
	for i := open + 1; i < end; i++ {
		switch c.Masked[i] {
		case '(', '[', '{':
			i = max(i, min(c.Partner(i), end)-1)
		case ';':
			return nil // a block
		case ',':
			parts = append(parts, [2]int{start, i})
			start = i + 1
		}
	}
	if strings.TrimSpace(c.Masked[start:max(start, end)]) != "" {
		parts = append(parts, [2]int{start, end})
	}
	any := c.looped(open, end) || len(parts) > 2 && c.named(open) && !slices.ContainsFunc(parts, func(p [2]int) bool { return !scalar.MatchString(c.Bare[p[0]:max(p[0], p[1])]) })
	if len(parts) < 2 && !any || !any && (c.argument(open) || strings.HasSuffix(strings.TrimRight(c.Masked[max(0, open-20):open], " \t\n"), "=>")) && slices.ContainsFunc(parts, c.keyed) {
		return nil // one thing is no table, nor are the options of a call
	}
	var rows [][2]int
	for _, p := range parts {
		text := c.Bare[p[0]:max(p[0], p[1])]
		if holdsValue.MatchString(text) && !calledBack.MatchString(text[:min(len(text), 400)]) && (any || rowStart.MatchString(text[:min(len(text), 400)])) {
			rows = append(rows, p)
		}
	}
	return rows
}

// named tells whether a list stands behind a name; outside of tests, behind one that something goes
// through.
func (c Code) named(open int) bool {
	before := strings.TrimRight(c.Masked[max(0, open-60):open], " \t\n")
	if c.Masked[open] != '[' || before == "" || strings.HasSuffix(before, "==") || !strings.HasSuffix(before, ":") && !strings.HasSuffix(before, "=") {
		return false
	}
	words := detect.Words(before)
	return c.OfTests || len(words) > 0 && strings.Count(c.Masked, " of "+words[len(words)-1])+strings.Count(c.Masked, " in "+words[len(words)-1])+strings.Count(c.Masked, words[len(words)-1]+".")+strings.Count(c.Masked, "each("+words[len(words)-1]) > 0
}

// argument tells whether a list is one of the arguments of a call.
func (c Code) argument(open int) bool {
	before := strings.TrimRight(c.Masked[max(0, open-60):open], " \t\n")
	return before != "" && strings.IndexByte("(,", before[len(before)-1]) >= 0
}

// keyed tells whether an element is a value with its name.
func (c Code) keyed(part [2]int) bool {
	return keyedRow.MatchString(c.Bare[part[0]:max(part[0], part[1])])
}

// looped tells whether a list is gone through by a loop, or by a runner that takes its values as
// cases.
func (c Code) looped(open, end int) bool {
	return loopBefore.MatchString(c.Masked[max(0, open-120):open]) || loopAfter.MatchString(c.Masked[min(end+1, len(c.Masked)):min(end+40, len(c.Masked))])
}

var holdsValue = lazyre.New(`["'` + "`" + `]|\b[0-9]|(?:^|[\s\[(,]):\w`)

var rowStart = lazyre.New("^\\s*(?:[\\[({]|[\"'`][^\\n]*?[\"'`]\\s*(?::|=>|,\\s*\\n)|(?:new\\s+)?[\\w.:]+!?\\s*[({\\[]|[^\\n]{1,200}=>\\s*[\\[(])")

var loopBefore = lazyre.New(`(?:\b(?:in|of|range)\s*(?:vec!|&|Array|\[\]\w+)?|parametrize\s*\([^\n]*,|\.each\s*\(|Source\s*\([\w\s=]*|\bfor\s*\()\s*$`)

var loopAfter = lazyre.New(`^\s*\.\s*(?:forEach|each|map|iter|into_iter|every|for)\b`)

// scalar is a text or a number.
var scalar = lazyre.New("^\\s*(?:\"(?:[^\"\\\\]|\\\\.)*\"|'(?:[^'\\\\]|\\\\.)*'|`[^`]*`|-?[0-9][\\w.]*)\\s*$")

// calledBack is a function under a key: code, and no case.
var calledBack = lazyre.New(`^\s*(?:async\s+)?["']?\w+["']?\s*(?::\s*(?:async\s*)?(?:function\b|(?:\([^()]*\)|\w+)\s*(?::[^=\n]+)?=>)|\([^()]*\)\s*\{)`)

var keyedRow = lazyre.New("^\\s*[\"'`][^\"'`\\n]*[\"'`]\\s*(?::|=>)")
