package kedge_test

import (
	"slices"
	"testing"

	"kedge"
)

// TestStepCanBePasted: a shell reads the arguments as they were meant.
func TestStepCanBePasted(t *testing.T) {
	for want, step := range map[string]kedge.NextStep{
		"kedge run": kedge.Step("kedge", "run"),
		"kedge feature amend b --depends-on '' --reason WHY": kedge.Step("kedge", "feature", "amend", "b", "--depends-on", "", "--reason", "WHY"),
		`git add -- 'it'\''s here' '$(x)' '#a'`:              kedge.Step("git", "add", "--", "it's here", "$(x)", "#a"),
		"git switch main && kedge land":                      kedge.Step("git", "switch", "main").AndThen(kedge.Step("kedge", "land")),
	} {
		if got := step.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := kedge.StepLines(nil); got == nil || len(got) != 0 {
		t.Errorf("no steps give %v", got)
	}
	run := kedge.Step("kedge", "run").For("watch the run")
	if !run.Is("kedge", "run") || run.Is("kedge") || run.Is("kedge", "run", "--stop") || run.AndThen(run).Is("kedge", "run") {
		t.Error("a step is its whole command line")
	}
	err := kedge.Errorf(kedge.Conflict, "no: %w", kedge.Errorf(kedge.Blocked, "in the way").WithStep(run))
	if _, ok := kedge.StepOf(err); ok || kedge.HintOf(err) != "kedge run" {
		t.Errorf("the hint is %q", kedge.HintOf(err))
	}
	if got, ok := kedge.StepOf(kedge.Errorf(kedge.Blocked, "no").WithStep(run)); !ok || got.Why != "watch the run" || !slices.Equal(got.Args, []string{"run"}) {
		t.Errorf("%+v", got)
	}
}
