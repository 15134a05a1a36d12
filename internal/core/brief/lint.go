package brief

import (
	"fmt"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/text/words"
)

// linter collects findings about one file. Unlike the parsers it goes on after
// the first.
type linter struct {
	file  string
	found []kedge.Finding
}

func (l *linter) add(n int, fix, format string, args ...any) {
	l.found = append(l.found, kedge.Finding{
		Level: kedge.LevelError, What: fmt.Sprintf(format, args...), Where: at(l.file, n), Fix: fix,
	})
}

// LintCheckpoint says what is wrong with a checkpoint.md: size, headings, fenced
// logs, paths that are gone, a resume instruction that names no item, changed
// text. exists tells whether a path exists at the checkpoint's commit. Without a
// finding ParseCheckpoint takes the file.
func LintCheckpoint(file string, b []byte, exists func(path string) bool) []kedge.Finding {
	l := &linter{file: file}
	if len(b) > MaxCheckpoint {
		l.add(lineOf(b, MaxCheckpoint), "keep only what is expensive to find again; the rest belongs in a note: kedge remember TEXT",
			"the checkpoint has %d bytes, more than %d", len(b), MaxCheckpoint)
	}
	p := split(b)
	l.fences(string(b))
	l.headings(p, CheckpointSections)
	l.marker(p.body, "checkpoint", checkpointKeys)
	l.paths(p.body, exists)
	l.resume(p.body)
	l.end(p, "kedge checkpoint save")
	if len(l.found) == 0 {
		if _, err := ParseCheckpoint(file, b); err != nil {
			l.parsed(err)
		}
	}
	return sorted(l.found)
}

// LintHandoff says what is wrong with a handoff: size, fields, changed text.
// Without a finding ParseHandoff takes the file.
func LintHandoff(file string, b []byte) []kedge.Finding {
	l := &linter{file: file}
	p := split(b)
	if n := words.Tokens(p.body); n >= MaxHandoff {
		l.add(1, "shorten it; lessons belong in a note: kedge remember TEXT", "the handoff has about %d tokens; it must have fewer than %d", n, MaxHandoff)
	}
	l.fences(string(b))
	l.headings(p, HandoffSections)
	l.marker(p.body, "handoff", handoffKeys)
	l.end(p, SaveCommand("handoff"))
	if len(l.found) == 0 {
		if _, err := ParseHandoff(file, b); err != nil {
			l.parsed(err)
		}
	}
	return sorted(l.found)
}

// parsed turns a parser's error, which starts with its place, into a finding.
func (l *linter) parsed(err error) {
	where, what := at(l.file, 1), err.Error()
	if rest, ok := strings.CutPrefix(what, l.file+":"); ok {
		if n, msg, ok := strings.Cut(rest, ": "); ok && digits(n) {
			where, what = l.file+":"+n, msg
		}
	}
	l.found = append(l.found, kedge.Finding{Level: kedge.LevelError, What: what, Where: where, Fix: kedge.HintOf(err)})
}

// sorted orders findings by line, as they stand in the file.
func sorted(found []kedge.Finding) []kedge.Finding {
	slices.SortStableFunc(found, func(a, b kedge.Finding) int { return whereLine(a) - whereLine(b) })
	return found
}

func whereLine(f kedge.Finding) int {
	n := 0
	for _, c := range f.Where[strings.LastIndexByte(f.Where, ':')+1:] {
		n = n*10 + int(c-'0')
	}
	return n
}

// lineOf is the number of the line that holds byte i.
func lineOf(b []byte, i int) int { return 1 + strings.Count(string(b[:min(i, len(b))]), "\n") }

func (l *linter) marker(body, kind string, keys []string) {
	first, _, _ := strings.Cut(body, "\n")
	if _, err := parseMarker(first, kind, keys); err != nil {
		l.add(1, SaveCommand(kind), "%v", err)
	}
}

// headings wants exactly names: each missing, renamed, added or displaced one is
// a finding.
func (l *linter) headings(p parts, names []string) {
	fix := "the headings are, in this order: " + strings.Join(names, ", ")
	next := 0
	for i, text := range strings.Split(p.body, "\n") {
		if !strings.HasPrefix(text, "#") {
			continue
		}
		name := strings.TrimPrefix(text, "## ")
		k := slices.Index(names, name)
		switch {
		case k >= next:
			l.missing(i+1, fix, names[next:k])
			next = k + 1
		case k >= 0:
			l.add(i+1, fix, "heading %q is in the wrong place", name)
		default:
			l.add(i+1, fix, "heading %q does not belong here", words.ClipBytes(name, 60))
		}
	}
	l.missing(p.endLine, fix, names[next:])
}

func (l *linter) missing(n int, fix string, names []string) {
	for _, name := range names {
		l.add(n, fix, "heading %q is missing", name)
	}
}

// fences refuses long fenced blocks: a log is not what a checkpoint is for. A
// fence that is never closed goes on to the end.
func (l *linter) fences(text string) {
	open, start := "", 0
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	report := func(end int) {
		if n := end - start - 1; n > MaxFence {
			l.add(start, "keep the one line that matters; the log is in: kedge logs NAME", "fenced block of %d lines, more than %d", n, MaxFence)
		}
	}
	for i, raw := range lines {
		mark := fence(raw)
		switch {
		case open == "" && mark != "":
			open, start = mark, i+1
		case open != "" && strings.HasPrefix(mark, open) && strings.TrimSpace(strings.TrimLeft(raw, " \t>-"))[len(mark):] == "":
			report(i + 1)
			open = ""
		}
	}
	if open != "" {
		report(len(lines) + 1)
	}
}

// fence gives the run of backticks or tildes with which a line opens or closes a
// fenced block, also inside a list item or a quote.
func fence(s string) string {
	s = strings.TrimLeft(s, " \t>-")
	for _, c := range []string{"`", "~"} {
		n := len(s) - len(strings.TrimLeft(s, c))
		if n >= 3 && !(c == "`" && strings.Contains(s[n:], "`")) {
			return s[:n]
		}
	}
	return ""
}

// section gives the lines under a heading, wherever it stands.
func section(body, name string) []row {
	var out []row
	in := false
	for i, text := range strings.Split(body, "\n") {
		switch {
		case strings.HasPrefix(text, "#"):
			in = text == "## "+name
		case in && strings.TrimSpace(text) != "":
			out = append(out, row{i + 1, text})
		}
	}
	return out
}

func (l *linter) paths(body string, exists func(string) bool) {
	for _, r := range section(body, CheckpointSections[4]) {
		f, err := readFile(l.file, r)
		if err != nil {
			l.parsed(err)
			continue
		}
		if !exists(f.Path) {
			l.add(r.n, "kedge checkpoint save", "%q does not exist at the checkpoint's commit", f.Path)
		}
	}
}

func (l *linter) resume(body string) {
	name := CheckpointSections[5]
	rows := section(body, name)
	if !strings.Contains(body, "\n## "+name+"\n") {
		return // its heading is missing, which is said already
	}
	fix := "kedge checkpoint save --resume 'Start at item p1.1.'"
	switch {
	case len(rows) == 0:
		l.add(strings.Count(body, "\n")+1, fix, "the text that tells the next session where to continue is empty")
	case len(rows) > 1:
		l.add(rows[1].n, fix, "the text that tells the next session where to continue has %d lines, not one", len(rows))
	case !NamesItem(rows[0].text):
		l.add(rows[0].n, fix, "the text that tells the next session where to continue names no item of the plan, such as p1.1")
	}
}

func (l *linter) end(p parts, fix string) {
	if err := p.checkEnd(); err != nil {
		l.add(p.endLine, "write below the end marker; to rebuild it: "+fix, "%v", err)
	}
}
