package frame

import (
	"kedge"
	"kedge/internal/engine/gate"
)

// verdictTexts are the markers of a gate in words. kedge gate itself prints the marker:
// scripts and agents read it.
var verdictTexts = map[kedge.Marker]string{
	kedge.ValidationOK: "green", kedge.TestFailure: "red (tests)", kedge.IntegrationFailure: "red (integration tests)",
	kedge.BuildFailure: "red (build)", kedge.E2EFailure: "red (end-to-end tests)", kedge.HTTPFailure: "red (HTTP request)",
	kedge.TCPFailure: "red (TCP connection)",
}

// VerdictText is the verdict of a gate in words.
func VerdictText(m kedge.Marker) string {
	if text, ok := verdictTexts[m]; ok {
		return text
	}
	return string(m) // of a newer journal
}

// CornersText says what the tests and the source of some work show without each other; empty
// where nobody looked, or the work is neither tests nor source.
func CornersText(c *kedge.Corners) string {
	switch {
	case c == nil || len(c.Tests)+len(c.Source) == 0:
		return ""
	case len(c.Tests) == 0:
		return "the work has no new or changed tests"
	}
	return "new tests with the old source: " + cornerText(c.OldSource, kedge.CornerRed) +
		"; old tests with the new source: " + cornerText(c.OldTests, kedge.CornerGreen)
}

// cornerText is one corner, and whether it is as honest work has it.
func cornerText(c kedge.Corner, wanted string) string {
	switch {
	case c.Verdict == kedge.CornerNotRun:
		return "not run" + inBrackets(c.Why)
	case c.Verdict == wanted && wanted == kedge.CornerRed:
		return "red (as it must be)"
	case c.Verdict == kedge.CornerRed && c.Check != nil && c.Check.FirstFailure != nil:
		return "red" + inBrackets(c.Check.Name+": "+gate.Render(*c.Check.FirstFailure))
	case c.Verdict != wanted && wanted == kedge.CornerRed:
		return c.Verdict + " (so they prove nothing about the work)"
	}
	return c.Verdict
}

func inBrackets(text string) string {
	if text == "" {
		return ""
	}
	return " (" + text + ")"
}
