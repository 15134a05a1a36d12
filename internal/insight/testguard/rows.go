package testguard

import (
	"slices"
	"strings"

	"kedge/internal/core/detect"
	"kedge/internal/text/lazyre"
)

var (
	literal    = lazyre.New(`["'` + "`" + `]|\b[0-9]|(?:^|[\s\[(,]):\w`)
	rowStart   = lazyre.New("^\\s*(?:[\\[({]|[\"'`][^\\n]*?[\"'`]\\s*(?::|=>|,\\s*\\n)|(?:new\\s+)?[\\w.:]+!?\\s*[({\\[]|[^\\n]{1,200}=>\\s*[\\[(])")
	loopBefore = lazyre.New(`(?:\b(?:in|of|range)\s*(?:vec!|&|Array|\[\]\w+)?|parametrize\s*\([^\n]*,|\.each\s*\(|Source\s*\([\w\s=]*|\bfor\s*\()\s*$`)
	loopAfter  = lazyre.New(`^\s*\.\s*(?:forEach|each|map|iter|into_iter|every|for)\b`)
)

// rowsIn gives the rows of the tables in a part of a text: the elements of lists that have brackets
// of their own, and those of lists that a loop goes through. What assertions hold is passed over.
func (c code) rowsIn(from, to int, claimed [][2]int, lines *lineCounter) []claim {
	var out []claim
	tables := 0
	for i, k := from, 0; i < to; i++ {
		for k < len(claimed) && claimed[k][1] <= i {
			k++
		}
		if k < len(claimed) && i >= claimed[k][0] {
			i = claimed[k][1] - 1
			continue
		}
		if !c.opensList(i, from) {
			continue
		}
		end := min(c.Partner(i)-1, to)
		rows := c.elements(i, end)
		if len(rows) == 0 {
			continue
		}
		tables++
		for _, r := range rows {
			out = append(out, claim{words: tokens(c.Bare[r[0]:r[1]]), row: true, table: tables, line: lines.at(r[0])})
		}
		i = end
	}
	return out
}

// opensList tells whether a bracket begins a literal: no call, no index, no block.
func (c code) opensList(i, from int) bool {
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

// elements are the rows between two brackets; none when it is no table.
func (c code) elements(open, end int) [][2]int {
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
	any := c.looped(open, end)
	if len(parts) < 2 && !any || c.argument(open) && slices.ContainsFunc(parts, c.keyed) {
		return nil // one thing is no table, nor are the options of a call
	}
	var rows [][2]int
	for _, p := range parts {
		text := c.Bare[p[0]:max(p[0], p[1])]
		if literal.MatchString(text) && (any || rowStart.MatchString(text[:min(len(text), 400)])) {
			rows = append(rows, p)
		}
	}
	return rows
}

// argument tells whether a list is one of the arguments of a call.
func (c code) argument(open int) bool {
	before := strings.TrimRight(c.Masked[max(0, open-60):open], " \t\n")
	return before != "" && strings.IndexByte("(,", before[len(before)-1]) >= 0
}

var keyedRow = lazyre.New("^\\s*[\"'`][^\"'`\\n]*[\"'`]\\s*(?::|=>)")

// keyed tells whether an element is a value with its name.
func (c code) keyed(part [2]int) bool {
	return keyedRow.MatchString(c.Bare[part[0]:max(part[0], part[1])])
}

// looped tells whether a list is gone through by a loop, or by a runner that takes its values as
// cases.
func (c code) looped(open, end int) bool {
	return loopBefore.MatchString(c.Masked[max(0, open-120):open]) || loopAfter.MatchString(c.Masked[min(end+1, len(c.Masked)):min(end+40, len(c.Masked))])
}
