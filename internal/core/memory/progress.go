package memory

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"kedge"
	"kedge/internal/text/lazyre"
)

// Facts are what progress.md is generated from.
type Facts struct {
	Features  []kedge.Feature
	Risks     []kedge.Risk
	Decisions []kedge.Decision
	Log       []LogEntry
}

// LogEntry is one line of the log: a fact of the journal. Only progress is
// logged; decisions, notes and checkpoints have files of their own, and a change
// of one of them must leave progress as it is.
type LogEntry struct {
	At   time.Time
	Text string
}

// The sections of progress.md. All but the log hold a block between markers that
// is generated from facts; what stands outside the blocks belongs to people.
const (
	progressTitle = "# Progress"
	logSection    = "Log"
)

var progressSections = []string{"Completed", "In progress", "Known issues", "Decisions", logSection}

// chunk is a part of the file: the lines from one of our headings to the next.
// The first has no name: it is what stands before them all.
type chunk struct {
	name  string
	line  int      // of the heading
	lines []string // without the heading
}

// WriteProgress brings progress.md up to date. The blocks between markers are
// made anew from facts; the log gets the entries it does not have yet, at its
// end, and loses nothing; every other line stays as people wrote it, a line
// inside a block that Kedge cannot have written included: it moves below.
// Written twice with the same facts it gives the same bytes.
func WriteProgress(old []byte, facts Facts) []byte {
	chunks := completeChunks(mergeChunks(splitChunks(string(old))))
	for i, c := range chunks {
		switch c.name {
		case "":
			chunks[i].lines = withMark(c.lines)
		case logSection:
			chunks[i].lines = appendLog(c.lines, facts.Log)
		default:
			chunks[i].lines = replaceBlock(c, factLines(c.name, facts))
		}
	}
	return joinChunks(chunks)
}

// RestoreProgress gives now with the blocks that it had before; people's lines and
// the log stay as they are.
func RestoreProgress(now, before []byte) []byte {
	was := map[string][]string{}
	for _, c := range mergeChunks(splitChunks(string(before))) {
		was[c.name], _ = generatedLines(c.lines)
	}
	chunks := completeChunks(mergeChunks(splitChunks(string(now))))
	for i, c := range chunks {
		if c.name != "" && c.name != logSection {
			chunks[i].lines = replaceBlock(c, was[c.name])
		}
	}
	return joinChunks(chunks)
}

// splitChunks cuts the file at our headings.
func splitChunks(text string) []chunk {
	chunks := []chunk{{}}
	text = strings.TrimSuffix(text, "\n")
	if text == "" {
		return []chunk{{lines: []string{mark, progressTitle, ""}}}
	}
	n := 0
	for line := range strings.SplitSeq(text, "\n") {
		n++
		line = strings.TrimRight(line, "\r")
		if name, ok := sectionName(line); ok {
			chunks = append(chunks, chunk{name: name, line: n})
			continue
		}
		last := &chunks[len(chunks)-1]
		last.lines = append(last.lines, line)
	}
	return chunks
}

// mark is the line that says which version a progress.md has.
const mark = "<!-- kedge:progress v" + version + " -->"

var progressMark = lazyre.New(`^<!-- kedge:progress v\d+ -->$`)

// withMark puts the version at the top of a file that has none.
func withMark(lines []string) []string {
	if slices.ContainsFunc(lines, progressMark.MatchString) {
		return lines
	}
	return append([]string{mark}, lines...)
}

func sectionName(line string) (string, bool) {
	name, ok := strings.CutPrefix(strings.TrimRight(line, " \t"), "## ")
	return name, ok && slices.Contains(progressSections, name)
}

// mergeChunks makes one of chunks with the same heading, as a merge of branches
// may leave them.
func mergeChunks(chunks []chunk) []chunk {
	var out []chunk
	for _, c := range chunks {
		i := slices.IndexFunc(out, func(o chunk) bool { return o.name == c.name })
		if i < 0 {
			out = append(out, c)
			continue
		}
		out[i].lines = append(out[i].lines, c.lines...)
	}
	return out
}

// completeChunks adds missing sections, each after the one before it.
func completeChunks(chunks []chunk) []chunk {
	at := 1
	for _, name := range progressSections {
		i := slices.IndexFunc(chunks, func(c chunk) bool { return c.name == name })
		if i < 0 {
			i = at
			chunks = slices.Insert(chunks, at, chunk{name: name, lines: []string{""}})
			endBlank(&chunks[at-1])
		}
		at = i + 1
	}
	return chunks
}

// endBlank separates what follows by a blank line.
func endBlank(c *chunk) {
	if n := len(c.lines); n > 0 && c.lines[n-1] != "" {
		c.lines = append(c.lines, "")
	}
}

func joinChunks(chunks []chunk) []byte {
	var b strings.Builder
	for _, c := range chunks {
		if c.name != "" {
			b.WriteString("## " + c.name + "\n")
		}
		for _, l := range c.lines {
			b.WriteString(l + "\n")
		}
	}
	return []byte(strings.TrimRight(b.String(), "\n") + "\n")
}

func beginMarker(name string) string { return "<!-- kedge:begin " + markerName(name) + " -->" }

// endMarker carries a checksum of the lines above it, so that a block which
// people changed can be told from one that is only out of date, as after a
// change of branch.
func endMarker(name string, block []string) string {
	return "<!-- kedge:end " + markerName(name) + " sha256=" + checksum(block) + " -->"
}

func checksum(lines []string) string {
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return hex.EncodeToString(sum[:4])
}

func markerName(name string) string {
	return strings.ReplaceAll(strings.ToLower(name), " ", "-")
}

// marker tells whether a line is one of our markers, and of which block.
func marker(line string) (name string, begin, ok bool) {
	m := markerLine.FindStringSubmatch(strings.TrimSpace(line))
	if m == nil {
		return "", false, false
	}
	for _, name := range progressSections[:len(progressSections)-1] {
		if markerName(name) == m[2] {
			return name, m[1] == "begin", true
		}
	}
	return "", false, false
}

var markerLine = lazyre.New(`^<!-- kedge:(begin|end) ([a-z-]+)( sha256=[0-9a-f]*)? -->$`)

// blockEnd gives the index of the end marker of the block that begins at line i;
// -1 when there is none before another marker.
func blockEnd(lines []string, i int) int {
	name, begin, _ := marker(lines[i])
	if !begin {
		return -1
	}
	for j := i + 1; j < len(lines); j++ {
		if other, begins, ok := marker(lines[j]); ok {
			if other == name && !begins {
				return j
			}
			return -1
		}
	}
	return -1
}

// replaceBlock puts the generated lines where the first block of the chunk was,
// or at its top, and takes every other block and stray marker out.
func replaceBlock(c chunk, facts []string) []string {
	before, after, found := []string{}, []string{}, false
	people := &before
	for i := 0; i < len(c.lines); i++ {
		if _, _, ok := marker(c.lines[i]); !ok {
			*people = append(*people, c.lines[i])
			continue
		}
		end := blockEnd(c.lines, i)
		if end < 0 {
			continue // a stray marker is ours; what stands around it may not be
		}
		if !found {
			found, people = true, &after
		}
		after = append(after, peoplesLines(c.lines[i+1:end])...)
		i = end
	}
	block := append(append([]string{beginMarker(c.name)}, facts...), endMarker(c.name, facts))
	if !found {
		before, after = []string{""}, before
		if len(after) == 0 || after[0] != "" {
			after = append([]string{""}, after...)
		}
	}
	return append(append(before, block...), after...)
}

// generated is the form of every line that Kedge writes into a block: an item
// that starts with the id of a feature, a risk or a decision.
var generated = lazyre.New(`^- [a-z0-9_][a-z0-9._-]*: `)

// peoplesLines are the lines of a block that Kedge cannot have written.
func peoplesLines(block []string) []string {
	return slices.DeleteFunc(slices.Clone(block), func(l string) bool { return blank(l) || generated.MatchString(l) })
}

// LogLine is an entry as the log has it.
func LogLine(e LogEntry) string { return "- " + formatTime(e.At) + " " + safe(e.Text) }

// appendLog adds the entries that are not there yet below the last line.
func appendLog(lines []string, entries []LogEntry) []string {
	there := map[string]bool{}
	end := 0
	for i, l := range lines {
		there[l] = true
		if l != "" {
			end = i + 1
		}
	}
	var add []string
	if end == 0 {
		lines = append([]string{""}, lines...)
		end = 1
	}
	for _, e := range entries {
		if l := LogLine(e); !there[l] {
			there[l] = true
			add = append(add, l)
		}
	}
	return slices.Insert(slices.Clone(lines), end, add...)
}
