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
