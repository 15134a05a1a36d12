package memory

import (
	"slices"
	"strings"
)

// writeLog brings the log up to date. New entries come below its last line. An entry that
// was removed from the middle comes back where it was, and so does one that was changed.
func writeLog(lines []string, entries []LogEntry) []string {
	lines = slices.DeleteFunc(slices.Clone(lines), changedEntry(lines, entries))
	there := logLines(lines)
	if len(there) == 0 || !slices.ContainsFunc(lines, func(l string) bool { return !blank(l) }) {
		lines = append([]string{""}, lines...)
	}
	behind, ahead, end := missingEntries(there, entries)
	var out []string
	for _, l := range lines {
		key := trimCR(l)
		out = append(out, ahead[key]...)
		out = append(append(out, l), behind[key]...)
		delete(ahead, key)
		delete(behind, key)
	}
	at := len(out)
	for at > 1 && blank(out[at-1]) {
		at--
	}
	return slices.Insert(out, at, end...)
}

func logLines(lines []string) map[string]bool {
	there := map[string]bool{}
	for _, l := range lines {
		if !blank(l) {
			there[trimCR(l)] = true
		}
	}
	return there
}

// missingEntries gives the entries that the log lacks: those behind and ahead of a line
// that it has, and those that are newer than all it has.
func missingEntries(there map[string]bool, entries []LogEntry) (behind, ahead map[string][]string, end []string) {
	behind, ahead = map[string][]string{}, map[string][]string{}
	last, open, seen := "", []string{}, map[string]bool{}
	for _, e := range entries {
		l := LogLine(e)
		switch {
		case seen[l]:
		case !there[l]:
			open = append(open, l)
		case last == "":
			ahead[l], open, last = open, nil, l
		default:
			behind[last], open, last = append(behind[last], open...), nil, l
		}
		seen[l] = true
	}
	return behind, ahead, open
}

// changedEntry tells of a line of the log whether it is an entry with other words: the
// time is that of an entry which the log lacks.
func changedEntry(lines []string, entries []LogEntry) func(string) bool {
	there := logLines(lines)
	want := map[string]bool{}
	for _, e := range entries {
		want[LogLine(e)] = true
	}
	lacks := map[string]bool{}
	for _, e := range entries {
		if !there[LogLine(e)] {
			lacks["- "+formatTime(e.At)] = true
		}
	}
	return func(l string) bool {
		l = trimCR(l)
		at := strings.IndexByte(strings.TrimPrefix(l, "- "), ' ')
		return at > 0 && !want[l] && strings.HasPrefix(l, "- ") && lacks[l[:at+2]]
	}
}

// logEdits gives the lines of the log that were changed, and those that were removed from
// between others.
func logEdits(old []byte, entries []LogEntry) []string {
	var out []string
	for _, c := range mergeChunks(splitChunks(string(old))) {
		if c.name != logSection {
			continue
		}
		changed := changedEntry(c.lines, entries)
		for _, l := range c.lines {
			if changed(l) {
				out = append(out, "+"+trimCR(l))
			}
		}
		behind, _, _ := missingEntries(logLines(c.lines), entries)
		for _, e := range entries {
			out = append(out, prefixed("-", behind[LogLine(e)])...)
			delete(behind, LogLine(e))
		}
	}
	return out
}
