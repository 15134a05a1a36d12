package resume

import (
	"strings"

	"kedge/internal/insight/audit"
	"kedge/internal/text/plain"
)

// goalSize bounds the text of a goal, in bytes.
const goalSize = 400

// Goal gives what a session was begun for in one line, also where the user gave that up
// later. It takes the entries of a transcript, whose user texts carry their text.
type Goal struct{ asks asks }

// Take takes one entry.
func (g *Goal) Take(e *audit.Entry) {
	if e.Kind == audit.UserText {
		g.asks.take(sorted(e))
	}
}

// Text is the goal in one line; empty is unknown.
func (g *Goal) Text() string {
	text := g.asks.goal.said.text
	if left := g.asks.goal.left; len(left) > 0 {
		text = left[0].text
	}
	if first, rest, _ := strings.Cut(text, "\n"); strings.HasSuffix(strings.TrimSpace(first), ":") && strings.HasPrefix(strings.TrimSpace(rest), "# ") {
		text = rest // the plan that the request hands over
	}
	first, rest, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if heading, ok := strings.CutPrefix(first, "# "); ok {
		text, rest = strings.TrimPrefix(heading, "Plan: "), ""
	}
	if rest != "" {
		text = title(text, goalSize)
	}
	return shortened(plain.Text(text), goalSize)
}
