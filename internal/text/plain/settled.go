package plain

import "strings"

// Settled gives a text without carriage returns. Of an output it is what a terminal
// shows in the end: what was written over is not there, nor is colour.
func Settled(s string, output bool) string {
	if output && strings.Contains(s, "\x1b") {
		s = string(Stripped([]byte(s)))
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
