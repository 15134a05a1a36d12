package execute

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/agents"
	"kedge/internal/core/run"
	"kedge/internal/git/slot"
)

// TestExplanationWithoutTheLastWords: a tape that cannot be read keeps nobody from
// saying why a feature is blocked.
func TestExplanationWithoutTheLastWords(t *testing.T) {
	home, id := t.TempDir(), kedge.RunID("run-00000000000000000000000001")
	var logged strings.Builder
	x := &Executor{cfg: Config{
		Project: "prj", Home: home, Slots: slot.New(slot.Config{Dir: filepath.Join(home, "worktrees")}), Log: slog.New(slog.NewTextHandler(&logged, nil)),
		Agent: func(string) (agents.Adapter, string, error) { return nil, "", kedge.Errorf(kedge.NotFound, "none") },
	}}
	c := run.Command{Run: id, Job: 1, Feature: "one", Reason: "killed 3 times"}
	if _, err := x.keep(c, func(j *slot.Job) { j.Session = "ses-00000000000000000000000001" }); err != nil {
		t.Fatal(err)
	}
	dir := x.sessionDir("ses-00000000000000000000000001")
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir, nil, 0o600); err != nil { // where a folder belongs
		t.Fatal(err)
	}
	text, err := x.explanation(t.Context(), c)
	if err != nil || !strings.Contains(text, "Blocked: killed 3 times\nIt left no work. If the check is wrong: ") {
		t.Errorf("%q, %v", text, err)
	}
	if !strings.Contains(logged.String(), "ses-00000000000000000000000001") {
		t.Errorf("nothing is logged of it: %q", logged.String())
	}
}
