package review

import (
	"slices"
	"strings"

	"kedge/internal/core/detect"
	"kedge/internal/text/lazyre"
)

// Hooked tells whether a function that runs for all tests of a file skips.
func (c Code) Hooked(hook, skips *lazyre.Regexp) Skip {
	for _, m := range hook.FindAllStringIndex(c.Masked, -1) {
		open := m[1] - 1
		end := c.Partner(open)
		if c.Lined {
			end = m[1] + max(0, strings.Index(c.Masked[m[1]:], "\n}"))
		}
		if skips.MatchString(c.Masked[m[1]:max(m[1], end)]) {
			return Sometimes
		}
	}
	return Always
}

// Cut leaves out what stands behind a place.
func (c Code) Cut(at int) Code {
	blank := strings.Map(func(r rune) rune {
		if r == '\n' {
			return r
		}
		return ' '
	}, strings.ToValidUTF8(c.Masked[at:], " "))
	if len(blank) != len(c.Masked)-at {
		return c
	}
	c.Masked, c.Bare = c.Masked[:at]+blank, c.Bare[:at]+blank
	return c
}

// DeadLines gives the lines that stand behind a return in the same block: they never run.
func (c Code) DeadLines() map[int]bool {
	out := map[int]bool{}
	if !strings.Contains(c.Masked, "return") {
		return out
	}
	indent, behind := -1, false
	for i, l := range strings.Split(c.Masked, "\n") {
		text := strings.TrimSpace(l)
		at := len(l) - len(strings.TrimLeft(l, " \t"))
		switch {
		case text == "":
		case indent >= 0 && !behind && (at > indent || at == indent && strings.IndexByte(")]}.&|?:+-", text[0]) >= 0): // still what is returned
		case indent >= 0 && at >= indent && !strings.HasPrefix(text, "case ") && !strings.HasPrefix(text, "default"):
			out[i+1], behind = true, true
		default:
			indent, behind = -1, false
			if leaving.MatchString(text) && !conditionalReturn.MatchString(text) {
				indent = at
			}
		}
	}
	return out
}

// Leaves is where a module ends before its end: behind a return that stands in no block; 0: nowhere.
func (c Code) Leaves() int {
	for _, m := range jsReturn.FindAllStringIndex(c.Masked, -1) {
		at := m[0]
		for i := 0; i < at; i++ {
			if strings.IndexByte("({[", c.Masked[i]) >= 0 {
				if end := c.Partner(i); end > at {
					at = -1
				} else {
					i = max(i, end-1)
				}
			}
		}
		if at > 0 {
			return m[1]
		}
	}
	return 0
}

// Branches are the blocks that run under a condition only.
func (c Code) Branches() [][2]int {
	var out [][2]int
	for _, m := range jsBranch.FindAllStringIndex(c.Masked, -1) {
		open := c.Blanks(c.Partner(m[1] - 1))
		if open < len(c.Masked) && c.Masked[open] == '{' && (len(out) == 0 || open >= out[len(out)-1][1]) {
			out = append(out, [2]int{open, c.Partner(open)})
		}
	}
	return out
}

// CompiledIf are the parts of a file that are compiled under a condition; the guard around a header is none.
func (c Code) CompiledIf() [][2]int {
	var out [][2]int
	var open []int
	for _, m := range cIf.FindAllStringSubmatchIndex(c.Masked, -1) {
		switch {
		case c.Masked[m[2]:m[3]] == "if":
			open = append(open, m[1])
		case len(open) > 0:
			out = append(out, [2]int{open[len(open)-1], m[0]})
			open = open[:len(open)-1]
		}
	}
	return slices.DeleteFunc(out, func(b [2]int) bool {
		return guardHead.MatchString(c.Masked[b[0]:min(len(c.Masked), b[0]+200)]) && b[1] > len(c.Masked)-40
	})
}

// RunsIn tells whether a test is given to its runner, and under a condition only.
func (c Code) RunsIn(name string, runs *lazyre.Regexp, branches [][2]int) bool {
	found := false
	for _, m := range runs.FindAllStringSubmatchIndex(c.Masked, -1) {
		if !slices.Contains(detect.Words(c.Masked[m[2]:m[3]]), name) {
			continue
		}
		if !slices.ContainsFunc(branches, func(b [2]int) bool { return b[0] <= m[0] && m[0] < b[1] }) {
			return false
		}
		found = true
	}
	return found
}

// LeftOut are the modules, or the whole file, that a condition other than that of tests may leave out.
func (c Code) LeftOut() [][2]int {
	var out [][2]int
	for _, m := range rustMod.FindAllStringSubmatchIndex(c.Masked, -1) {
		if m[2] >= 0 {
			if strings.TrimSpace(c.Masked[m[3]:max(m[3], c.Partner(m[2])-1)]) != "test" {
				out = append(out, [2]int{0, len(c.Masked)})
			}
			continue
		}
		for attr := range strings.SplitSeq(c.Masked[m[4]:m[5]], "#") {
			if attr = strings.Join(strings.Fields(attr), ""); strings.HasPrefix(attr, "[cfg(") && attr != "[cfg(test)]" {
				out = append(out, [2]int{m[6], c.Partner(m[6])})
			}
		}
	}
	return out
}

var leaving = lazyre.New(`(?:^|[;{]\s*)(?:return\b[^;{}]*;?|return(?: 0)?)$`)

// conditionalReturn is a return of a line that depends on something in it.
var conditionalReturn = lazyre.New(`\b(?:if|unless|else|when|case|while|for|and|or|until)\b|&&|\|\||=>|->|\?`)

var jsReturn = lazyre.New(`(?m)^return\b[^\n]*$`)

var jsBranch = lazyre.New(`\bif\s*\(`)

var cIf = lazyre.New(`(?m)^[ \t]*#[ \t]*(if|endif)[a-z]*\b([^\n]*)`)

var rustMod = lazyre.New(`#\s*!\s*\[\s*cfg\s*(\()|((?:#\s*\[[^\]\n]*\]\s*)+)(?:pub(?:\([^)]*\))?\s+)?mod\s+\w+\s*(\{)`)

// guardHead is the second line of the guard around a header: it defines what the first asks for.
var guardHead = lazyre.New(`^[^\n]*\n\s*#[ \t]*define[ \t]+\w*(?:_H|_INCLUDED|_GUARD)\w*`)
