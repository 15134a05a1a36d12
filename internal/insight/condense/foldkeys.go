package condense

import (
	"strings"

	"kedge/internal/text/plain"
)

// The patterns that every line of a report is held against are looked at only where a
// line can match: most cannot, by a byte or two. TestKeysLoseNothing holds that none is
// lost by it.

// fails tells whether a line has the mark of a failure.
func fails(text string) bool {
	c := firstByte(text)
	may := c >= 0x80 || strings.IndexByte("nE>-_=FgpTt[", c) >= 0 || c >= '0' && c <= '9' && strings.Contains(text, ") ") || strings.Contains(text, ".py ")
	return may && failing.MatchString(text)
}

// compares tells whether a line is one by which an assertion shows a side.
func compares(text string) bool {
	return strings.IndexByte("eragwlchnERAGWLCHN-+^~", firstByte(text)) >= 0 && compared.MatchString(text)
}

// isStuck tells whether a line says that something is in a bad state.
func isStuck(text string) bool {
	may := len(text) > 3 && text[2] == ' ' || hasAny(text, []string{"both ", " by ", "Exited (", "(unhealthy)"})
	return may && stuck.MatchString(text)
}

// redrawn tells whether a line is what is redrawn while something goes on.
func redrawn(text string) bool {
	may := !plain.ASCII(text) || hasAny(text, []string{"%", "[", "##", "==", "#=", "=#", "objects", "deltas", "files"})
	return may && moves.MatchString(text)
}

// firstByte is the first of a line that is no blank; 0 where there is none.
func firstByte(text string) byte {
	for i := range len(text) {
		switch c := text[i]; c {
		case ' ', '\t', '\v', '\f', '\r', '\n':
		default:
			return c
		}
	}
	return 0
}

// indent counts the blanks that a line begins with.
func indent(s string) int { return len(s) - len(strings.TrimLeft(s, " \t")) }

func blank(s string) bool { return strings.TrimSpace(s) == "" }
