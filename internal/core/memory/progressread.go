package memory

import (
	"slices"
	"strings"
)

// Progress is progress.md as it was read.
type Progress struct {
	Sections []ProgressSection // the generated ones, in the order of the file
	Log      []string          // its lines
}

// ProgressSection is what Kedge and what people say in one section.
type ProgressSection struct {
	Name   string
	Facts  []string // generated lines
	People string
}

// ParseProgress reads progress.md strictly: every section once, each but the log
// with its one block.
func ParseProgress(file string, b []byte) (Progress, error) {
	var p Progress
	chunks := splitChunks(string(b))
	if err := checkMark(file, chunks[0].lines); err != nil {
		return Progress{}, err
	}
	lines := map[string]int{}
	for _, c := range chunks[1:] {
		if first := lines[c.name]; first > 0 {
			return Progress{}, invalid(file, c.line, "section %q is already on line %d", c.name, first)
		}
		lines[c.name] = c.line
		if c.name == logSection {
			p.Log = slices.DeleteFunc(slices.Clone(c.lines), blank)
			continue
		}
		s, err := parseProgressSection(file, c)
		if err != nil {
			return Progress{}, err
		}
		p.Sections = append(p.Sections, s)
	}
	for _, name := range progressSections {
		if lines[name] == 0 {
			return Progress{}, invalid(file, strings.Count(string(b), "\n")+1, "section %q is missing", name)
		}
	}
	return p, nil
}

func checkMark(file string, lines []string) error {
	for i, l := range lines {
		if l = trimCR(l); progressMark.MatchString(l) {
			if l != mark {
				return invalid(file, i+1, "Kedge does not know version %q; it reads version %q", l, mark)
			}
			return nil
		}
	}
	return invalid(file, 1, "the version is missing: there must be a line %q", mark)
}

func blank(line string) bool { return strings.TrimSpace(line) == "" }

func parseProgressSection(file string, c chunk) (ProgressSection, error) {
	s := ProgressSection{Name: c.name}
	var people []string
	found := false
	for i := 0; i < len(c.lines); i++ {
		name, _, ok := marker(c.lines[i])
		if !ok {
			people = append(people, c.lines[i])
			continue
		}
		end := blockEnd(c.lines, i)
		if name != c.name || end < 0 || found {
			return s, invalid(file, c.line+1+i, "marker %q is in the wrong place", strings.TrimSpace(c.lines[i]))
		}
		s.Facts = factItems(c.lines[i+1 : end])
		people = append(people, peoplesLines(c.lines[i+1:end], anyForm)...)
		found, i = true, end
	}
	if !found {
		return s, invalid(file, c.line, "section %q lacks the block between %q and %q", c.name, beginMarker(c.name), "<!-- kedge:end "+markerName(c.name)+" … -->")
	}
	s.People = strings.Trim(strings.Join(people, "\n"), "\n")
	return s, nil
}

func factItems(block []string) []string {
	return ourLines(block, anyForm)
}

// ProgressEdits looks for blocks that are not as Kedge wrote them, by their
// checksum, and gives their generated lines that differ from the facts: "+" for
// one that somebody wrote, "-" for one that is gone. WriteProgress will undo
// these; empty means that it undoes nothing that people did.
func ProgressEdits(old []byte, facts Facts) []string {
	var out []string
	for _, c := range mergeChunks(splitChunks(string(old))) {
		if c.name == "" || c.name == logSection {
			continue
		}
		have, touched := generatedLines(c.lines, facts.ours)
		if !touched {
			continue
		}
		want := factLines(c.name, facts)
		out = append(out, prefixed("+", without(have, want))...)
		out = append(out, prefixed("-", without(want, have))...)
	}
	return append(out, logEdits(old, facts.Log)...)
}

// generatedLines gives the lines of all blocks that are Kedge's, and whether any of the
// blocks differs from its checksum.
func generatedLines(lines []string, ours func(string) bool) (have []string, touched bool) {
	for i := range lines {
		if end := blockEnd(lines, i); end > 0 {
			block := lines[i+1 : end]
			have = append(have, ourLines(block, ours)...)
			touched = touched || !untouched(lines[end], ourLines(block, anyForm)) && !untouched(lines[end], ourLines(block, ours))
		}
	}
	return have, touched
}

// untouched tells whether an end marker has the checksum of these lines.
func untouched(marker string, block []string) bool {
	return strings.Contains(marker, "sha256="+checksum(block)+" ")
}

func without(lines, others []string) []string {
	known := map[string]bool{}
	for _, l := range others {
		known[l] = true
	}
	var out []string
	for _, l := range lines {
		if !known[l] {
			out = append(out, l)
		}
	}
	return out
}

func prefixed(mark string, lines []string) []string {
	for i, l := range lines {
		lines[i] = mark + l
	}
	return lines
}
