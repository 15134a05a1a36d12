package reports

import (
	"encoding/json"
	"testing"
	"time"

	"kedge"
)

// TestRunsOf: what was reused or skipped did not run; what is red and not due did.
func TestRunsOf(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	said := func(minute int, stage kedge.GateStage, checks ...kedge.CheckResult) kedge.Evidence {
		return kedge.Evidence{For: stage, At: at.Add(time.Duration(minute) * time.Minute), Verdict: kedge.Verdict{Checks: checks}}
	}
	ran := func(name string) kedge.CheckResult { return kedge.CheckResult{Name: name} }
	got, err := json.Marshal(runsOf([]kedge.Evidence{
		said(5, kedge.StageIntegrate, ran("test"), ran("own"), kedge.CheckResult{Name: "later", Skipped: "red, and not due yet: why"}),
		said(1, kedge.StageBaseline, ran("test")),
		said(2, kedge.StageProve, ran("own")),
		said(3, kedge.StageGate, ran("own"), kedge.CheckResult{Name: "test", Reused: "evd-1"}),
		said(4, kedge.StageGate, ran("own"), kedge.CheckResult{Name: "test", Skipped: "none of its files changed"}),
		said(6, "", ran("test")),
	}))
	if err != nil {
		t.Fatal(err)
	}
	const want = `[{"check":"test","times":3,"stages":[{"stage":"","times":1},{"stage":"baseline","times":1},{"stage":"integrate","times":1}]},` +
		`{"check":"own","times":4,"stages":[{"stage":"prove","times":1},{"stage":"gate","times":2},{"stage":"integrate","times":1}]},` +
		`{"check":"later","times":1,"stages":[{"stage":"integrate","times":1}]}]`
	if string(got) != want {
		t.Errorf("it is %s\nwant  %s", got, want)
	}
}
