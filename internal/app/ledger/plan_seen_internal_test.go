package ledger

import (
	"maps"
	"testing"

	"kedge"
)

// TestRow109WhoseVerdictExcuses: only a verdict from a place where no agent of a run wrote.
func TestRow109WhoseVerdictExcuses(t *testing.T) {
	green, red := kedge.Verdict{Verdict: kedge.ValidationOK}, kedge.Verdict{Verdict: kedge.TestFailure}
	for name, of := range map[string]struct {
		ev               kedge.Evidence
		accepted, before bool
	}{
		"tried at the approval":      {kedge.Evidence{For: kedge.StageProve, By: "human:ann", Verdict: red}, true, true},
		"before the work, in a slot": {kedge.Evidence{For: kedge.StageProve, By: kedge.ActorDaemon, Verdict: red}, false, true},
		"the baseline, in a slot":    {kedge.Evidence{For: kedge.StageBaseline, By: kedge.ActorDaemon, Verdict: green}, false, true},
		"merged and completed":       {kedge.Evidence{For: kedge.StageIntegrate, Feature: "one", By: kedge.ActorDaemon, Verdict: green}, true, false},
		"merged and refused":         {kedge.Evidence{For: kedge.StageIntegrate, Feature: "one", By: kedge.ActorDaemon, Verdict: red}, false, false},
		"you looked, and it proves":  {kedge.Evidence{Anchor: true, By: "human:ann", Verdict: green}, true, false},
		"an agent asked":             {kedge.Evidence{By: "agent:claude", Verdict: green}, false, false},
	} {
		if isAccepted(of.ev) != of.accepted || isBefore(of.ev) != of.before {
			t.Errorf("%s: accepted %t, before %t", name, isAccepted(of.ev), isBefore(of.ev))
		}
	}
}

// TestRow109WhatAVerdictSaysOfCommands: the newest counts; one that was red and not due is
// red; one that did not run says nothing.
func TestRow109WhatAVerdictSaysOfCommands(t *testing.T) {
	seen := map[string]bool{"older": true}
	takeIn(seen, kedge.Verdict{Checks: []kedge.CheckResult{
		{Command: "older", FirstFailure: &kedge.Failure{}},
		{Command: "green"},
		{Command: "red", FirstFailure: &kedge.Failure{}},
		{Command: "later", Skipped: "red, and not due yet: p2.1 is open"},
		{Command: "never", Skipped: "did not run, because red is red"},
	}})
	if want := map[string]bool{"older": true, "green": true, "red": false, "later": false}; !maps.Equal(seen, want) {
		t.Errorf("seen %v, want %v", seen, want)
	}
}
