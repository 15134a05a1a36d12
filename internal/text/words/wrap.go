package words

import (
	"strings"
	"unicode/utf8"
)

// Wrap breaks a text into lines of at most width characters, between words. A longer
// word has a line of its own.
func Wrap(text string, width int) string {
	var out strings.Builder
	at := 0
	for _, w := range strings.Fields(text) {
		n := utf8.RuneCountInString(w)
		switch {
		case at == 0:
		case at+1+n > width:
			out.WriteByte('\n')
			at = 0
		default:
			out.WriteByte(' ')
			at++
		}
		out.WriteString(w)
		at += n
	}
	return out.String()
}
