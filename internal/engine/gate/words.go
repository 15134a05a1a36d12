package gate

import (
	"fmt"
	"strings"

	"kedge"
	"kedge/internal/core/check"
)

// maxFailureLines bounds what a repair is told.
const maxFailureLines = 20

// FirstFailure is the one failure of a red verdict: of its first red check, or
// else its first finding.
func FirstFailure(v kedge.Verdict) string {
	for _, f := range v.Findings {
		if f.Level == kedge.LevelError {
			return Clip(FindingText(f))
		}
	}
	for _, r := range v.Checks {
		if r.Skipped == "" && r.FirstFailure != nil {
			return Clip(fmt.Sprintf("check %q (%s) is red: %s%s", r.Name, check.Unwrapped(r.Command), ExitText(r), Render(*r.FirstFailure)))
		}
	}
	return "its checks are not green"
}

// ExitText is how a check's command ended; empty where it did not end by itself, or
// the failure says so.
func ExitText(r kedge.CheckResult) string {
	text := fmt.Sprintf("exit %d", r.Exit)
	if r.Exit < 0 || !check.OfKind(r.Kind).Shell || strings.HasPrefix(r.FirstFailure.Message, text) {
		return ""
	}
	return text + ": "
}

// FindingText shows a finding with its place and what to do about it.
func FindingText(f kedge.Finding) string {
	text := f.What
	if f.Where != "" {
		text += ": " + f.Where
	}
	if f.Fix != "" {
		text += " (" + f.Fix + ")"
	}
	return text
}

// Render shows a failure as test, place and message.
func Render(f kedge.Failure) string {
	var parts []string
	if f.Test != "" {
		parts = append(parts, f.Test)
	}
	if f.File != "" {
		parts = append(parts, f.Place())
	}
	return strings.Join(append(parts, f.Message), ": ")
}

// Clip bounds what a repair is told of a failure.
func Clip(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if len(lines) > maxFailureLines {
		lines = append(lines[:maxFailureLines-1], fmt.Sprintf("(%d more lines)", len(lines)-maxFailureLines+1))
	}
	return strings.Join(lines, "\n")
}
