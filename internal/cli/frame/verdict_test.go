package frame_test

import (
	"strings"
	"testing"

	"kedge"
	"kedge/internal/cli/frame"
)

func TestVerdictsAreWords(t *testing.T) {
	for _, m := range []kedge.Marker{
		kedge.ValidationOK, kedge.TestFailure, kedge.IntegrationFailure, kedge.BuildFailure, kedge.E2EFailure, kedge.HTTPFailure, kedge.TCPFailure,
	} {
		text := frame.VerdictText(m)
		if want := map[bool]string{true: "green", false: "red ("}[m == kedge.ValidationOK]; !strings.HasPrefix(text, want) || strings.Contains(text, "_") {
			t.Errorf("%s: %q", m, text)
		}
	}
}
