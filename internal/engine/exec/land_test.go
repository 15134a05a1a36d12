package exec_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kedge/internal/run"
)

// verified is a project with one commit to land.
func verified(t *testing.T) (y *yard, tip string) {
	t.Helper()
	y = newYard(t, map[string]string{"gone.txt": "x\n"})
	_, err := y.cfg.Slots.Course(t.Context(), runID)
	y.must(err)
	dir := filepath.Join(t.TempDir(), "w")
	y.git("-C", y.root, "worktree", "add", "-q", "-b", "kedge/"+string(runID), dir)
	y.put(dir, "a.txt", "landed\n")
	y.put(dir, "new/b.txt", "b\n")
	y.must(os.Remove(filepath.Join(dir, "gone.txt")))
	y.git("-C", dir, "add", "-A")
	y.git("-C", dir, "commit", "-qm", "verified")
	return y, y.git("-C", dir, "rev-parse", "HEAD")
}

func (y *yard) landing(tip string) run.Command {
	return y.command(run.Land, 0, run.Command{Commit: tip})
}

func TestLand(t *testing.T) {
	y, tip := verified(t)
	y.put(y.root, "cache.ignored", "mine\n")
	ev := y.brokenOff(y.landing(tip))
	if ev.Outcome != run.OK || ev.Commit != tip || y.head() != tip {
		t.Fatalf("landed: %+v", ev)
	}
	if y.read(y.root, "a.txt") != "landed\n" || y.read(y.root, "new/b.txt") != "b\n" || y.read(y.root, "cache.ignored") != "mine\n" ||
		y.read(y.root, "gone.txt") != "" {
		t.Error("the files are not those of the commit")
	}
	if got := y.status(); got != "## main" {
		t.Errorf("git says %q", got)
	}
	y.epoch += 20
	y.want(run.OK, y.landing(tip))
}

func TestLandRefusesWhereSomethingIsInTheWay(t *testing.T) {
	for name, of := range map[string]struct {
		meddle func(y *yard)
		says   string
	}{
		"a changed file":                  {func(y *yard) { y.put(y.root, "check.sh", "mine\n") }, "check.sh"},
		"the same file":                   {func(y *yard) { y.put(y.root, "a.txt", "mine\n") }, "a.txt"},
		"an untracked file":               {func(y *yard) { y.put(y.root, "untracked.txt", "mine\n") }, "untracked.txt"},
		"an untracked file at a new path": {func(y *yard) { y.put(y.root, "new/b.txt", "mine\n") }, "new/b.txt"},
		"staged work": {func(y *yard) {
			y.put(y.root, "a.txt", "mine\n")
			y.git("-C", y.root, "add", "a.txt")
			y.put(y.root, "a.txt", "a\n")
		}, "a.txt"},
		"a commit of the user's": {func(y *yard) {
			y.put(y.root, "mine.txt", "mine\n")
			y.git("-C", y.root, "add", "mine.txt")
			y.git("-C", y.root, "commit", "-qm", "mine")
		}, "has moved on"},
		"a merge under way": {func(y *yard) {
			y.put(filepath.Join(y.root, ".git"), "MERGE_HEAD", y.head()+"\n")
		}, "MERGE_HEAD"},
		"the branch is gone": {func(y *yard) {
			y.git("-C", y.root, "switch", "-q", "--detach")
			y.git("-C", y.root, "branch", "-D", "main")
		}, "no branch \"main\""},
	} {
		t.Run(name, func(t *testing.T) {
			y, tip := verified(t)
			of.meddle(y)
			before := y.status() + y.git("-C", y.root, "ls-files", "-s") + y.read(y.root, "a.txt") + y.git("-C", y.root, "rev-parse", "HEAD")
			ev := y.want(run.Refused, y.landing(tip))
			if !strings.Contains(ev.Reason, of.says) || !strings.Contains(ev.Reason, "kedge land") {
				t.Errorf("it says %q", ev.Reason)
			}
			after := y.status() + y.git("-C", y.root, "ls-files", "-s") + y.read(y.root, "a.txt") + y.git("-C", y.root, "rev-parse", "HEAD")
			if before != after {
				t.Errorf("the checkout was\n%s\nand is\n%s", before, after)
			}
		})
	}
}

func TestLandOnABranchThatIsNotCheckedOut(t *testing.T) {
	y, tip := verified(t)
	y.git("-C", y.root, "switch", "-qc", "other")
	y.put(y.root, "a.txt", "mine\n")
	y.want(run.OK, y.landing(tip))
	if y.git("-C", y.root, "rev-parse", "main") != tip || y.read(y.root, "a.txt") != "mine\n" {
		t.Error("main did not move, or the checkout did")
	}
	y.git("-C", y.root, "checkout", "-q", "a.txt")
	if y.git("-C", y.root, "rev-parse", "other") == tip {
		t.Error("another branch moved")
	}
}

func TestWhatKedgeWroteIsNotInTheWay(t *testing.T) {
	y, tip := verified(t)
	y.put(y.root, ".kedge/features.json", "projected\n")
	y.put(y.root, "AGENT_CONTEXT.md", "edited by hand\n")
	y.cfg.Projected = func(_ context.Context, path string) bool { return path == ".kedge/features.json" }
	y.open()
	ev := y.want(run.Refused, y.landing(tip))
	if !strings.Contains(ev.Reason, "AGENT_CONTEXT.md") || strings.Contains(ev.Reason, "features.json") {
		t.Errorf("it says %q", ev.Reason)
	}
	y.must(os.Remove(filepath.Join(y.root, "AGENT_CONTEXT.md")))
	y.want(run.OK, y.landing(tip))
	if y.head() != tip {
		t.Error("not landed")
	}
}
