package memory

import (
	"slices"
	"strings"

	"kedge"
	"kedge/internal/text/lazyre"
)

// generated is the form of every line that Kedge writes into a block: an item
// that starts with the id of a feature, a risk or a decision.
var generated = lazyre.New(`^- ([a-z0-9_][a-z0-9._-]*): `)

// anyForm takes every line of that form for Kedge's.
func anyForm(line string) bool { return generated.MatchString(line) }

// ours tells whether Kedge can have written a line of a block: it has the form, and what
// it names is known. A list item that you wrote may have the form, too.
func (f Facts) ours(line string) bool {
	id := lineID(line)
	return id != "" && (kedge.ValidID("dec", id) || kedge.ValidID("rsk", id) ||
		slices.ContainsFunc(f.Features, func(o kedge.Feature) bool { return string(o.ID) == id }) ||
		slices.ContainsFunc(f.Risks, func(o kedge.Risk) bool { return string(o.ID) == id }) ||
		slices.ContainsFunc(f.Decisions, func(o kedge.Decision) bool { return string(o.ID) == id }))
}

// lineID is the id that a line of a block starts with; empty for a line that you wrote.
func lineID(line string) string {
	m := generated.FindStringSubmatch(line)
	if m == nil {
		return ""
	}
	return m[1]
}

func trimCR(line string) string { return strings.TrimRight(line, "\r") }

// peoplesLines are the lines of a block that are not Kedge's.
func peoplesLines(block []string, ours func(string) bool) []string {
	return slices.DeleteFunc(slices.Clone(block), ours)
}

// ourLines are the lines of a block that are Kedge's.
func ourLines(block []string, ours func(string) bool) []string {
	var out []string
	for _, l := range block {
		if ours(l) {
			out = append(out, trimCR(l))
		}
	}
	return out
}

// replaceBlock puts the generated lines where the first block of the chunk was, or at its
// top, and takes every other block and stray marker out.
func replaceBlock(c chunk, facts []string, ours func(string) bool) []string {
	body := facts
	before, after, found := []string{}, []string{}, false
	people := &before
	for i := 0; i < len(c.lines); i++ {
		_, begin, ok := marker(c.lines[i])
		if !ok {
			*people = append(*people, c.lines[i])
			continue
		}
		end := blockEnd(c.lines, i)
		switch {
		case end < 0:
			i = dropStray(c.lines, i, begin, people, ours)
		case found:
			after = append(after, peoplesLines(c.lines[i+1:end], ours)...)
			i = end
		default:
			found, people, body = true, &after, weave(blockOf(c.lines, i, end, ours), facts, ours)
			i = end
		}
	}
	if !found {
		before, after = []string{""}, before
		if len(after) == 0 || !blank(after[0]) {
			after = append([]string{""}, after...)
		}
	}
	block := append(append([]string{beginMarker(c.name)}, body...), endMarker(c.name, facts))
	return append(append(before, block...), after...)
}

// blockOf gives the lines of a block. In one that nobody touched every line of the form is
// Kedge's, also where what it names is gone.
func blockOf(lines []string, begin, end int, ours func(string) bool) []string {
	block := lines[begin+1 : end]
	if untouched(lines[end], ourLines(block, anyForm)) {
		return slices.DeleteFunc(slices.Clone(block), func(l string) bool { return anyForm(l) && !ours(l) })
	}
	return block
}

// weave puts facts in the place of Kedge's lines of a block. Each line that you wrote stays
// behind the line that it stood behind, or behind the nearest one above that is still
// there.
func weave(block, facts []string, ours func(string) bool) []string {
	still := map[string]bool{}
	for _, f := range facts {
		still[lineID(f)] = true
	}
	behind, at := map[string][]string{}, ""
	for _, l := range block {
		switch {
		case !ours(l):
			behind[at] = append(behind[at], l)
		case still[lineID(l)]:
			at = lineID(l)
		}
	}
	out := slices.Clone(behind[""])
	for _, f := range facts {
		out = append(append(out, f), behind[lineID(f)]...)
		delete(behind, lineID(f))
	}
	return out
}

// dropStray drops a marker without its other half, with the lines of Kedge's next to it:
// they belonged to the block. It gives the index of the last line that is dealt with.
func dropStray(lines []string, i int, begin bool, people *[]string, ours func(string) bool) int {
	if !begin {
		for n := len(*people); n > 0 && ours((*people)[n-1]); n-- {
			*people = (*people)[:n-1]
		}
		return i
	}
	for i+1 < len(lines) && ours(lines[i+1]) {
		i++
	}
	return i
}

// withoutBlocks takes blocks out of a part of the file that has none: its heading was
// removed.
func withoutBlocks(lines []string, f Facts) []string {
	out := []string{}
	for i := 0; i < len(lines); i++ {
		_, begin, ok := marker(lines[i])
		if !ok {
			out = append(out, lines[i])
			continue
		}
		if end := blockEnd(lines, i); end >= 0 {
			out = append(out, peoplesLines(blockOf(lines, i, end, f.ours), f.ours)...)
			i = end
			continue
		}
		i = dropStray(lines, i, begin, &out, f.ours)
	}
	return out
}
