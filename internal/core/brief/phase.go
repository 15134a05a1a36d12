package brief

import (
	"strconv"
	"strings"

	"kedge"
	"kedge/internal/text/words"
)

// PhaseFacts are what one phase of a plan came to. Lists come in the order in which they
// were made.
type PhaseFacts struct {
	Built   []BuiltFeature
	Decided []kedge.Decision // locked while the phase was worked on
	Risks   []kedge.Risk     // open, and of this phase
}

// BuiltFeature is a feature of a phase, with the closing words of the last session that
// worked on it.
type BuiltFeature struct {
	Name  string
	Left  string // why it is not done; empty: it is
	Words string
}

// minWords is how many bytes of the closing words of a session a summary has at least.
const minWords = 80

// Summary says in one line what was built, decided and left open.
func (f PhaseFacts) Summary() string {
	room := max(minWords, (maxSummary-300)/max(1, len(f.Built)))
	var built, open []string
	for _, b := range f.Built {
		text := line(b.Name)
		if said := line(b.Words); said != "" {
			text += " (its session ended with: " + words.ClipBytes(said, room) + ")"
		}
		if b.Left != "" {
			open = append(open, text+": "+b.Left)
		} else {
			built = append(built, text)
		}
	}
	parts := []string{strconv.Itoa(len(built)) + " of " + strconv.Itoa(len(f.Built)) + " done: " + strings.Join(built, "; ")}
	if len(built) == 0 {
		parts[0] = "0 of " + strconv.Itoa(len(f.Built)) + " done"
	}
	if len(f.Decided) > 0 {
		var titles []string
		for _, d := range f.Decided {
			titles = append(titles, line(d.Title))
		}
		parts = append(parts, "Decided: "+strings.Join(titles, "; "))
	}
	for _, r := range f.Risks {
		open = append(open, "risk "+line(r.Text))
	}
	if len(open) > 0 {
		parts = append(parts, "Left open: "+strings.Join(open, "; "))
	}
	return words.ClipBytes(strings.Join(parts, ". "), maxSummary)
}
