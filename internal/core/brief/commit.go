package brief

import (
	"strings"

	"kedge"
	"kedge/internal/core/check"
	shown "kedge/internal/text/plain"
	"kedge/internal/text/redact"
	"kedge/internal/text/words"
)

// The most that the body of a work commit has of each part.
const (
	commitWidth  = 72
	maxWhat      = 700 // bytes
	maxWhy       = 4   // entries
	leastToldAll = 3   // words: less says nothing
)

// CommitBody says what a work commit does, in the words with which its session closed,
// and why: what the feature is accepted by or, where that is not said, described or
// checked by. Nil is a fix of the baseline.
func CommitBody(closing string, f *kedge.Feature) string {
	var parts []string
	if what := commitText(words.ClipBytes(closing, maxWhat)); len(strings.Fields(what)) >= leastToldAll {
		parts = append(parts, what)
	}
	if f == nil {
		parts = append(parts, words.Wrap("The project's own checks were red before any new work.", commitWidth))
	} else if why := commitWhy(*f); why != "" {
		parts = append(parts, why)
	}
	return strings.Join(parts, "\n\n")
}

func commitWhy(f kedge.Feature) string {
	if len(f.Acceptance) > 0 {
		return commitList("Accepted when:", f.Acceptance)
	}
	if len(strings.Fields(f.Description)) >= leastToldAll {
		return commitText(words.ClipBytes(f.Description, maxWhat))
	}
	var checks []string
	for _, c := range f.Checks {
		checks = append(checks, check.Text(c))
	}
	if len(checks) == 0 {
		return ""
	}
	return commitList("Checked by:", checks)
}

func commitList(title string, list []string) string {
	out := []string{title}
	for _, s := range list[:min(len(list), maxWhy)] {
		s = words.ClipBytes(commitLine(s), maxWhat/2)
		out = append(out, "- "+strings.ReplaceAll(words.Wrap(s, commitWidth-2), "\n", "\n  "))
	}
	return strings.Join(out, "\n")
}

// commitText wraps each line of a text by itself: lists stay lists. Of blank lines it
// keeps none, so that no part of it can be taken for trailers.
func commitText(text string) string {
	var out []string
	for l := range strings.Lines(redact.Text(text)) {
		if l = commitLine(l); l != "" {
			out = append(out, words.Wrap(l, commitWidth))
		}
	}
	return strings.Join(out, "\n")
}

func commitLine(s string) string { return strings.TrimSpace(shown.Line(redact.Text(s))) }
