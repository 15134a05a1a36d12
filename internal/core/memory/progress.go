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
// made anew from facts; the log gets the entries it does not have, and those back
// that were changed. Every other line stays where you wrote it, byte for byte, also
// inside a block. Written twice with the same facts it gives the same bytes.
func WriteProgress(old []byte, facts Facts) []byte {
	chunks := completeChunks(mergeChunks(splitChunks(string(old))))
	for i, c := range chunks {
		switch c.name {
		case "":
			chunks[i].lines = withMark(withoutBlocks(c.lines, facts))
		case logSection:
			chunks[i].lines = writeLog(withoutBlocks(c.lines, facts), facts.Log)
		default:
			chunks[i].lines = replaceBlock(c, factLines(c.name, facts), facts.ours)
		}
	}
	return joinChunks(chunks)
}

// RestoreProgress gives now with the blocks that it had before; people's lines and
// the log stay as they are.
func RestoreProgress(now, before []byte) []byte {
	was := map[string][]string{}
	for _, c := range mergeChunks(splitChunks(string(before))) {
		was[c.name], _ = generatedLines(c.lines, anyForm)
	}
	chunks := completeChunks(mergeChunks(splitChunks(string(now))))
	for i, c := range chunks {
		if c.name != "" && c.name != logSection {
			chunks[i].lines = replaceBlock(c, was[c.name], anyForm)
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
	if slices.ContainsFunc(lines, func(l string) bool { return progressMark.MatchString(trimCR(l)) }) {
		return lines
	}
	return append([]string{mark}, lines...)
}

func sectionName(line string) (string, bool) {
	name, ok := strings.CutPrefix(strings.TrimRight(line, " \t\r"), "## ")
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
	if n := len(c.lines); n > 0 && !blank(c.lines[n-1]) {
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
	sum := sha256.Sum256([]byte(strings.ReplaceAll(strings.Join(lines, "\n"), "\r", "")))
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

// LogLine is an entry as the log has it.
func LogLine(e LogEntry) string { return "- " + formatTime(e.At) + " " + safe(e.Text) }
