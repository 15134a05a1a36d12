package execute_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kedge"
	"kedge/internal/core/run"
	"kedge/internal/engine"
	"kedge/internal/git/slot"
)

// The files of a project in which a lock file is made of the files *.dep, and two lists get
// the lines of both sides.
func lockYard(t *testing.T, command string) *yard {
	t.Helper()
	y := newYard(t, map[string]string{
		".kedge/config.toml": "version = 1\n[merge]\nunion = [\"NEWS\", \"docs/*.log\"]\n[[merge.regenerate]]\npaths = [\"*.lock\"]\nrun = \"sh lock.sh\"\n",
		"lock.sh":            command, "check.sh": "cat *.dep | cmp - all.lock && ! grep -q '<<<' NEWS\n",
		"0.dep": "0\n", "all.lock": "0\n", "NEWS": "begin\n", "docs/a.log": "begin\n",
	})
	y.feature("one", own("test -e one.dep"))
	y.feature("two", own("test -e two.dep"))
	return y
}

const lockSh = "cat *.dep > all.lock\n"

// both is the work of a feature in a lockYard.
func both(name string) map[string]string {
	return map[string]string{name + ".dep": name + "\n", "all.lock": "0\n" + name + "\n", "NEWS": "begin\n" + name + "\n", "docs/a.log": "begin\n" + name + "\n"}
}

// second works on "two" at a base while "one" is merged. It gives the tip, and the tree.
func (y *yard) second(files map[string]string) (base, tip, tree string) {
	y.t.Helper()
	base = y.head()
	y.prepared(2, "two", base)
	for name, text := range files {
		y.put(y.slot(1), name, text)
	}
	tip = y.worked("one", base, both("one"))
	return base, tip, y.gated(run.Green, 2, "two", base).Tree
}

// secondJob is the record of the job whose work conflicts.
func (y *yard) secondJob() slot.Job {
	y.t.Helper()
	j, err := y.cfg.Slots.Job(runID, 2)
	y.must(err)
	return j
}

func (y *yard) integrate(tip, tree string) run.Command {
	return y.command(run.Integrate, 2, run.Command{Feature: "two", Base: tip, Tree: tree, Scope: "full"})
}

func TestConflictsThatRulesCoverAreNone(t *testing.T) {
	y := lockYard(t, lockSh)
	_, tip, tree := y.second(both("two"))
	in := y.brokenOff(y.integrate(tip, tree))
	if in.Outcome != run.Green {
		t.Fatalf("integrated: %+v", in)
	}
	y.epoch += 20
	ev := y.want(run.OK, y.command(run.Commit, 2, run.Command{Feature: "two", Base: tip, Tree: in.Tree, Evidence: in.Evidence}))
	for name, want := range map[string]string{
		"all.lock": "0\none\ntwo", "NEWS": "begin\none\ntwo", "docs/a.log": "begin\none\ntwo", "one.dep": "one", "two.dep": "two",
	} {
		if got := y.git("-C", y.root, "show", ev.Commit+":"+name); got != want {
			t.Errorf("%s is %q in the commit", name, got)
		}
	}
	e := y.evidence(in.Evidence)
	if whole := y.git("-C", y.root, "rev-parse", ev.Commit+"^{tree}"); e.Verdict.Tree != whole {
		t.Errorf("committed is %s, checked was %s", whole, e.Verdict.Tree)
	}
	if got, want := findings(e.Verdict.Findings), "info: both sides changed it: made again by its command in [[merge.regenerate]]: all.lock\n"+
		"info: both sides changed it: it has the lines of both, by [merge] union: NEWS\n"+
		"info: both sides changed it: it has the lines of both, by [merge] union: docs/a.log"; got != want {
		t.Errorf("the verdict says\n%s", got)
	}
	if y.secondJob().Conflict != nil {
		t.Errorf("kept: %+v", y.secondJob().Conflict)
	}
	if got := y.git("-C", y.clean(), "status", "--porcelain"); got != "" {
		t.Errorf("the clean worktree is left with %s", got)
	}
}

func (y *yard) evidence(id kedge.EvidenceID) (out kedge.Evidence) {
	y.t.Helper()
	for _, e := range y.book.evidence {
		if e.ID == id {
			out = e
		}
	}
	return out
}

// TestOnlyTheFilesOfTheRuleAreTaken: what else its command changes is gone.
func TestOnlyTheFilesOfTheRuleAreTaken(t *testing.T) {
	y := lockYard(t, lockSh+"echo more >> a.txt; echo new > new.txt; rm NEWS; echo x > more.lock; echo i > i.ignored\n")
	_, tip, tree := y.second(both("two"))
	in := y.want(run.Green, y.integrate(tip, tree))
	if got := y.git("-C", y.root, "ls-tree", "--name-only", in.Tree); strings.Contains(got, "new.txt") || !strings.Contains(got, "NEWS") || !strings.Contains(got, "more.lock") {
		t.Errorf("the tree holds\n%s", got)
	}
	if got := y.git("-C", y.root, "show", in.Tree+":a.txt"); got != "a" {
		t.Errorf("a.txt is %q", got)
	}
	if _, err := os.Stat(filepath.Join(y.clean(), "new.txt")); err == nil {
		t.Error("what the command made is left in the clean worktree")
	}
	if len(y.book.salvages) > 0 {
		t.Errorf("it is set aside: %+v", y.book.salvages)
	}
}

// TestACommandThatMakesNothingIsAConflict: the work is told so, carried, and then fits.
func TestACommandThatMakesNothingIsAConflict(t *testing.T) {
	for name, c := range map[string]struct{ command, why string }{
		"fails":     {"cat *.dep > all.lock; echo no network; exit 3\n", `; the command "sh lock.sh" failed: `},
		"untouched": {"true\n", `; the command "sh lock.sh" did not write the file all.lock again`},
		"markers":   {"printf '<<<<<<< a\\n=======\\n>>>>>>> b\\n' > all.lock\n", `; the command "sh lock.sh" left conflict markers in all.lock`},
	} {
		t.Run(name, func(t *testing.T) {
			y := lockYard(t, c.command)
			base, tip, tree := y.second(both("two"))
			in := y.twice(y.integrate(tip, tree))
			if in.Outcome != run.Conflicting || !strings.HasPrefix(in.Failure, "all.lock"+c.why) {
				t.Fatalf("integrated: %+v", in)
			}
			if got := y.git("-C", y.clean(), "status", "--porcelain"); got != "" || len(y.book.salvages) > 0 {
				t.Errorf("the clean worktree is left with %s; set aside: %+v", got, y.book.salvages)
			}
			k := y.secondJob().Conflict
			if k == nil || k.From != base || k.Onto != tip || k.Work != tree || strings.Join(k.Kept, " ") != "all.lock" || k.Carried || !strings.Contains(k.Why, "sh lock.sh") {
				t.Fatalf("kept: %+v", k)
			}
			y.want(run.OK, y.command(run.Prepare, 2, run.Command{Feature: "two", Base: tip, Carry: tree}))
			if got := y.read(y.slot(1), "all.lock") + y.read(y.slot(1), "NEWS"); got != "0\none\nbegin\none\ntwo\n" {
				t.Errorf("the carried work has %q", got)
			}
			if k := y.secondJob().Conflict; k == nil || !k.Carried || !k.Concerns(1) || k.Concerns(2) {
				t.Errorf("kept: %+v", k)
			}
		})
	}
}

// TestOneFileThatNoRuleCoversIsAConflict: nothing is made; the next attempt is told where
// the work is.
func TestOneFileThatNoRuleCoversIsAConflict(t *testing.T) {
	y := lockYard(t, "touch "+filepath.Join(t.TempDir(), "ran")+"; "+lockSh)
	work := both("two")
	work["one.dep"] = "one of two\n"
	work["all.lock"] = "0\none of two\ntwo\n"
	_, tip, tree := y.second(work)
	in := y.twice(y.integrate(tip, tree))
	if in.Outcome != run.Conflicting || in.Failure != "all.lock, one.dep" {
		t.Fatalf("integrated: %+v", in)
	}
	y.want(run.OK, y.command(run.Revert, 2, run.Command{Feature: "two", Base: tip, Reason: "conflict"}))
	y.prepared(2, "two", tip)
	k := y.secondJob().Conflict
	if k == nil || k.Carried || k.Salvage == "" || !k.Concerns(2) || k.Concerns(1) || k.Concerns(3) {
		t.Fatalf("kept: %+v", k)
	}
	if got := y.git("-C", y.slot(1), "diff", k.From[:12], k.Work[:12], "--", "one.dep"); !strings.Contains(got, "+one of two") {
		t.Errorf("in the worktree the work is %q", got)
	}
}

// TestRulesOfTheWorkDoNotCount: an agent cannot say how its own conflict is resolved.
func TestRulesOfTheWorkDoNotCount(t *testing.T) {
	y := newYard(t, nil)
	y.feature("one", own("true"))
	y.feature("two", own("true"))
	base := y.head()
	y.prepared(2, "two", base)
	y.put(y.slot(1), "a.txt", "of two\n")
	y.put(y.slot(1), ".kedge/config.toml", "version = 1\n[merge]\nunion = [\"a.txt\"]\n")
	tip := y.worked("one", base, map[string]string{"a.txt": "of one\n"})
	tree := y.gated(run.Green, 2, "two", base).Tree
	if in := y.want(run.Conflicting, y.integrate(tip, tree)); in.Failure != "a.txt" {
		t.Errorf("integrated: %+v", in)
	}
}

// TestACommandThatWasCutShortRunsAgain: under a holder it outlives who started it. What it
// would still write does not get between.
func TestACommandThatWasCutShortRunsAgain(t *testing.T) {
	y := lockYard(t, "echo half > all.lock; echo x >> \"$HOME/starts\"\n"+
		"if ! test -e \"$HOME/began\"; then touch \"$HOME/began\"; for n in $(seq 600); do sleep 0.1; done; fi\n"+lockSh)
	home := filepath.Dir(y.root)
	_, tip, tree := y.second(both("two"))
	y.held()
	c := y.integrate(tip, tree)
	ctx, leave := context.WithCancelCause(t.Context())
	left := make(chan error, 1)
	go func() {
		_, err := y.x.Do(ctx, c, func(run.Input) {})
		left <- err
	}()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(time.Minute); y.read(home, "starts") == ""; <-tick.C {
		if time.Now().After(deadline) {
			t.Fatal("the command does not start")
		}
	}
	leave(engine.ErrLeave)
	if err := <-left; !errors.Is(err, engine.ErrLeave) {
		t.Fatalf("it left with %v", err)
	}
	y.open()
	in := y.do(adopted(c))
	if in.Outcome != run.Green || y.git("-C", y.root, "show", in.Tree+":all.lock") != "0\none\ntwo" {
		t.Fatalf("integrated: %+v", in)
	}
	if got := y.read(home, "starts"); got != "x\nx\n" {
		t.Errorf("it started %d times", strings.Count(got, "x"))
	}
	y.open()
	c = adopted(c)
	again := y.do(adopted(c)) // answered once more: nothing is made again
	if again.Tree != in.Tree || again.Evidence != in.Evidence || y.read(home, "starts") != "x\nx\n" {
		t.Errorf("the third answer is %+v, the second was %+v", again, in)
	}
}
