package reports

import (
	"testing"

	"kedge"
	"kedge/internal/core/delta"
	"kedge/internal/core/run"
)

// answered is a step that answers the command of an epoch, and asks for others.
func answered(ev run.Input, asks ...run.Command) delta.Stepped {
	return delta.Stepped{Run: "run-1", Event: ev, Delta: delta.Delta{Issued: asks}}
}

// TestAChangedTestIsAFalseClaimIfYouDenyIt: a changed rule and a cheat look the same before you
// decide.
func TestAChangedTestIsAFalseClaimIfYouDenyIt(t *testing.T) {
	for decision, want := range map[run.InputKind]int{run.Approved: 0, run.Denied: 1} {
		c := newCount()
		c.take(answered(run.Input{Kind: run.Begun}, run.Command{Kind: run.StartSession, Epoch: 1, Feature: "a"}))
		c.take(answered(run.Input{Kind: run.Exited, Epoch: 1, Outcome: run.Finished}, run.Command{Kind: run.Integrate, Epoch: 2, Feature: "a"}))
		c.take(answered(run.Input{Kind: run.Integrated, Epoch: 2, Outcome: run.Green, Altered: "it changes existing tests: t"}))
		if n := len(c.sum.FalseClaims); n != 0 {
			t.Errorf("%d false claims before you decided", n)
		}
		c.take(answered(run.Input{Kind: decision, Feature: "a"}))
		if n := len(c.sum.FalseClaims); n != want {
			t.Errorf("%s: %d false claims, want %d", decision, n, want)
		}
	}
}

// TestGreenWorkThatDoesNotCountSaysWhy: once, whether a session repairs it or you decide.
func TestGreenWorkThatDoesNotCountSaysWhy(t *testing.T) {
	about := run.Command{Kind: run.Integrate, Feature: "a"}
	ev := run.Input{Kind: run.Integrated, Outcome: run.Green, Untested: "its tests are green without it too"}
	for want, asks := range map[string]run.Command{
		"merged and checked in full: green; its tests are green without it too": {Kind: run.Brief, Purpose: run.Repair, Failure: "its tests are green without it too. Add tests"},
		"merged and checked in full: green; it changes existing tests: t":       {Kind: run.Mark, Status: kedge.NeedsReview, Reason: "it changes existing tests: t"},
		"merged and checked in full: green":                                     {Kind: run.Commit},
	} {
		if got := wordsFor(answered(ev, asks), about); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
