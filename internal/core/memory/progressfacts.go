package memory

import (
	"slices"
	"strings"

	"kedge"
	"kedge/internal/text/words"
)

// safe makes text fit for a generated line: one line that can neither end a
// block nor hide what follows in a comment.
func safe(s string) string { return strings.ReplaceAll(OneLine(s), "<!--", "&lt;!--") }

// factLines are the generated lines of a section.
func factLines(name string, f Facts) []string {
	switch name {
	case "Completed":
		return featureLines(f.Features, completedLine, kedge.Completed)
	case "In progress":
		return featureLines(f.Features, progressLine, kedge.InProgress)
	case "Known issues":
		return append(featureLines(f.Features, issueLine, kedge.BlockedWork, kedge.NeedsReview, kedge.Regressed), riskLines(f.Risks)...)
	case "Decisions":
		return decisionLines(f.Decisions)
	}
	return nil
}

func featureLines(fs []kedge.Feature, line func(kedge.Feature) string, statuses ...kedge.Status) []string {
	var out []string
	for _, f := range fs {
		if slices.Contains(statuses, f.Status) {
			out = append(out, "- "+string(f.ID)+": "+line(f))
		}
	}
	return out
}

func completedLine(f kedge.Feature) string {
	s := safe(f.Name)
	if f.CompletedAt != nil {
		s += "; " + f.CompletedAt.UTC().Format("2006-01-02")
	}
	if f.Evidence != nil {
		s += "; evidence " + safe(string(*f.Evidence))
	}
	if len(f.Files) > 0 {
		s += "; files " + clip(safe(strings.Join(f.Files, ", ")))
	}
	return s
}

// clipAt is how much of a longer text a generated line shows; the whole of it
// stands in its own file.
const clipAt = 240

func clip(s string) string { return words.Clip(s, clipAt) }

func progressLine(f kedge.Feature) string { return withNotes(safe(f.Name), f) }

func issueLine(f kedge.Feature) string { return withNotes(string(f.Status)+": "+safe(f.Name), f) }

func withNotes(s string, f kedge.Feature) string {
	if notes := clip(safe(f.Notes)); notes != "" {
		s += "; " + notes
	}
	return s
}

func riskLines(risks []kedge.Risk) []string {
	var out []string
	for _, r := range risks {
		if r.ClosedAt == nil {
			out = append(out, "- "+string(r.ID)+": "+clip(safe(r.Text)))
		}
	}
	return out
}

func decisionLines(ds []kedge.Decision) []string {
	var out []string
	for _, d := range ds {
		if d.Status == kedge.DecisionLocked {
			out = append(out, "- "+string(d.ID)+": "+safe(d.Title)+"; why: "+clip(safe(d.Why)))
		}
	}
	return out
}
