package ledger

import (
	"bytes"
	"strings"
	"testing"

	"kedge/internal/app/status"
)

// TestStatusSaysWhatForEachNextIs: a bare list of commands leaves one guessing.
func TestStatusSaysWhatForEachNextIs(t *testing.T) {
	var b bytes.Buffer
	statusText(&b, status.StatusReply{Run: &status.RunInfo{State: "waiting"}, Steps: []string{
		"kedge run", "kedge run --pause", "kedge run --stop", "kedge run --continue --max-sessions 2", "kedge approve p1.1", "kedge runs", "write a check",
	}})
	for _, want := range []string{
		"watch the run: kedge run", "hold the run: kedge run --pause", "end the run: kedge run --stop",
		"let the run go on: kedge run --continue --max-sessions 2", "say yes to the work: kedge approve p1.1", "kedge runs", "write a check",
	} {
		if !strings.Contains(b.String(), "next        "+want+"\n") {
			t.Errorf("no %q in:\n%s", want, b.String())
		}
	}
}
