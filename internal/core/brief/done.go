package brief

import (
	"strconv"
	"strings"

	"kedge/internal/text/words"
)

// closingText is what the session before said at its end. It is an agent's word: what is
// true of it the checks say.
func closingText(closing string) string {
	if clean(closing) == "" {
		return ""
	}
	return heading("Closing words of the previous session") + "What its agent said; it is not checked:\n" + quoted(closing)
}

// doneText says what was done and what remains.
func doneText(in RunInput) string {
	if in.Finished+in.Remaining == 0 && len(in.Recent) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(heading("What was done and what remains"))
	if n := in.Finished + in.Remaining; n > 0 {
		b.WriteString(strconv.Itoa(in.Finished) + " of " + words.Count(n, "feature") + " done, " + strconv.Itoa(in.Remaining) + " left. You work on one of them.\n")
	}
	if len(in.Recent) == 0 {
		return b.String()
	}
	list := make([]string, 0, len(in.Recent))
	for _, d := range in.Recent {
		s := words.Hash(d.Commit) + " " + d.Subject
		if d.New {
			s += " (since the last checkpoint of this work)"
		}
		list = append(list, s)
	}
	return b.String() + "The last commits, the newest first:\n" + entries(list, "git log")
}
