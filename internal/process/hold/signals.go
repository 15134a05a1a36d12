package hold

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Said is what an agent says of itself in its own output, by the escape codes
// made for it. What stands on the screen is never read for this.
type Said string

// What agents say.
const (
	SaidNothing Said = ""
	SaidWorking Said = "working"
	SaidWaiting Said = "waiting" // for a person: a permission, an answer, the next task
)

// LastSaid is the last thing an agent said in b: by OSC 7501, or by a title that
// begins with the mark of an agent that works or waits. A code that is cut off at
// the end of b counts as not said yet.
func LastSaid(b []byte) Said {
	for end := len(b); ; {
		i := bytes.LastIndex(b[:end], []byte("\x1b]"))
		if i < 0 {
			return SaidNothing
		}
		if said, ok := meaning(oscBody(b[i+2:])); ok {
			return said
		}
		end = i
	}
}

// maxOSC bounds a code: a longer one is no title and no state.
const maxOSC = 4 << 10

// oscBody is the text of a code up to its end; empty when it has none.
func oscBody(b []byte) string {
	b = b[:min(len(b), maxOSC)]
	i := bytes.IndexAny(b, "\x07\x1b")
	if i < 0 || b[i] == 0x1b && !bytes.HasPrefix(b[i:], []byte("\x1b\\")) {
		return ""
	}
	return string(b[:i])
}

// meaning reads one code; ok is false for those that say nothing of the kind.
func meaning(body string) (said Said, ok bool) {
	number, text, found := strings.Cut(body, ";")
	switch {
	case !found:
		return SaidNothing, false
	case number == "7501":
		return ofState(text)
	case number == "0" || number == "2":
		return ofTitle(text)
	}
	return SaidNothing, false
}

func ofState(text string) (Said, bool) {
	for field := range strings.SplitSeq(text, ":") {
		state, ok := strings.CutPrefix(field, "state=")
		if !ok {
			continue
		}
		switch state {
		case "working":
			return SaidWorking, true
		case "blocked", "done", "idle":
			return SaidWaiting, true
		case "clear":
			return SaidNothing, true
		}
	}
	return SaidNothing, false
}

func ofTitle(text string) (Said, bool) {
	switch r, _ := utf8.DecodeRuneInString(text); {
	case r == '✳':
		return SaidWaiting, true
	case r >= '\u2801' && r <= '\u28ff': // the dots of a spinner
		return SaidWorking, true
	}
	return SaidNothing, false
}
