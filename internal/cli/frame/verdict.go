package frame

import "kedge"

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
