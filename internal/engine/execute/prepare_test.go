package execute_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kedge"
	"kedge/internal/core/run"
)

func TestRow20EveryJobHasItsOwnWorkTree(t *testing.T) {
	y := newYard(t, nil)
	y.feature("one")
	y.feature("two")
	before := y.status()
	y.prepared(1, "one", y.head())
	y.prepared(2, "two", y.head())
	y.put(y.slot(1), "a.txt", "of one\n")
	y.put(y.slot(2), "new.txt", "of two\n")
	if y.read(y.slot(2), "a.txt") != "a\n" || y.read(y.slot(1), "new.txt") != "" {
		t.Error("one job sees the files of the other")
	}
	if y.read(y.root, "a.txt") != "a\n" || y.read(y.root, "new.txt") != "" || y.status() != before {
		t.Errorf("the user's checkout is touched: %s", y.status())
	}
	y.prepared(3, "one", y.head()) // a third one while both are busy
	if y.read(y.slot(3), "a.txt") != "a\n" {
		t.Error("the third job has no worktree of its own")
	}
}

func TestPrepareSaysWhereItStands(t *testing.T) {
	y := newYard(t, nil)
	c := y.command(run.Prepare, 1, run.Command{Base: y.head()})
	ev := y.twice(c)
	if ev.Outcome != run.OK || ev.Commit != y.head() {
		t.Errorf("prepared %+v", ev)
	}
	for _, name := range []string{"/", "path:", "setup:none", "rules:"} {
		if !strings.Contains(ev.Environment, name) {
			t.Errorf("the environment is %q", ev.Environment)
		}
	}
	tree := y.git("-C", y.root, "ls-tree", "-r", "--name-only", ev.Tree)
	if strings.Contains(tree, ".kedge") || !strings.Contains(tree, "a.txt") {
		t.Errorf("the tree of a run event holds\n%s", tree)
	}
	y.put(y.root, ".kedge/gate.toml", strings.Replace(gateOK, "check.sh", "other.sh", 1))
	y.git("-C", y.root, "commit", "-qam", "other rules")
	again := y.prepared(1, "", y.head())
	if again.Tree != ev.Tree || again.Environment == ev.Environment {
		t.Error("a verdict under other rules would pass for one under these")
	}
}

func TestRow98WhatIsThereIsSetAside(t *testing.T) {
	y := newYard(t, nil)
	y.prepared(1, "", y.head())
	y.put(y.slot(1), "a.txt", "half done\n")
	y.put(y.slot(1), "new.txt", "untracked\n")
	y.put(y.slot(1), "cache.ignored", "dependencies\n")
	y.put(y.root, "mine.txt", "the user's\n")
	base := y.head()
	c := y.command(run.Revert, 1, run.Command{Feature: "", Base: base, Reason: "its checks are red"})
	if ev := y.brokenOff(c); ev.Outcome != run.OK {
		t.Fatalf("reverted: %+v", ev)
	}
	if y.read(y.slot(1), "a.txt") != "a\n" || y.read(y.slot(1), "new.txt") != "" {
		t.Error("the worktree is not at its base")
	}
	if y.read(y.slot(1), "cache.ignored") != "dependencies\n" {
		t.Error("an ignored file is gone")
	}
	if y.read(y.root, "mine.txt") != "the user's\n" || y.head() != base {
		t.Error("the user's checkout is touched")
	}
	if len(y.book.salvages) == 0 {
		t.Fatal("nothing was set aside")
	}
	s := y.book.salvages[0] // a reset that is broken off halfway leaves one more, of what was left
	if got := y.git("-C", y.root, "show", s.Ref+":a.txt") + y.git("-C", y.root, "show", s.Ref+":new.txt"); got != "half doneuntracked" {
		t.Errorf("the salvage holds %q", got)
	}
	if !strings.Contains(s.Reason, "its checks are red") {
		t.Errorf("the salvage says %q", s.Reason)
	}
}

func TestAnAgentsOwnCommitsAreKept(t *testing.T) {
	for name, commands := range map[string][][]string{
		"detached":  {{"commit", "-qam", "mine"}},
		"on branch": {{"switch", "-qc", "mine"}, {"commit", "-qam", "mine"}},
	} {
		t.Run(name, func(t *testing.T) {
			y := newYard(t, nil)
			y.prepared(1, "", y.head())
			y.put(y.slot(1), "a.txt", "committed\n")
			for _, args := range commands {
				y.git(append([]string{"-C", y.slot(1)}, args...)...)
			}
			sha := y.git("-C", y.slot(1), "rev-parse", "HEAD")
			main := y.head()
			y.want(run.OK, y.command(run.Revert, 1, run.Command{Base: main, Reason: "why"}))
			if y.read(y.slot(1), "a.txt") != "a\n" {
				t.Error("not at the base")
			}
			if refs := y.git("-C", y.root, "for-each-ref", "--contains", sha); refs == "" {
				t.Error("the agent's commit is on no ref")
			}
			if y.head() != main {
				t.Error("the user's branch moved")
			}
		})
	}
}

func TestSetup(t *testing.T) {
	cfg := "version = 1\n[worktree]\nsetup = \"mkdir -p deps && cat lock >> deps/installed && cat lock\"\ninputs = [\"lock\"]\n"
	y := newYard(t, map[string]string{".kedge/config.toml": cfg, "lock": "v1\n"})
	first := y.prepared(1, "", y.head())
	if got := y.read(y.slot(1), "deps/installed"); got != "v1\n" {
		t.Fatalf("installed %q", got)
	}
	y.prepared(1, "", y.head())
	if got := y.read(y.slot(1), "deps/installed"); got != "v1\n" {
		t.Errorf("the setup ran again for the same inputs: %q", got)
	}
	y.put(y.root, "lock", "v2\n")
	y.git("-C", y.root, "commit", "-qam", "second")
	second := y.prepared(1, "", y.head())
	if got := y.read(y.slot(1), "deps/installed"); got != "v1\nv2\n" {
		t.Errorf("with other inputs: %q", got)
	}
	if first.Environment == second.Environment {
		t.Error("another setup is the same environment")
	}
}

func TestSetupThatFailsBlocksBeforeAnyAgent(t *testing.T) {
	for name, of := range map[string]struct{ setup, says string }{
		"fails":        {"echo 'npm ERR! no such package: left-pad' >&2; exit 1", "left-pad"},
		"absent":       {"no-such-installer ci", "no-such-installer"},
		"dirties":      {"echo x > made-by-setup", "made-by-setup"},
		"edits a file": {"echo x >> a.txt", "a.txt"},
	} {
		t.Run(name, func(t *testing.T) {
			y := newYard(t, map[string]string{".kedge/config.toml": "version = 1\n[worktree]\nsetup = \"" + of.setup + "\"\n"})
			c := y.command(run.Prepare, 1, run.Command{Base: y.head()})
			ev := y.want(run.CannotRun, c)
			if !strings.Contains(ev.Reason, of.says) {
				t.Errorf("it says %q", ev.Reason)
			}
		})
	}
}

func TestCopiedFiles(t *testing.T) {
	cfg := "version = 1\n[worktree]\ncopy = [\".env\", \"deps\", \"absent\"]\n"
	y := newYard(t, map[string]string{".kedge/config.toml": cfg})
	y.put(y.root, ".env", "A=1\n")
	y.put(y.root, "deps/a/b", "deep\n")
	y.must(os.Chmod(filepath.Join(y.root, ".env"), 0o600))
	y.prepared(1, "", y.head())
	if y.read(y.slot(1), ".env") != "A=1\n" || y.read(y.slot(1), "deps/a/b") != "deep\n" {
		t.Error("the files are not there")
	}
	if fi, err := os.Stat(filepath.Join(y.slot(1), ".env")); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", fi, err)
	}
	outside := t.TempDir()
	y.must(os.RemoveAll(filepath.Join(y.slot(1), "deps")))
	y.must(os.Symlink(outside, filepath.Join(y.slot(1), "deps"))) // an agent's trap
	c := y.command(run.Prepare, 1, run.Command{Base: y.head()})
	_, err := y.x.Do(t.Context(), c, func(run.Input) {})
	if entries, _ := os.ReadDir(outside); len(entries) > 0 {
		t.Errorf("a link led out of the worktree (%v)", err)
	}
}

func TestWhatGitDoesNotIgnoreIsNotCopied(t *testing.T) {
	cfg := "version = 1\n[worktree]\ncopy = [\"secrets.txt\"]\n"
	y := newYard(t, map[string]string{".kedge/config.toml": cfg})
	y.put(y.root, "secrets.txt", "hush\n")
	ev := y.want(run.CannotRun, y.command(run.Prepare, 1, run.Command{Base: y.head()}))
	if !strings.Contains(ev.Reason, "secrets.txt") || !strings.Contains(ev.Reason, ".gitignore") {
		t.Errorf("it says %q", ev.Reason)
	}
	if y.read(y.slot(1), "secrets.txt") != "" {
		t.Error("it would have been committed")
	}
}

func TestSubmodules(t *testing.T) {
	y := newYard(t, nil)
	lib := filepath.Join(t.TempDir(), "lib")
	y.git("init", "-q", "-b", "main", lib)
	y.put(lib, "lib.txt", "lib\n")
	y.git("-C", lib, "add", "-A")
	y.git("-C", lib, "commit", "-qm", "lib")
	y.git("-C", y.root, "-c", "protocol.file.allow=always", "submodule", "add", "-q", lib, "vendor/lib")
	y.git("-C", y.root, "commit", "-qm", "with lib")
	y.twice(y.command(run.Prepare, 1, run.Command{Base: y.head()}))
	if y.read(y.slot(1), "vendor/lib/lib.txt") != "lib\n" {
		t.Error("the submodule is empty")
	}
	old := y.head()
	y.put(lib, "lib.txt", "lib 2\n")
	y.git("-C", lib, "commit", "-qam", "lib 2")
	y.git("-C", filepath.Join(y.root, "vendor/lib"), "pull", "-q")
	y.git("-C", y.root, "commit", "-qam", "with lib 2")
	y.prepared(1, "", y.head())
	if got := y.read(y.slot(1), "vendor/lib/lib.txt"); got != "lib 2\n" {
		t.Errorf("the submodule is at %q", got)
	}
	y.feature("back") // whose work is to go back to the old one
	y.prepared(2, "back", y.head())
	y.git("-C", filepath.Join(y.slot(2), "vendor/lib"), "checkout", "-q", "HEAD^")
	tree := y.gated(run.Green, 2, "back", y.head()).Tree
	y.integrated(run.Green, 2, "back", y.head(), tree)
	if got := y.read(y.clean(), "vendor/lib/lib.txt"); got != "lib\n" {
		t.Errorf("what is judged has the submodule at %q", got)
	}
	for job := range 2 {
		y.must(y.cfg.Slots.Release(t.Context(), runID, job+1))
	}
	y.cfg.Briefs = mute{}
	y.x = newExecutor(y)
	y.do(y.command(run.Notify, 0, run.Command{Text: string(run.StatusDone)}))
	if list := y.git("-C", y.root, "worktree", "list"); strings.Contains(list, "\n") {
		t.Errorf("left:\n%s", list)
	}
	y.must(os.RemoveAll(filepath.Join(y.root, ".git", "modules")))
	ev := y.want(run.CannotRun, y.command(run.Prepare, 1, run.Command{Base: old}))
	if !strings.Contains(ev.Reason, `"vendor/lib" was never fetched`) || !strings.Contains(ev.Reason, "git submodule update --init") {
		t.Errorf("it says %q", ev.Reason)
	}
}

func TestASlotThatSomebodyRemovedIsMadeAnew(t *testing.T) {
	y := newYard(t, nil)
	y.prepared(1, "", y.head())
	y.must(os.RemoveAll(y.slot(1)))
	y.prepared(1, "", y.head())
	if y.read(y.slot(1), "a.txt") != "a\n" {
		t.Error("it is not there")
	}
}

func TestAnAgentThatMakesARepositoryOfItsOwn(t *testing.T) {
	for name, meddle := range map[string]func(y *yard){
		"git init":    func(y *yard) { y.must(os.Remove(y.slot(1) + "/.git")); y.git("init", "-q", y.slot(1)) },
		"removed":     func(y *yard) { y.must(os.Remove(y.slot(1) + "/.git")) },
		"points away": func(y *yard) { y.put(y.slot(1), ".git", "gitdir: "+y.root+"/.git\n") },
		"a link to main": func(y *yard) {
			y.must(os.Remove(y.slot(1) + "/.git"))
			y.must(os.Symlink(y.root+"/.git", y.slot(1)+"/.git"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			y := newYard(t, nil)
			y.feature("one", own("grep -q done a.txt"))
			base := y.head()
			y.prepared(1, "one", base)
			meddle(y)
			y.put(y.slot(1), "a.txt", "done\n")
			tree := y.gated(run.Green, 1, "one", base).Tree
			y.inspected(run.Clean, base, tree)
			y.want(run.OK, y.command(run.Revert, 1, run.Command{Base: base, Reason: "why"}))
			if y.read(y.slot(1), "a.txt") != "a\n" || y.head() != base || y.status() != "## main" {
				t.Errorf("not put back, or the checkout is touched: %s", y.status())
			}
		})
	}
}

func TestNoSlotOfSomebodyElse(t *testing.T) {
	if _, err := os.Stat("/proc/self/cwd"); err != nil {
		t.Skip("no /proc: where a process works cannot be seen")
	}
	y := newYard(t, nil)
	y.prepared(1, "", y.head())
	y.must(y.cfg.Slots.Release(t.Context(), runID, 1))
	line := newSleeper(t, y.slot(1))
	y.prepared(2, "", y.head())
	if j, err := y.cfg.Slots.Job(runID, 2); err != nil || j.Slot != 2 {
		t.Errorf("job 2 has slot %d, %v, where a process works", j.Slot, err)
	}
	line()
	y.prepared(3, "", y.head())
	if j, err := y.cfg.Slots.Job(runID, 3); err != nil || j.Slot != 1 {
		t.Errorf("job 3 has slot %d, %v", j.Slot, err)
	}
}

func TestNothingIsLeftOfARun(t *testing.T) {
	y := newYard(t, map[string]string{".kedge/config.toml": "version = 1\n[worktree]\nsetup = \"mkdir -p deps && echo x > deps/x\"\n"})
	y.feature("one")
	tip := y.worked("one", y.head(), map[string]string{"b.txt": "b\n"})
	y.must(y.cfg.Slots.Release(t.Context(), runID, 1))
	y.prepared(2, "one", tip)
	y.put(y.slot(1), "half.txt", "half\n")
	y.must(y.cfg.Slots.Release(t.Context(), runID, 2))
	saved := len(y.book.salvages)
	if saved != 0 {
		t.Errorf("work that was merged is salvaged: %+v", y.book.salvages)
	}
	y.cfg.Briefs = mute{}
	y.x = newExecutor(y)
	y.do(y.command(run.Notify, 0, run.Command{Text: string(run.StatusDone)}))
	if list := y.git("-C", y.root, "worktree", "list"); strings.Contains(list, "\n") {
		t.Errorf("left:\n%s", list)
	}
	if len(y.book.salvages) != saved+1 || y.git("-C", y.root, "show", y.book.salvages[saved].Ref+":half.txt") != "half" {
		t.Errorf("unfinished work is not set aside: %+v", y.book.salvages)
	}
	if got := y.git("-C", y.root, "rev-parse", "kedge/"+string(runID)); got != tip {
		t.Errorf("the integration branch is at %s", got)
	}
	entries, err := filepath.Glob(filepath.Join(y.home, "worktrees", "prj", "slot-*"))
	if err != nil || len(entries) > 0 {
		t.Errorf("left: %v, %v", entries, err)
	}
	if !kedge.ValidID("run", string(runID)) {
		t.Error("the fixture's id")
	}
}

// TestAStoppedRunKeepsItsSlots: whoever goes on finds what setup made; only when
// all is done they go, and what is left of them on the disk with the next start.
func TestAStoppedRunKeepsItsSlots(t *testing.T) {
	y := newYard(t, map[string]string{
		".kedge/config.toml": "version = 1\n[worktree]\nsetup = \"mkdir -p deps && echo x >> deps/installed\"\n",
	})
	y.feature("one")
	y.prepared(1, "one", y.head())
	y.must(y.cfg.Slots.Release(t.Context(), runID, 1))
	y.cfg.Briefs = mute{}
	y.x = newExecutor(y)
	y.do(y.command(run.Notify, 0, run.Command{Text: string(run.StatusStopped)}))
	y.prepared(2, "one", y.head())
	j, err := y.cfg.Slots.Job(runID, 2)
	y.must(err)
	if got := y.read(y.slot(j.Slot), "deps/installed"); j.Slot != 1 || got != "x\n" {
		t.Errorf("the next job has slot %d, set up: %q", j.Slot, got)
	}
	y.must(y.cfg.Slots.Release(t.Context(), runID, 2))

	root := filepath.Join(y.home, "worktrees", "prj")
	killed := filepath.Join(root, "gone-before", "deps", "a", "b", "c", "d", "e")
	y.must(os.MkdirAll(killed, 0o700))
	y.put(killed, "x", "x")
	y.must(os.Chmod(filepath.Dir(killed), 0o500))
	y.x.Sweep()
	y.nothingIn(root, "gone-*")
	y.do(y.command(run.Notify, 0, run.Command{Text: string(run.StatusDone)}))
	if left, err := filepath.Glob(filepath.Join(root, "slot-*")); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
	y.nothingIn(root, "gone-*")
}

// nothingIn waits until nothing of the name is there.
func (y *yard) nothingIn(dir, name string) {
	y.t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for guard := time.After(3 * time.Minute); ; {
		left, err := filepath.Glob(filepath.Join(dir, name))
		y.must(err)
		if len(left) == 0 {
			return
		}
		select {
		case <-tick.C:
		case <-guard:
			y.t.Fatalf("still there: %v", left)
		}
	}
}
