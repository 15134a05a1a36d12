package pickup

import (
	"strings"

	"kedge/internal/ansi"
	"kedge/internal/lazyre"
)

// printers are the commands that print the files that they are given, between spaces.
const printers = " cat head tail nl less more bat sed awk "

// shellStart is how a command begins that is handed to a shell of its own.
var shellStart = lazyre.New(`^(?:\S*/)?(?:ba|z|da)?sh -l?c `)

// printedBy gives the files that a command prints.
func printedBy(command string) []string {
	var list []string
	for _, words := range statements(command) {
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

// statements cuts a command, as far as it is looked at, into the words of each of its
// parts, without quotes.
func statements(command string) (list [][]string) {
	command = command[:min(len(command), maxScan)]
	if at := shellStart.FindStringIndex(command); at != nil {
		command = strings.Trim(command[at[1]:], `"`)
	}
	var words []string
	var word strings.Builder
	var quote rune
	begun, escaped := false, false
	end := func() {
		if begun {
			words = append(words, word.String())
		}
		word.Reset()
		begun = false
	}
	for _, r := range command {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			escaped, begun = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, begun = r, true
		case r == ' ' || r == '\t':
			end()
		case strings.ContainsRune(";|&\n()", r):
			end()
			list, words = append(list, words), nil
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	end()
	return append(list, words)
}

// uncarried gives a text without carriage returns. Of an output it is what a terminal
// shows in the end: what was written over is not there, nor is colour.
func uncarried(s string, output bool) string {
	if output && strings.Contains(s, "\x1b") {
		s = string(ansi.Text([]byte(s)))
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
