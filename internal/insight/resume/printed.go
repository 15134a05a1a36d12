package resume

import (
	"path"
	"strings"

	"kedge/internal/core/check"
	"kedge/internal/text/plain"
)

// printers are the commands that print the files that they are given, between spaces.
const printers = " cat head tail nl less more bat sed awk "

// printedBy gives the files that a command prints.
func printedBy(command string) []string {
	var list []string
	for _, words := range check.Statements(command) {
		_, words = taken(words)
		if len(words) < 2 || !strings.Contains(printers, " "+words[0]+" ") || words[0] == "sed" && strings.HasPrefix(words[1], "-i") {
			continue
		}
		for _, w := range words[1:] {
			if namesFile(w) && !strings.HasPrefix(w, "-") && !strings.ContainsAny(w, "$*?{<>|") {
				list = append(list, strings.TrimPrefix(w, "./"))
			}
		}
	}
	return list
}

// taken takes what a statement's output is written to out of its words.
func taken(words []string) (files, rest []string) {
	for i := 0; i < len(words); i++ {
		switch {
		case words[i] == check.Aside:
			i++
		case words[i] == check.Into && i+1 < len(words):
			i++
			files = append(files, words[i])
		case words[i] != check.Into:
			rest = append(rest, words[i])
		}
	}
	return files, rest
}

// writtenBy gives the files that a command of a session that works in base writes: what
// stands behind ">", ">>" or tee. They are named from where the session works, as far as
// the command says.
func writtenBy(command, base string) []string {
	var list []string
	check.EachStatement(command, base, func(at check.Place, words []string) {
		files, rest := taken(words)
		if len(rest) > 1 && rest[0] == "tee" {
			files = append(files, rest[1:]...)
		}
		for _, w := range files {
			if !namesFile(w) || strings.HasPrefix(w, "-") || strings.ContainsAny(w, "$*?{<>|&") || strings.HasPrefix(w, "/dev/") {
				continue
			}
			if w = strings.TrimPrefix(w, "./"); !check.Rooted(w) && !strings.HasPrefix(w, "~") {
				w = path.Join(at.Repo, at.Sub, w)
			}
			list = append(list, w)
		}
	})
	return list
}

// uncarried gives a text without carriage returns. Of an output it is what a terminal
// shows in the end: what was written over is not there, nor is colour.
func uncarried(s string, output bool) string {
	if output && strings.Contains(s, "\x1b") {
		s = string(plain.Stripped([]byte(s)))
	}
	if !strings.Contains(s, "\r") {
		return s
	}
	s = strings.ReplaceAll(s, "\r\n", "\n")
	if !output {
		return strings.ReplaceAll(s, "\r", "\n")
	}
	var b strings.Builder
	for l := range strings.Lines(s) {
		end := l[len(strings.TrimRight(l, "\r\n")):]
		l = strings.TrimRight(l, "\r\n")
		b.WriteString(l[strings.LastIndexByte(l, '\r')+1:])
		if strings.HasSuffix(end, "\n") {
			b.WriteByte('\n')
		}
	}
	return b.String()
}
