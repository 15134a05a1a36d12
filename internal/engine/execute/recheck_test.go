package execute_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/core/run"
)

// completed adds completed features whose checks are red where a file is there.
func (y *yard) completed(ids ...kedge.FeatureID) {
	for _, id := range ids {
		y.feature(id, kedge.Check{Name: string(id), Run: "test ! -e break-" + string(id)}).Status = kedge.Completed
	}
}

// TestRow14WorkThatBreaksACompletedFeature: it is red before it is committed, with the
// feature, its check and the failure; what cannot be checked is left out.
func TestRow14WorkThatBreaksACompletedFeature(t *testing.T) {
	y := newYard(t, nil)
	base := y.head()
	y.completed("f1", "f2", "f3")
	y.feature("old", kedge.Check{Name: "own", Run: "false", Exclusive: "../../x"}).Status = kedge.Completed // never looked at
	y.feature("new")
	y.prepared(1, "new", base)
	y.put(y.slot(1), "break-f2", "")
	y.put(y.slot(1), "break-f3", "")
	tree := y.gated(run.Green, 1, "new", base).Tree
	ev := y.integrated(run.Red, 1, "new", base, tree)
	if !slices.Equal(ev.Features, []kedge.FeatureID{"f2", "f3"}) {
		t.Errorf("it breaks %v", ev.Features)
	}
	for _, want := range []string{`breaks the completed feature "f2"`, `check "f2" (test ! -e break-f2)`, "exit 1", `also breaks these completed features: "f3"`} {
		if !strings.Contains(ev.Failure, want) {
			t.Errorf("the failure has no %q: %s", want, ev.Failure)
		}
	}
	if got := y.git("-C", y.clean(), "status", "--porcelain"); got != "" {
		t.Errorf("the clean worktree is left with %s", got)
	}
}

// TestRow14ChangedTestBesideWhatItBreaks: work that changes what a test expects, and by that breaks a
// completed feature, is told both.
func TestRow14ChangedTestBesideWhatItBreaks(t *testing.T) {
	l := languages["make"]
	y := newYard(t, l.first())
	y.feature("old", kedge.Check{Name: "four", Run: "test \"$(sh double.sh 4)\" = 8"}).Status = kedge.Completed
	y.feature("one", own("test \"$(sh double.sh 1)\" = 3"))
	base := y.head()
	y.prepared(1, "one", base)
	y.put(y.slot(1), l.source, breaking(l))
	y.put(y.slot(1), l.test, l.moved())
	tree := y.gated(run.Green, 1, "one", base).Tree
	ev := y.integrated(run.Red, 1, "one", base, tree)
	for _, want := range []string{`breaks the completed feature "old"`, `it changes existing tests: with the old tests, check "suite" is red`} {
		if !strings.Contains(ev.Failure, want) {
			t.Errorf("the failure has no %q: %s", want, ev.Failure)
		}
	}
}

// TestRow102RegressionOfEarlierFeatures: a base that is red without the work is said to
// be so, with the commit and its author; what the run knows to be red is not looked at.
func TestRow102RegressionOfEarlierFeatures(t *testing.T) {
	y := newYard(t, nil)
	y.feature("one")
	tip := y.worked("one", y.head(), map[string]string{"one.txt": "1\n"})
	y.git("-C", y.root, "reset", "-q", "--hard", tip)
	y.completed("f1")
	for i, files := range []string{"a.txt", "break-f1", "b.txt"} {
		y.put(y.root, files, "")
		y.git("-C", y.root, "add", "-A")
		y.git("-C", y.root, "commit", "-q", "--author", "Ada <ada@example.com>", "-m", "commit "+strconv.Itoa(i))
	}
	base := y.head()
	y.feature("new")
	prepared := y.prepared(2, "new", base)
	gate := run.Command{Feature: "new", Base: base, Scope: "full", Tree: prepared.Tree}
	ev := y.want(run.Regressed, y.command(run.Gate, 2, gate))
	culprit := y.git("-C", y.root, "rev-parse", "--short=12", base+"~1")
	if !slices.Equal(ev.Features, []kedge.FeatureID{"f1"}) || !strings.Contains(ev.Reason, "since commit "+culprit+" by Ada <ada@example.com> (commit 1)") {
		t.Errorf("%v: %s, want %s", ev.Features, ev.Reason, culprit)
	}
	gate.Features = []kedge.FeatureID{"f1"}
	y.want(run.Green, y.command(run.Gate, 2, gate))
	if got := y.git("-C", y.clean(), "status", "--porcelain"); got != "" {
		t.Errorf("the clean worktree is left with %s", got)
	}
}

// TestRow102WorkThatIsNotInTheBaseYet: a job was prepared before the work of another one
// was committed. That feature is completed and red on the job's base, and nobody broke it.
func TestRow102WorkThatIsNotInTheBaseYet(t *testing.T) {
	y := newYard(t, nil)
	base := y.head()
	y.feature("new")
	prepared := y.prepared(2, "new", base)
	one := y.feature("one", kedge.Check{Name: "own", Run: "test -f one.txt"})
	y.worked("one", base, map[string]string{"one.txt": "1\n"})
	one.Status = kedge.Completed
	y.want(run.Green, y.command(run.Gate, 2, run.Command{Feature: "new", Base: base, Scope: "full", Tree: prepared.Tree}))
}

// TestRow14EveryFeatureIsLookedAtInTurn: of many that a change does not touch a few are
// looked at each time, all in the end, and those that it touches always.
func TestRow14EveryFeatureIsLookedAtInTurn(t *testing.T) {
	y := newYard(t, nil)
	base := y.head()
	var ids []kedge.FeatureID
	for i := range 12 {
		ids = append(ids, kedge.FeatureID("f"+strconv.Itoa(i)))
	}
	y.completed(ids...)
	y.book.features[11].Files = []string{"shared.txt"}
	y.feature("new")
	y.prepared(1, "new", base)
	y.put(y.slot(1), "shared.txt", "x\n")
	tree := y.gated(run.Green, 1, "new", base).Tree
	seen := map[string]int{}
	for range 3 {
		before := len(y.book.evidence)
		y.integrated(run.Green, 1, "new", base, tree)
		for _, ev := range y.book.evidence[before:] {
			for _, r := range ev.Verdict.Checks {
				if ev.For == kedge.StageRecheck {
					seen[r.Name]++
				}
			}
		}
	}
	if len(seen) != 12 || seen["f11.f11"] != 3 {
		t.Errorf("looked at %v", seen)
	}
}

// TestSameCommandOnTheSameTreeRunsOnce: whoever asks; what is asked for because verdicts
// contradict each other does run.
func TestSameCommandOnTheSameTreeRunsOnce(t *testing.T) {
	count := "echo x >> " + t.TempDir() + "/ran"
	y := newYard(t, map[string]string{".kedge/gate.toml": "version = 1\n[[check]]\nname = \"unit\"\nkind = \"test\"\nrun = '''" + count + "'''\n"})
	ran := func() int {
		return strings.Count(y.read(strings.TrimSuffix(strings.Fields(count)[3], "/ran"), "ran"), "x")
	}
	base := y.head()
	y.feature("f1", kedge.Check{Name: "own", Kind: "test", Run: count}).Status = kedge.Completed
	y.feature("new", kedge.Check{Name: "own", Kind: "test", Run: count})
	y.prepared(1, "new", base)
	y.put(y.slot(1), "new.txt", "x\n")
	tree := y.gated(run.Green, 1, "new", base).Tree
	if n := ran(); n != 1 {
		t.Errorf("the gate and the feature's check ran it %d times", n)
	}
	in := y.integrated(run.Green, 1, "new", base, tree)
	if n := ran(); n != 2 { // an agent wrote in the slot: its results do not count in the clean worktree
		t.Errorf("gate, feature and recheck ran it %d times in the clean worktree", n-1)
	}
	reused := 0
	for _, ev := range y.book.evidence {
		for _, r := range ev.Verdict.Checks {
			if r.Reused != "" {
				reused++
			}
			if ev.For == kedge.StageRecheck && r.Reused != string(in.Evidence) {
				t.Errorf("the recheck reused %q, not %s", r.Reused, in.Evidence)
			}
		}
	}
	if reused != 3 {
		t.Errorf("%d results are said to be reused", reused)
	}
	y.want(run.Green, y.command(run.Integrate, 1, run.Command{Feature: "new", Base: base, Tree: tree, Scope: "full", Flaky: true}))
	if n := ran(); n < 3 {
		t.Error("a rerun reused a result")
	}
}
