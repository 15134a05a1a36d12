package execute_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/core/run"
)

// verified is a project with one commit to land, which also writes these files.
func verified(t *testing.T, also ...string) (y *yard, tip string) {
	t.Helper()
	y = newYard(t, map[string]string{"gone.txt": "x\n"})
	_, err := y.cfg.Slots.Course(t.Context(), runID)
	y.must(err)
	dir := filepath.Join(t.TempDir(), "w")
	y.git("-C", y.root, "worktree", "add", "-q", "-b", "kedge/"+string(runID), dir)
	y.put(dir, "a.txt", "landed\n")
	y.put(dir, "new/b.txt", "b\n")
	for _, name := range also {
		y.put(dir, name, "verified\n")
	}
	y.must(os.Remove(filepath.Join(dir, "gone.txt")))
	y.git("-C", dir, "add", "-A")
	y.git("-C", dir, "commit", "-qm", "verified\n\nKedge-Run: "+string(runID))
	tip = y.git("-C", dir, "rev-parse", "HEAD")
	y.git("-C", y.root, "worktree", "remove", dir)
	return y, tip
}

func (y *yard) landing(tip string) run.Command {
	return y.command(run.Land, 0, run.Command{Commit: tip, Actor: kedge.Human("ann")})
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
		next   string
	}{
		"the same file":                   {func(y *yard) { y.put(y.root, "a.txt", "mine\n") }, "a.txt", "stash push -u -- a.txt && kedge land"},
		"an untracked file at a new path": {func(y *yard) { y.put(y.root, "new/b.txt", "mine\n") }, "new/b.txt", "stash push -u -- new/b.txt && kedge land"},
		"a file in place of a folder":     {func(y *yard) { y.put(y.root, "new", "mine\n") }, "overwritten: new", "stash push -u -- new && kedge land"},
		"a file that is to go":            {func(y *yard) { y.put(y.root, "gone.txt", "mine\n") }, "gone.txt", "stash push -u -- gone.txt && kedge land"},
		"staged work": {func(y *yard) {
			y.put(y.root, "a.txt", "mine\n")
			y.git("-C", y.root, "add", "a.txt")
			y.put(y.root, "a.txt", "a\n")
		}, "a.txt", "stash push -u -- a.txt && kedge land"},
		"a commit of the user's": {func(y *yard) {
			y.put(y.root, "a.txt", "mine\n")
			y.git("-C", y.root, "commit", "-qam", "mine")
		}, "main got 1 new commit since the run began, and a merge conflicts in: a.txt", "git merge kedge/run-"},
		"commits that are no longer there": {func(y *yard) {
			y.git("-C", y.root, "commit", "-q", "--amend", "-m", "other words")
		}, "main was rewritten since the run began: it no longer has ", "git cherry-pick "},
		"a merge under way": {func(y *yard) {
			y.put(filepath.Join(y.root, ".git"), "MERGE_HEAD", y.head()+"\n")
		}, "MERGE_HEAD", " status"},
		"the branch is gone": {func(y *yard) {
			y.git("-C", y.root, "switch", "-q", "--detach")
			y.git("-C", y.root, "branch", "-D", "main")
		}, "branch \"main\"", "git branch main "},
	} {
		t.Run(name, func(t *testing.T) {
			y, tip := verified(t)
			of.meddle(y)
			before := y.status() + y.git("-C", y.root, "ls-files", "-s") + y.read(y.root, "a.txt") + y.git("-C", y.root, "rev-parse", "HEAD")
			ev := y.want(run.Refused, y.landing(tip))
			if !strings.Contains(ev.Reason, of.says) || len(ev.Next) == 0 || !strings.Contains(ev.Next[0].String(), of.next) {
				t.Errorf("it says %q, next %q", ev.Reason, kedge.StepLines(ev.Next))
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
	y, tip := verified(t, ".kedge/features.json", "AGENT_CONTEXT.md")
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

// TestLandLeavesAloneWhatIsNotInItsWay: what people changed, staged or have lying
// about stays as it is; what the stash took for it comes back.
func TestLandLeavesAloneWhatIsNotInItsWay(t *testing.T) {
	y, tip := verified(t)
	y.put(y.root, "check.sh", "mine\n")
	y.put(y.root, "lying/about.txt", "mine\n")
	y.put(y.root, "staged.txt", "mine\n")
	y.git("-C", y.root, "add", "staged.txt")
	y.put(y.root, "new/b.txt", "b\n") // as it will be
	y.want(run.OK, y.landing(tip))
	want := "## main\n M check.sh\nA  staged.txt\n?? lying/"
	if got := y.status(); got != want || y.head() != tip {
		t.Errorf("git says\n%s\nwant\n%s", got, want)
	}
	if y.read(y.root, "check.sh") != "mine\n" || y.read(y.root, "lying/about.txt") != "mine\n" || y.read(y.root, "a.txt") != "landed\n" ||
		y.read(y.root, "gone.txt") != "" {
		t.Error("the files are not what they should be")
	}
}

// TestLandByItselfNeedsAnUnchangedCheckout: where nobody asks, nobody expects the
// files beside their own changes to move. What lies about does not matter.
func TestLandByItselfNeedsAnUnchangedCheckout(t *testing.T) {
	y, tip := verified(t)
	y.put(y.root, "check.sh", "mine\n")
	c := y.landing(tip)
	c.Actor = ""
	ev := y.want(run.Refused, c)
	if !strings.Contains(ev.Reason, "not committed: check.sh") || !strings.Contains(ev.Reason, "to land anyway and keep them as they are: kedge land") {
		t.Errorf("it says %q", ev.Reason)
	}
	y.git("-C", y.root, "checkout", "-q", "check.sh")
	y.put(y.root, "untracked.txt", "mine\n")
	c = y.landing(tip)
	c.Actor = ""
	y.want(run.OK, c)
	if y.read(y.root, "untracked.txt") != "mine\n" || y.head() != tip {
		t.Error("not landed, or at somebody's cost")
	}
}

// mine is a commit of the user's on what is checked out.
func (y *yard) mine() {
	const name = "m"
	y.put(y.root, name, "mine\n")
	y.git("-C", y.root, "add", name)
	y.git("-C", y.root, "commit", "-qm", "mine")
}

// TestBroughtInByAPerson: what the branch has needs no landing, however it came there.
func TestBroughtInByAPerson(t *testing.T) {
	branch := "kedge/" + string(runID)
	for name, of := range map[string]struct {
		bring func(y *yard)
		own   bool // in commits of its own
	}{
		"merged":         {func(y *yard) { y.mine(); y.git("-C", y.root, "merge", "-q", "--no-edit", branch) }, false},
		"forwarded":      {func(y *yard) { y.git("-C", y.root, "merge", "-q", "--ff-only", branch) }, false},
		"forwarded past": {func(y *yard) { y.git("-C", y.root, "merge", "-q", "--ff-only", branch); y.mine() }, false},
		"rebased onto":   {func(y *yard) { y.mine(); y.git("-C", y.root, "rebase", "-q", branch) }, false},
		"told so": {func(y *yard) {
			y.mine()
			y.git("-C", y.root, "merge", "-q", "--no-edit", "-s", "ours", branch)
		}, false},
		"squashed": {func(y *yard) {
			y.mine()
			y.git("-C", y.root, "merge", "-q", "--squash", branch)
			y.git("-C", y.root, "commit", "-qm", "squashed")
		}, true},
		"picked": {func(y *yard) { y.mine(); y.git("-C", y.root, "cherry-pick", branch) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			y, tip := verified(t)
			of.bring(y)
			at := y.head()
			want := tip
			if of.own {
				want = at
			}
			ev := y.want(run.OK, y.landing(tip))
			if ev.Commit != want || ev.Text != "main" || y.head() != at {
				t.Errorf("it says %q on %q, want %q; the branch was at %q and is at %q", ev.Commit, ev.Text, want, at, y.head())
			}
		})
	}
}

// TestHalfBroughtIn: the rest is merged, also into a branch that is not checked out.
func TestHalfBroughtIn(t *testing.T) {
	y, tip := verified(t)
	y.put(y.root, "a.txt", "landed\n")
	y.git("-C", y.root, "commit", "-qam", "half of it")
	half := y.head()
	y.git("-C", y.root, "switch", "-qc", "other")
	ev := y.brokenOff(y.landing(tip))
	if ev.Outcome != run.OK || y.git("-C", y.root, "rev-parse", "main") != ev.Commit || y.head() != half {
		t.Errorf("%+v; main is at %s, and the checkout at %s", ev, y.git("-C", y.root, "rev-parse", "main"), y.head())
	}
	if got := y.git("-C", y.root, "rev-parse", "main^1", "main^2"); got != half+"\n"+tip {
		t.Errorf("main is a merge of %s, want %s and %s", got, half, tip)
	}
	if got := y.git("-C", y.root, "show", "main:new/b.txt"); got != "b" {
		t.Errorf("new/b.txt is %q", got)
	}
}

// TestLandMergesOnlyWhatIsGreen: nothing moves before the merge has passed the checks of the
// branch as it is now.
func TestLandMergesOnlyWhatIsGreen(t *testing.T) {
	for name, of := range map[string]struct {
		check, says string
		next        []string
	}{
		"green":      {"test -f m && test -f new/b.txt\n", "", nil},
		"red":        {"! test -f m || ! test -f new/b.txt || { echo 'both are here'; exit 1; }\n", "main got 2 new commits since the run began; merged with that, the work is red: ", []string{"git merge --no-ff --no-commit kedge/" + string(runID), "kedge gate --all", "git commit -a --no-edit && kedge land"}},
		"cannot run": {"", "the checks cannot run", nil},
	} {
		t.Run(name, func(t *testing.T) {
			y, tip := verified(t)
			if of.check != "" {
				y.put(y.root, "check.sh", of.check)
			} else {
				y.put(y.root, ".kedge/gate.toml", strings.ReplaceAll(gateOK, "sh check.sh", "no-such-program"))
			}
			y.git("-C", y.root, "commit", "-qam", "another check")
			y.mine()
			before := y.head()
			ev, err := y.x.Do(t.Context(), y.landing(tip), nil)
			y.must(err)
			if of.says == "" {
				if ev.Outcome != run.OK || y.head() != ev.Commit || y.status() != "## main" || y.read(y.root, "new/b.txt") != "b\n" {
					t.Fatalf("%+v; git says %q", ev, y.status())
				}
				return
			}
			next := kedge.StepLines(ev.Next)
			if ev.Outcome != run.Refused || !strings.Contains(ev.Reason, of.says) || y.head() != before || ev.Commit != before {
				t.Errorf("%+v; the branch was at %s and is at %s", ev, before, y.head())
			}
			if of.next != nil && !slices.Equal(next, of.next) {
				t.Errorf("next is %q, want %q", next, of.next)
			}
		})
	}
}

// TestNothingLandsThatNobodyAccepted: whatever the run takes it for, and whoever asks.
func TestNothingLandsThatNobodyAccepted(t *testing.T) {
	y, tip := verified(t)
	before := y.head()
	waiting := []kedge.FeatureID{"words"}
	y.cfg.Approvals = allowAll{unaccepted: func(to, at string) []kedge.FeatureID {
		if to != tip || at != before {
			t.Errorf("asked about %s on %s", to, at)
		}
		return waiting
	}}
	y.open()
	if ev := y.want(run.Refused, y.landing(tip)); !strings.Contains(ev.Reason, "you have not accepted the work on words") || y.head() != before {
		t.Errorf("%+v", ev)
	}
	waiting = nil
	y.epoch += 20
	if y.want(run.OK, y.landing(tip)); y.head() != tip {
		t.Error("it was accepted, and does not land")
	}
}
