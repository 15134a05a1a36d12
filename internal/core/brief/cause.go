package brief

import (
	"strings"

	"kedge/internal/text/words"
)

// maxCause bounds the cause that an agent states, in bytes.
const maxCause = 300

// StatedCause is the cause of a failure as an agent states it in its closing words: what
// stands behind the last "Cause:" or "Root cause:" that begins a line. Empty where it
// states none.
func StatedCause(closing string) string {
	found := ""
	for text := range strings.Lines(closing) {
		if c := causeIn(text); c != "" {
			found = c
		}
	}
	return words.ClipBytes(line(found), maxCause)
}

// causeIn reads one line. Marks of a list, a heading or of emphasis around the word are
// passed over: agents write Markdown.
func causeIn(text string) string {
	const marks = " \t#*_->`"
	rest := strings.TrimLeft(text, marks)
	for _, word := range []string{"root cause", "cause"} {
		if len(rest) < len(word) || !strings.EqualFold(rest[:len(word)], word) {
			continue
		}
		after, ok := strings.CutPrefix(strings.TrimLeft(rest[len(word):], marks), ":")
		if !ok {
			return ""
		}
		return strings.Trim(after, " \t\r\n*_`")
	}
	return ""
}

// causeTask asks for the cause before the change.
const causeTask = "Find the cause before you change anything: read the failure, then the code that it names. " +
	"State it in your closing words, in one line of its own that begins with \"Cause: \". " +
	"If you cannot find the cause, change nothing, and say so there.\n"
