package words

import "strings"

// FirstLine is the first line of a text, without the space around it.
func FirstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

// ShortCommit is the name of a commit as messages show it.
func ShortCommit(sha string) string { return sha[:min(len(sha), 10)] }
