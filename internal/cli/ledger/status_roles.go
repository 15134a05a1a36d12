package ledger

import (
	"fmt"
	"io"
	"strings"

	"kedge/internal/app/status"
	"kedge/internal/cli/frame"
	"kedge/internal/text/words"
)

// headText is the project in one line: where it is, what it follows, and whether anything
// changed outside Kedge.
func headText(w io.Writer, out status.Reply) {
	parts := []string{fmt.Sprintf(" (%s)", out.Dir)}
	if out.Plan != nil && out.Plan.ID != "" {
		parts = append(parts, "plan "+words.Spaced(out.Plan.Status))
	}
	switch {
	case out.DriftUnknown != "":
	case len(out.Drift) == 0:
		parts = append(parts, "no changes outside Kedge")
	default:
		parts = append(parts, words.Count(len(out.Drift), "change")+" outside Kedge")
	}
	frame.Put(w, frame.Name, out.Name)
	frame.Put(w, frame.Plain, strings.Join(parts, ", ")+"\n")
}

// rolesText counts by what it means to you: what waits for you, what works, what is done,
// and what that cost.
func rolesText(row func(name, format string, args ...any), out status.Reply) {
	n := out.Features
	if text := counted(count{n.NeedsReview, "for review"}, count{n.Blocked, "blocked"}, count{out.Sessions.Waiting, "in a session: kedge attach"}); text != "" {
		row("waits", "%s", text)
	}
	if n.Regressed > 0 {
		row("regressed", "%d: the checks of completed features are red now", n.Regressed)
	}
	if text := counted(count{n.InProgress, "in progress"}, count{out.Sessions.Live, "live " + plural("session", out.Sessions.Live)}); text != "" {
		row("working", "%s", text)
	}
	done := fmt.Sprintf("%d of %d", n.Completed, n.Total)
	if text := counted(count{n.Pending, "not begun"}, count{n.Skipped, "skipped"}); text != "" {
		done += "; " + text
	}
	row("verified", "%s", done)
	if out.Sessions.Total > 0 {
		row("spent", "%s", spentText(out))
	}
}

// count is how many there are of something.
type count struct {
	n    int
	what string
}

// counted names those of which there are some.
func counted(all ...count) string {
	var parts []string
	for _, c := range all {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	return strings.Join(parts, ", ")
}

func plural(noun string, n int) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}

// spentText is what the sessions cost; what they do not tell is unknown.
func spentText(out status.Reply) string {
	text := "cost unknown"
	if out.Usage.USD != nil {
		text = "$" + frame.USD(*out.Usage.USD)
	}
	if out.Usage.Tokens != nil {
		text += ", " + frame.ShortNumber(*out.Usage.Tokens) + " tokens"
	}
	text += ", " + words.Count(out.Sessions.Total, "session")
	if out.Sessions.Interrupted > 0 {
		text += fmt.Sprintf(", %d interrupted", out.Sessions.Interrupted)
	}
	return text
}
