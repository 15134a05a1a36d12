package words

import "strings"

// FirstLine is the first line of a text, without the space around it.
func FirstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}
