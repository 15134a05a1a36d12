package execute_test

import (
	"os"
	"path/filepath"
	"testing"

	"kedge/internal/core/run"
	"kedge/internal/engine/gate"
)

// TestF1KilledWhileASecondFeatureWasTried: whoever takes the command over ends the check of the other
// feature that was left running, because the clean worktree holds another tree from then on, and
// runs it again.
func TestF1KilledWhileASecondFeatureWasTried(t *testing.T) {
	y := newYard(t, map[string]string{"check.sh": "true\n"})
	y.feature("one", own("test -e one.txt"))
	seen := filepath.Join(y.home, "seen")
	y.feature("two", own("ls "+y.home+"/projects/*/gate/*/00-left.held 2>/dev/null && touch "+seen+"; test -e two.txt"))
	base := y.head()
	y.prepared(1, "one", base)
	y.put(y.slot(1), "one.txt", "1\n")
	y.put(y.slot(1), "two.txt", "2\n")
	tree := y.gated(run.Green, 1, "one", base).Tree
	c := y.command(run.Integrate, 1, run.Command{Feature: "one", Base: base, Tree: tree, Scope: "full", Purpose: run.Implement})
	y.want(run.Outside, c)
	dir := y.cfg.Slots.Trial(runID)
	was, err := gate.ReadBegun(dir)
	y.must(err)
	if was.Verdict == nil || was.Verdict.Green() {
		t.Fatalf("the gate of %s is not that of the other feature without the work", dir)
	}
	was.Verdict = nil // as if it was killed while that ran
	y.must(was.Write(dir))
	held := filepath.Join(dir, "00-left.held")
	y.must(os.MkdirAll(held, 0o700))
	y.want(run.Outside, adopted(c))
	if _, err := os.Stat(seen); err == nil {
		t.Error("what was left running in the clean worktree still had a holder when the check ran again")
	}
}
