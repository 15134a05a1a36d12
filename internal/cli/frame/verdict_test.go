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

// TestCornersAreWords: each corner says whether it is as honest work has it.
func TestCornersAreWords(t *testing.T) {
	red := kedge.Corner{Verdict: kedge.CornerRed, Check: &kedge.CheckResult{Name: "suite", FirstFailure: &kedge.Failure{Test: "TestA", Message: "3"}}}
	green := kedge.Corner{Verdict: kedge.CornerGreen}
	not := kedge.Corner{Verdict: kedge.CornerNotRun, Why: "there are no tests"}
	tests := []string{"a_test.go"}
	for _, c := range []struct {
		of   *kedge.Corners
		want string
	}{
		{nil, ""},
		{&kedge.Corners{OldSource: not, OldTests: not}, ""},
		{&kedge.Corners{Source: tests, OldSource: not, OldTests: not}, "the work has no new or changed tests"},
		{&kedge.Corners{Tests: tests, OldSource: red, OldTests: green}, "new tests with the old source: red (as it must be); old tests with the new source: green"},
		{&kedge.Corners{Tests: tests, OldSource: green, OldTests: red}, "new tests with the old source: green (so they prove nothing about the work); old tests with the new source: red (suite: TestA: 3)"},
		{&kedge.Corners{Tests: tests, OldSource: not, OldTests: not}, "new tests with the old source: not run (there are no tests); old tests with the new source: not run (there are no tests)"},
	} {
		if got := frame.CornersText(c.of); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
