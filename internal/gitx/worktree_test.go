package gitx_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/gitx"
)

func (r *repo) worktree(name string) string { return filepath.Join(r.home, "worktrees", name) }

func (r *repo) addWorktree(name, branch string) string {
	r.t.Helper()
	r.must(r.open().AddWorktree(r.t.Context(), gitx.WorktreeRequest{Path: r.worktree(name), Branch: branch, Base: "HEAD"}))
	return r.worktree(name)
}

func (r *repo) find(path string) kedge.Worktree {
	r.t.Helper()
	list, err := r.open().Worktrees(r.t.Context())
	r.must(err)
	for _, w := range list {
		if w.Path == path {
			return w
		}
	}
	r.t.Fatalf("no worktree %q in %+v", path, list)
	return kedge.Worktree{}
}

func TestAddWorktree(t *testing.T) {
	r := newRepo(t)
	r.write("bin/tool", "#!/bin/sh\n")
	r.must(os.Chmod(r.path("bin/tool"), 0o755))
	r.must(os.Symlink("tool", r.path("bin/link")))
	head := r.commit("second")
	r.write("untracked", "stays here\n")
	q := gitx.WorktreeRequest{Path: r.worktree("w1"), Branch: "kedge/w1", Base: "main"}
	for range 2 { // the second time finds it made
		r.must(r.open().AddWorktree(t.Context(), q))
	}
	if got := r.gitIn(q.Path, "status", "--porcelain", "--branch"); got != "## kedge/w1" {
		t.Errorf("status: %q", got)
	}
	if got := r.gitIn(q.Path, "rev-parse", "HEAD"); got != head {
		t.Errorf("HEAD %s, want %s", got, head)
	}
	q.Base, q.Path = head, r.worktree("w2")
	wantKind(t, r.open().AddWorktree(t.Context(), q), kedge.Conflict, "w2")
	q.Branch = ""
	r.must(r.open().AddWorktree(t.Context(), q))
	if _, err := r.tryGit(q.Path, "symbolic-ref", "-q", "HEAD"); err == nil {
		t.Error("no branch asked for, and HEAD is on one")
	}
}

func TestAddWorktreeFinishesWhatACrashLeft(t *testing.T) {
	r := newRepo(t)
	dir := r.worktree("w")
	r.git("worktree", "add", "-q", "--no-checkout", "-b", "b", dir)
	r.must(r.open().AddWorktree(t.Context(), gitx.WorktreeRequest{Path: dir, Branch: "b", Base: "main"}))
	if got := r.gitIn(dir, "status", "--porcelain"); got != "" {
		t.Errorf("status: %q", got)
	}
}

// TestAddWorktreeMarksAgain: what a crash left without Kedge's mark is Kedge's,
// what a person made is not.
func TestAddWorktreeMarksAgain(t *testing.T) {
	r := newRepo(t)
	r.git("worktree", "add", "-q", "--no-checkout", "-b", "b", r.worktree("w"))
	r.git("worktree", "add", "-q", "-b", "mine", r.worktree("mine"))
	for name, ours := range map[string]bool{"w": true, "mine": false} {
		branch := r.gitIn(r.worktree(name), "branch", "--show-current")
		r.must(r.open().AddWorktree(t.Context(), gitx.WorktreeRequest{Path: r.worktree(name), Branch: branch, Base: "main"}))
		if got := r.find(r.worktree(name)); got.Ours != ours {
			t.Errorf("%s: ours %v", name, got.Ours)
		}
	}
}

// TestAddWorktreeKeepsWhatIsThere: an index that is missing is no leave to write
// over files.
func TestAddWorktreeKeepsWhatIsThere(t *testing.T) {
	r := newRepo(t)
	r.write("b", "one\n")
	r.write("c/d", "one\n")
	r.commit("second")
	dir := r.addWorktree("w", "b")
	w := &repo{t: t, dir: dir, home: r.home, opt: r.opt}
	w.write("a", "precious\n")
	r.must(os.RemoveAll(w.path("c")))
	r.must(os.Remove(r.path(".git/worktrees/w/index")))
	r.addWorktree("w", "b")
	if w.read("a") != "precious\n" || w.read("c/d") != "one\n" {
		t.Errorf("a is %q", w.read("a"))
	}
	if got := w.git("status", "--porcelain"); got != "M a" {
		t.Errorf("status %q", got)
	}
}

func TestAddWorktreeConflicts(t *testing.T) {
	r := newRepo(t)
	old := r.git("rev-parse", "HEAD")
	r.git("branch", "taken")
	r.write("a", "two\n")
	r.commit("second")
	add := func(q gitx.WorktreeRequest) error { return r.open().AddWorktree(t.Context(), q) }
	wantKind(t, add(gitx.WorktreeRequest{Path: r.worktree("w"), Branch: "taken", Base: "main"}), kedge.Conflict, "exists already")
	wantKind(t, add(gitx.WorktreeRequest{Path: r.worktree("w"), Branch: "main", Base: "main"}), kedge.Conflict, "cannot be made")
	wantKind(t, add(gitx.WorktreeRequest{Path: r.worktree("w"), Branch: "new", Base: "nowhere"}), kedge.NotFound, "nowhere")
	r.must(os.MkdirAll(r.worktree("full"), 0o755))
	r.must(os.WriteFile(filepath.Join(r.worktree("full"), "x"), []byte("x"), 0o644))
	wantKind(t, add(gitx.WorktreeRequest{Path: r.worktree("full"), Branch: "new", Base: "main"}), kedge.Conflict, "full")
	r.must(add(gitx.WorktreeRequest{Path: r.worktree("w"), Branch: "taken", Base: old}))
	wantKind(t, add(gitx.WorktreeRequest{Path: r.worktree("w"), Branch: "taken", Base: "main"}), kedge.Conflict, "exists already")
}

func TestResetWorktreeKeepsIgnoredFiles(t *testing.T) {
	r := newRepo(t)
	r.write(".gitignore", "node_modules/\n")
	first := r.commit("second")
	dir := r.addWorktree("w", "b")
	r.write("a", "newer\n")
	r.write("added/file", "x\n")
	second := r.commit("third")
	w := &repo{t: t, dir: dir, home: r.home, opt: r.opt}
	w.write("node_modules/dep/index.js", "dependency")
	w.write("untracked/deep/file", "work\n")
	w.write("a", "dirty\n")
	s := w.salvage(newSalvageID())

	r.must(r.open().ResetWorktree(t.Context(), gitx.ResetRequest{Dir: dir, To: second, Head: first, Expect: s.Tree}))

	if got := w.git("status", "--porcelain", "--branch"); got != "## b" {
		t.Errorf("status: %q", got)
	}
	if got := w.git("rev-parse", "b"); got != second {
		t.Errorf("b is %s, want %s", got, second)
	}
	if w.read("node_modules/dep/index.js") != "dependency" || w.read("a") != "newer\n" || w.read("added/file") != "x\n" {
		t.Error("wrong content after the reset")
	}
	if _, err := os.Lstat(w.path("untracked")); err == nil {
		t.Error("untracked files are still there")
	}
	r.must(r.open().ResetWorktree(t.Context(), gitx.ResetRequest{Dir: dir, To: second, Head: first, Expect: s.Tree})) // twice is once
}

// TestResetWorktreeRefusesToLose: neither changes, nor commits, nor ignored
// files are lost by a reset.
func TestResetWorktreeRefusesToLose(t *testing.T) {
	r := newRepo(t)
	base := r.git("rev-parse", "HEAD")
	r.write(".gitignore", "*.log\n")
	r.write("out.log", "now a tracked file\n")
	r.git("add", "-f", "out.log")
	later := r.commit("second")
	r.git("checkout", "-q", "-b", "side", base)
	dir := r.addWorktree("w", "b")
	w := &repo{t: t, dir: dir, home: r.home, opt: r.opt}
	clean := w.tree()
	reset := func(to, expect string) error {
		return r.open().ResetWorktree(t.Context(), gitx.ResetRequest{Dir: dir, To: to, Head: base, Expect: expect})
	}

	w.write("a", "dirty\n")
	wantKind(t, reset(later, clean), kedge.Conflict, "not saved")
	w.write("a", "one\n")

	r.must(os.WriteFile(filepath.Join(r.dir, ".git", "info", "exclude"), []byte("out.log\n"), 0o644))
	w.write("out.log", "precious ignored output\n")
	wantKind(t, reset(later, clean), kedge.Conflict, `ignored file "out.log"`)
	if w.read("out.log") != "precious ignored output\n" {
		t.Error("the ignored file was replaced")
	}
	r.must(os.Remove(w.path("out.log")))

	w.write("a", "committed only here\n")
	only := w.commit("only here")
	err := r.open().ResetWorktree(t.Context(), gitx.ResetRequest{Dir: dir, To: later, Head: only, Expect: w.tree()})
	wantKind(t, err, kedge.Conflict, "on no other branch")
	w.git("branch", "keep")
	r.must(r.open().ResetWorktree(t.Context(), gitx.ResetRequest{Dir: dir, To: later, Head: only, Expect: w.tree()}))
}

// TestF16UserMovesThingsMeanwhile: a removed worktree, a moved HEAD and a
// deleted branch are found out, and nothing is reset.
func TestF16UserMovesThingsMeanwhile(t *testing.T) {
	r := newRepo(t)
	base := r.git("rev-parse", "HEAD")
	dir := r.addWorktree("w", "b")
	w := &repo{t: t, dir: dir, home: r.home, opt: r.opt}
	clean := w.tree()
	w.write("a", "the user's\n")
	users := w.commit("by the user")
	r.write("a", "two\n")
	next := r.commit("second")
	err := r.open().ResetWorktree(t.Context(), gitx.ResetRequest{Dir: dir, To: next, Head: base, Expect: clean})
	wantKind(t, err, kedge.Conflict, "has moved to "+users[:12])
	if w.git("rev-parse", "HEAD") != users || w.read("a") != "the user's\n" {
		t.Error("the user's commit was reset")
	}
	w.git("checkout", "-q", "--detach")
	r.git("branch", "-D", "b")
	wantKind(t, r.open().UpdateRef(t.Context(), "refs/heads/b", next, base), kedge.Conflict, "stands at nothing")
	r.must(os.RemoveAll(dir))
	err = r.open().ResetWorktree(t.Context(), gitx.ResetRequest{Dir: dir, To: next, Head: users, Expect: clean})
	wantKind(t, err, kedge.NotFound, "no folder")
	if got := r.find(dir); got.Bytes != -1 || got.OwnerPID != -1 || !got.Dirty {
		t.Errorf("a worktree that is gone must be unknown: %+v", got)
	}
}

// TestRow21WorktreeFigures: size, age, owner, dirty and merged are told apart.
func TestRow21WorktreeFigures(t *testing.T) {
	r := newRepo(t)
	dir := r.addWorktree("w", "b")
	w := &repo{t: t, dir: dir, home: r.home, opt: r.opt}
	got := r.find(dir)
	if got.Branch != "b" || got.Head != r.git("rev-parse", "HEAD") || got.Dirty || got.Main || !got.Ours || !got.Merged || got.Bytes <= 0 || got.At.IsZero() {
		t.Errorf("fresh: %+v", got)
	}
	if m := r.find(r.dir); !m.Main || m.Ours {
		t.Errorf("main: %+v", m)
	}
	w.write("untracked", strings.Repeat("x", 1000))
	if more := r.find(dir); !more.Dirty || more.Bytes != got.Bytes+1000 {
		t.Errorf("untracked: %+v, before %+v", more, got)
	}
	w.git("add", "untracked")
	if !r.find(dir).Dirty {
		t.Error("staged work is not dirty")
	}
	w.commit("own commit")
	if got := r.find(dir); got.Dirty || got.Merged {
		t.Errorf("own commit: %+v", got)
	}
	if _, err := os.Stat("/proc/self/cwd"); err == nil {
		if pid := got.OwnerPID; pid != 0 {
			t.Errorf("nobody is in it, owner is %d", pid)
		}
		q := gitx.WorktreeRequest{Path: r.worktree("owned"), Branch: "o", Base: "HEAD", Owner: os.Getpid()}
		r.must(r.open().AddWorktree(t.Context(), q))
		if got := r.find(q.Path); got.OwnerPID != os.Getpid() {
			t.Errorf("owner is %d, want %d", got.OwnerPID, os.Getpid())
		}
	}
}

// TestRow21RemovalIsFinished: wherever a removal crashed, the same request
// finishes it, and looks again before anything is deleted.
func TestRow21RemovalIsFinished(t *testing.T) {
	for name, c := range map[string]struct {
		state string
		crash func(w *repo, aside string)
		stays string
	}{
		"before the move": {"aside\n", func(*repo, string) {}, ""},
		"after the move":  {"aside\n", func(w *repo, aside string) { w.must(os.Rename(w.dir, aside)) }, ""},
		"on the way": {"going\n", func(w *repo, aside string) {
			w.must(os.Rename(w.dir, aside))
			w.must(os.Remove(filepath.Join(aside, ".git")))
		}, ""},
		"before it was forgotten": {"going\n", func(w *repo, _ string) { w.must(os.RemoveAll(w.dir)) }, ""},
		"and something came": {"aside\n", func(w *repo, aside string) {
			w.write("new", "precious\n")
			w.must(os.Rename(w.dir, aside))
		}, "changes that are not committed"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			dir := r.addWorktree("w", "b")
			aside := dir + ".kedge-removing"
			r.must(os.WriteFile(r.path(".git/worktrees/w/kedge-removing"), []byte(c.state), 0o600))
			if !r.open().Removing(dir) {
				t.Error("nobody knows that it is being removed")
			}
			c.crash(&repo{t: t, dir: dir, home: r.home, opt: r.opt}, aside)
			err := r.open().RemoveWorktree(t.Context(), dir)
			if _, lost := os.Lstat(aside); lost == nil {
				t.Error("the folder is still aside")
			}
			if c.stays != "" {
				wantKind(t, err, kedge.Conflict, c.stays)
				if got := r.gitIn(dir, "status", "--porcelain"); got != "?? new" || r.find(dir).Bytes < 0 {
					t.Errorf("not put back: %q", got)
				}
				r.must(os.Remove(filepath.Join(dir, "new")))
				err = r.open().RemoveWorktree(t.Context(), dir)
			}
			r.must(err)
			if got := r.git("worktree", "list"); strings.Contains(got, "\n") {
				t.Errorf("still known:\n%s", got)
			}
			wantKind(t, r.open().RemoveWorktree(t.Context(), dir), kedge.NotFound, "no folder")
		})
	}
}

// TestWorktreeWhoseFolderIsGoneIsNotForgotten: it may be on a disk that is not
// there today.
func TestWorktreeWhoseFolderIsGoneIsNotForgotten(t *testing.T) {
	r := newRepo(t)
	dir := r.addWorktree("w", "b")
	r.must(os.Rename(dir, dir+"-elsewhere"))
	wantKind(t, r.open().RemoveWorktree(t.Context(), dir), kedge.NotFound, "no folder")
	r.must(os.Rename(dir+"-elsewhere", dir))
	r.find(dir)
}

// TestRow21RemoveOnlyWhatHoldsNothing: a worktree with anything of its own stays.
func TestRow21RemoveOnlyWhatHoldsNothing(t *testing.T) {
	r := newRepo(t)
	r.write(".gitignore", "ignored/\n")
	r.commit("second")
	n := 0
	for name, spoil := range map[string]func(w *repo){
		"changes that are not committed": func(w *repo) { w.write("a", "dirty\n") },
		"are not committed":              func(w *repo) { w.write("new", "untracked\n") },
		"holds the repository":           func(w *repo) { w.write("ignored/x", "x"); w.gitIn(w.path("ignored"), "init", "-q", "nested") },
		"on no branch":                   func(w *repo) { w.git("checkout", "-q", "--detach"); w.write("a", "x"); w.commit("lost") },
		"locked":                         func(w *repo) { w.git("worktree", "lock", w.dir) },
		"has ignored files: .env, ignored/": func(w *repo) {
			w.must(os.WriteFile(r.path(".git/info/exclude"), []byte(".env\n"), 0o644))
			w.write(".env", "SECRET=1\n")
			w.write("ignored/x", "x")
		},
	} {
		n++
		dir := r.addWorktree(fmt.Sprintf("w%d", n), fmt.Sprintf("b%d", n))
		spoil(&repo{t: t, dir: dir, home: r.home, opt: r.opt})
		wantKind(t, r.open().RemoveWorktree(t.Context(), dir), kedge.Conflict, name)
		if _, err := os.Lstat(dir); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	wantKind(t, r.open().RemoveWorktree(t.Context(), r.dir), kedge.Conflict, "main one")
	dir := r.addWorktree("clean", "clean")
	r.must(r.open().RemoveWorktree(t.Context(), dir))
	if _, err := os.Lstat(dir); err == nil {
		t.Error("a clean worktree is still there")
	}
	r.git("rev-parse", "--verify", "clean") // its branch stays
}

// TestDropBranch: a branch goes only where another has all its commits and no work
// tree stands on it.
func TestDropBranch(t *testing.T) {
	for name, of := range map[string]struct {
		make  func(r *repo)
		stays string
	}{
		"held":      {func(r *repo) { r.git("branch", "run") }, ""},
		"not there": {func(*repo) {}, ""},
		"commits of it": {func(r *repo) {
			r.git("switch", "-qc", "run")
			r.write("a", "2\n")
			r.commit("own")
			r.git("switch", "-q", "main")
		}, `its commits are not on branch "main"`},
		"checked out": {func(r *repo) { r.git("switch", "-qc", "run") }, "it is checked out in"},
		"no holder": {func(r *repo) {
			r.git("branch", "run")
			r.git("switch", "-q", "--detach")
			r.git("branch", "-D", "main")
		}, `there is no branch "main"`},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			r.write("a", "1\n")
			r.commit("first")
			of.make(r)
			was := r.git("branch", "--list", "run")
			told, err := r.open().BranchStays(t.Context(), "run", "main", nil)
			r.must(err)
			gone, stays, err := r.open().DropBranch(t.Context(), "run", "main")
			r.must(err)
			if told != stays || gone != (was != "" && stays == "") {
				t.Errorf("it would stay because %q, and stays because %q; taken away: %v", told, stays, gone)
			}
			if now := r.git("branch", "--list", "run"); !strings.HasPrefix(stays, of.stays) || (of.stays == "") != (stays == "") || of.stays == "" && now != "" || of.stays != "" && now != was {
				t.Errorf("it says %q, the branch was %q and is %q", stays, was, now)
			}
		})
	}
}
