package ledger

import (
	"bytes"
	"strings"
	"testing"

	"kedge"

	"kedge/internal/app/status"
)

// TestStatusSaysWhatForEachNextIs: a bare list of commands leaves one guessing.
func TestStatusSaysWhatForEachNextIs(t *testing.T) {
	var b bytes.Buffer
	statusText(&b, status.Reply{Run: &status.RunInfo{State: "waiting"}, NextSteps: []kedge.NextStep{
		kedge.Step("kedge", "run").For("watch the run"), kedge.Step("kedge", "run", "--continue", "--max-sessions", "2").For("continue the run"),
		kedge.Step("kedge", "plan", "check"),
	}})
	for _, want := range []string{"watch the run: kedge run", "continue the run: kedge run --continue --max-sessions 2", "kedge plan check"} {
		if !strings.Contains(b.String(), "next        "+want+"\n") {
			t.Errorf("no %q in:\n%s", want, b.String())
		}
	}
}

// TestStatusCountsByRole: the first lines tell the project, what waits for you, what works,
// what is done and what that cost; what is not known is not 0.
func TestStatusCountsByRole(t *testing.T) {
	tokens := int64(40_000)
	for _, c := range []struct {
		reply status.Reply
		want  string
	}{
		{status.Reply{Name: "shop", Dir: "/src/shop", Plan: &status.PlanInfo{ID: "pln-x", Status: "approved"}, Features: status.FeatureCounts{
			Total: 8, Completed: 2, InProgress: 1, NeedsReview: 1, Blocked: 1, Pending: 2, Regressed: 1,
		}, Sessions: status.SessionCounts{Total: 5, Live: 2, Waiting: 1, Interrupted: 1}, Usage: status.Usage{Tokens: &tokens}}, `shop (/src/shop), plan approved, no changes outside Kedge
waits       1 for review, 1 blocked, 1 in a session: kedge attach
regressed   1: the checks of completed features are red now
working     1 in progress, 2 live sessions
verified    2 of 8; 2 not begun
spent       cost unknown, 40k tokens, 5 sessions, 1 interrupted
`},
		{status.Reply{Name: "new", Dir: "/src/new", DriftUnknown: "why"}, "new (/src/new)\nverified    0 of 0\ndrift       unknown: why\n"},
		{status.Reply{Name: "old", Dir: "/src/old", Drift: []kedge.Drift{{Path: "a"}}}, "old (/src/old), 1 change outside Kedge\nverified    0 of 0\n"},
	} {
		var b bytes.Buffer
		if statusText(&b, c.reply); !strings.HasPrefix(b.String(), c.want) {
			t.Errorf("it begins with\n%s\nwant\n%s", b.String(), c.want)
		}
	}
}
