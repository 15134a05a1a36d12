package worktree_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/git"
	"kedge/internal/testkit/gittest"
)

func find(r *gittest.Repo, path string) kedge.Worktree {
	r.T.Helper()
	list, err := r.Open().Worktrees(r.T.Context())
	r.Must(err)
	for _, w := range list {
		if w.Path == path {
			return w
		}
	}
	r.T.Fatalf("no worktree %q in %+v", path, list)
	return kedge.Worktree{}
}

func TestAddWorktree(t *testing.T) {
	r := gittest.New(t)
	r.Write("bin/tool", "#!/bin/sh\n")
	r.Must(os.Chmod(r.Path("bin/tool"), 0o755))
	r.Must(os.Symlink("tool", r.Path("bin/link")))
	head := r.Commit("second")
	r.Write("untracked", "stays here\n")
	q := git.WorktreeRequest{Path: r.Worktree("w1"), Branch: "kedge/w1", Base: "main"}
	for range 2 { // the second time finds it made
		r.Must(r.Open().AddWorktree(t.Context(), q))
	}
	if got := r.GitIn(q.Path, "status", "--porcelain", "--branch"); got != "## kedge/w1" {
		t.Errorf("status: %q", got)
	}
	if got := r.GitIn(q.Path, "rev-parse", "HEAD"); got != head {
		t.Errorf("HEAD %s, want %s", got, head)
	}
	q.Base, q.Path = head, r.Worktree("w2")
	gittest.WantKind(t, r.Open().AddWorktree(t.Context(), q), kedge.Conflict, "w2")
	q.Branch = ""
	r.Must(r.Open().AddWorktree(t.Context(), q))
	if _, err := r.TryGit(q.Path, "symbolic-ref", "-q", "HEAD"); err == nil {
		t.Error("no branch asked for, and HEAD is on one")
	}
}

func TestAddWorktreeFinishesWhatACrashLeft(t *testing.T) {
	r := gittest.New(t)
	dir := r.Worktree("w")
	r.Git("worktree", "add", "-q", "--no-checkout", "-b", "b", dir)
	r.Must(r.Open().AddWorktree(t.Context(), git.WorktreeRequest{Path: dir, Branch: "b", Base: "main"}))
	if got := r.GitIn(dir, "status", "--porcelain"); got != "" {
		t.Errorf("status: %q", got)
	}
}

// TestAddWorktreeMarksAgain: what a crash left without Kedge's mark is Kedge's,
// what a person made is not.
func TestAddWorktreeMarksAgain(t *testing.T) {
	r := gittest.New(t)
	r.Git("worktree", "add", "-q", "--no-checkout", "-b", "b", r.Worktree("w"))
	r.Git("worktree", "add", "-q", "-b", "mine", r.Worktree("mine"))
	for name, ours := range map[string]bool{"w": true, "mine": false} {
		branch := r.GitIn(r.Worktree(name), "branch", "--show-current")
		r.Must(r.Open().AddWorktree(t.Context(), git.WorktreeRequest{Path: r.Worktree(name), Branch: branch, Base: "main"}))
		if got := find(r, r.Worktree(name)); got.Ours != ours {
			t.Errorf("%s: ours %v", name, got.Ours)
		}
	}
}

// TestAddWorktreeKeepsWhatIsThere: an index that is missing is no leave to write
// over files.
func TestAddWorktreeKeepsWhatIsThere(t *testing.T) {
	r := gittest.New(t)
	r.Write("b", "one\n")
	r.Write("c/d", "one\n")
	r.Commit("second")
	dir := r.AddWorktree("w", "b")
	w := &gittest.Repo{T: t, Dir: dir, Home: r.Home, Opt: r.Opt}
	w.Write("a", "precious\n")
	r.Must(os.RemoveAll(w.Path("c")))
	r.Must(os.Remove(r.Path(".git/worktrees/w/index")))
	r.AddWorktree("w", "b")
	if w.Read("a") != "precious\n" || w.Read("c/d") != "one\n" {
		t.Errorf("a is %q", w.Read("a"))
	}
	if got := w.Git("status", "--porcelain"); got != "M a" {
		t.Errorf("status %q", got)
	}
}

func TestAddWorktreeConflicts(t *testing.T) {
	r := gittest.New(t)
	old := r.Git("rev-parse", "HEAD")
	r.Git("branch", "taken")
	r.Write("a", "two\n")
	r.Commit("second")
	add := func(q git.WorktreeRequest) error { return r.Open().AddWorktree(t.Context(), q) }
	gittest.WantKind(t, add(git.WorktreeRequest{Path: r.Worktree("w"), Branch: "taken", Base: "main"}), kedge.Conflict, "exists already")
	gittest.WantKind(t, add(git.WorktreeRequest{Path: r.Worktree("w"), Branch: "main", Base: "main"}), kedge.Conflict, "cannot make the worktree")
	gittest.WantKind(t, add(git.WorktreeRequest{Path: r.Worktree("w"), Branch: "new", Base: "nowhere"}), kedge.NotFound, "nowhere")
	r.Must(os.MkdirAll(r.Worktree("full"), 0o755))
	r.Must(os.WriteFile(filepath.Join(r.Worktree("full"), "x"), []byte("x"), 0o644))
	gittest.WantKind(t, add(git.WorktreeRequest{Path: r.Worktree("full"), Branch: "new", Base: "main"}), kedge.Conflict, "full")
	r.Must(add(git.WorktreeRequest{Path: r.Worktree("w"), Branch: "taken", Base: old}))
	gittest.WantKind(t, add(git.WorktreeRequest{Path: r.Worktree("w"), Branch: "taken", Base: "main"}), kedge.Conflict, "exists already")
}

// TestRow21WorktreeFigures: size, age, owner, dirty and merged are told apart.
func TestRow21WorktreeFigures(t *testing.T) {
	r := gittest.New(t)
	dir := r.AddWorktree("w", "b")
	w := &gittest.Repo{T: t, Dir: dir, Home: r.Home, Opt: r.Opt}
	got := find(r, dir)
	if got.Branch != "b" || got.Head != r.Git("rev-parse", "HEAD") || got.Dirty || got.Main || !got.Ours || !got.Merged || got.Bytes <= 0 || got.At.IsZero() {
		t.Errorf("fresh: %+v", got)
	}
	if m := find(r, r.Dir); !m.Main || m.Ours {
		t.Errorf("main: %+v", m)
	}
	w.Write("untracked", strings.Repeat("x", 1000))
	if more := find(r, dir); !more.Dirty || more.Bytes != got.Bytes+1000 {
		t.Errorf("untracked: %+v, before %+v", more, got)
	}
	w.Git("add", "untracked")
	if !find(r, dir).Dirty {
		t.Error("staged work is not dirty")
	}
	w.Commit("own commit")
	if got := find(r, dir); got.Dirty || got.Merged {
		t.Errorf("own commit: %+v", got)
	}
	if _, err := os.Stat("/proc/self/cwd"); err == nil {
		if pid := got.OwnerPID; pid != 0 {
			t.Errorf("nobody is in it, owner is %d", pid)
		}
		q := git.WorktreeRequest{Path: r.Worktree("owned"), Branch: "o", Base: "HEAD", Owner: os.Getpid()}
		r.Must(r.Open().AddWorktree(t.Context(), q))
		if got := find(r, q.Path); got.OwnerPID != os.Getpid() {
			t.Errorf("owner is %d, want %d", got.OwnerPID, os.Getpid())
		}
	}
}

// TestRow21RemovalIsFinished: wherever a removal crashed, the same request
// finishes it, and looks again before anything is deleted.
func TestRow21RemovalIsFinished(t *testing.T) {
	for name, c := range map[string]struct {
		state string
		crash func(w *gittest.Repo, aside string)
		stays string
	}{
		"before the move": {"aside\n", func(*gittest.Repo, string) {}, ""},
		"after the move":  {"aside\n", func(w *gittest.Repo, aside string) { w.Must(os.Rename(w.Dir, aside)) }, ""},
		"on the way": {"going\n", func(w *gittest.Repo, aside string) {
			w.Must(os.Rename(w.Dir, aside))
			w.Must(os.Remove(filepath.Join(aside, ".git")))
		}, ""},
		"before it was forgotten": {"going\n", func(w *gittest.Repo, _ string) { w.Must(os.RemoveAll(w.Dir)) }, ""},
		"and something came": {"aside\n", func(w *gittest.Repo, aside string) {
			w.Write("new", "precious\n")
			w.Must(os.Rename(w.Dir, aside))
		}, "changes that are not committed"},
	} {
		t.Run(name, func(t *testing.T) {
			r := gittest.New(t)
			dir := r.AddWorktree("w", "b")
			aside := dir + ".kedge-removing"
			r.Must(os.WriteFile(r.Path(".git/worktrees/w/kedge-removing"), []byte(c.state), 0o600))
			if !r.Open().Removing(dir) {
				t.Error("nobody knows that it is being removed")
			}
			c.crash(&gittest.Repo{T: t, Dir: dir, Home: r.Home, Opt: r.Opt}, aside)
			err := r.Open().RemoveWorktree(t.Context(), dir)
			if _, lost := os.Lstat(aside); lost == nil {
				t.Error("the folder is still aside")
			}
			if c.stays != "" {
				gittest.WantKind(t, err, kedge.Conflict, c.stays)
				if got := r.GitIn(dir, "status", "--porcelain"); got != "?? new" || find(r, dir).Bytes < 0 {
					t.Errorf("not put back: %q", got)
				}
				r.Must(os.Remove(filepath.Join(dir, "new")))
				err = r.Open().RemoveWorktree(t.Context(), dir)
			}
			r.Must(err)
			if got := r.Git("worktree", "list"); strings.Contains(got, "\n") {
				t.Errorf("still known:\n%s", got)
			}
			gittest.WantKind(t, r.Open().RemoveWorktree(t.Context(), dir), kedge.NotFound, "no folder")
		})
	}
}

// TestWorktreeWhoseFolderIsGoneIsNotForgotten: it may be on a disk that is not
// there today.
func TestWorktreeWhoseFolderIsGoneIsNotForgotten(t *testing.T) {
	r := gittest.New(t)
	dir := r.AddWorktree("w", "b")
	r.Must(os.Rename(dir, dir+"-elsewhere"))
	gittest.WantKind(t, r.Open().RemoveWorktree(t.Context(), dir), kedge.NotFound, "no folder")
	r.Must(os.Rename(dir+"-elsewhere", dir))
	find(r, dir)
}

// TestRow21RemoveOnlyWhatHoldsNothing: a worktree with anything of its own stays.
func TestRow21RemoveOnlyWhatHoldsNothing(t *testing.T) {
	r := gittest.New(t)
	r.Write(".gitignore", "ignored/\n")
	r.Commit("second")
	n := 0
	for name, spoil := range map[string]func(w *gittest.Repo){
		"changes that are not committed": func(w *gittest.Repo) { w.Write("a", "dirty\n") },
		"are not committed":              func(w *gittest.Repo) { w.Write("new", "untracked\n") },
		"contains the repository":        func(w *gittest.Repo) { w.Write("ignored/x", "x"); w.GitIn(w.Path("ignored"), "init", "-q", "nested") },
		"on no branch":                   func(w *gittest.Repo) { w.Git("checkout", "-q", "--detach"); w.Write("a", "x"); w.Commit("lost") },
		"locked":                         func(w *gittest.Repo) { w.Git("worktree", "lock", w.Dir) },
		"has ignored files: .env, ignored/": func(w *gittest.Repo) {
			w.Must(os.WriteFile(r.Path(".git/info/exclude"), []byte(".env\n"), 0o644))
			w.Write(".env", "SECRET=1\n")
			w.Write("ignored/x", "x")
		},
	} {
		n++
		dir := r.AddWorktree(fmt.Sprintf("w%d", n), fmt.Sprintf("b%d", n))
		spoil(&gittest.Repo{T: t, Dir: dir, Home: r.Home, Opt: r.Opt})
		gittest.WantKind(t, r.Open().RemoveWorktree(t.Context(), dir), kedge.Conflict, name)
		if _, err := os.Lstat(dir); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	gittest.WantKind(t, r.Open().RemoveWorktree(t.Context(), r.Dir), kedge.Conflict, "main worktree")
	dir := r.AddWorktree("clean", "clean")
	r.Must(r.Open().RemoveWorktree(t.Context(), dir))
	if _, err := os.Lstat(dir); err == nil {
		t.Error("a clean worktree is still there")
	}
	r.Git("rev-parse", "--verify", "clean") // its branch stays
}

// TestDropBranch: a branch goes only where another has all its commits and no work
// tree stands on it.
func TestDropBranch(t *testing.T) {
	for name, of := range map[string]struct {
		make  func(r *gittest.Repo)
		stays string
	}{
		"held":      {func(r *gittest.Repo) { r.Git("branch", "run") }, ""},
		"not there": {func(*gittest.Repo) {}, ""},
		"commits of it": {func(r *gittest.Repo) {
			r.Git("switch", "-qc", "run")
			r.Write("a", "2\n")
			r.Commit("own")
			r.Git("switch", "-q", "main")
		}, `its commits are not on branch "main"`},
		"checked out": {func(r *gittest.Repo) { r.Git("switch", "-qc", "run") }, "it is checked out in"},
		"no holder": {func(r *gittest.Repo) {
			r.Git("branch", "run")
			r.Git("switch", "-q", "--detach")
			r.Git("branch", "-D", "main")
		}, `its commits may be nowhere else: there is no branch "main"`},
	} {
		t.Run(name, func(t *testing.T) {
			r := gittest.New(t)
			r.Write("a", "1\n")
			r.Commit("first")
			of.make(r)
			was := r.Git("branch", "--list", "run")
			told, err := r.Open().BranchStays(t.Context(), "run", "main", nil)
			r.Must(err)
			gone, stays, err := r.Open().DropBranch(t.Context(), "run", "main")
			r.Must(err)
			if told != stays || gone != (was != "" && stays == "") {
				t.Errorf("it would stay because %q, and stays because %q; taken away: %v", told, stays, gone)
			}
			if now := r.Git("branch", "--list", "run"); !strings.HasPrefix(stays, of.stays) || (of.stays == "") != (stays == "") || of.stays == "" && now != "" || of.stays != "" && now != was {
				t.Errorf("it says %q, the branch was %q and is %q", stays, was, now)
			}
		})
	}
}

// TestT10WorktreeNames: only plain names become folders.
func TestT10WorktreeNames(t *testing.T) {
	r := gittest.New(t)
	for _, p := range []string{"relative", r.Home + "/../up", r.Home + "/-x", r.Home + "/Up", r.Home + "/a b", r.Home + "/.hidden", r.Home + "/x.lock", "/", ""} {
		err := r.Open().AddWorktree(t.Context(), git.WorktreeRequest{Path: p, Branch: "b", Base: "HEAD"})
		if !kedge.Invalid.Is(err) {
			t.Errorf("%q: %v", p, err)
		}
	}
	if got := r.Git("worktree", "list", "--porcelain"); strings.Count(got, "worktree ") != 1 {
		t.Errorf("worktrees:\n%s", got)
	}
}

// TestF16UserMovesThingsMeanwhile: a removed worktree, a moved HEAD and a
// deleted branch are found out, and nothing is reset.
func TestF16UserMovesThingsMeanwhile(t *testing.T) {
	r := gittest.New(t)
	base := r.Git("rev-parse", "HEAD")
	dir := r.AddWorktree("w", "b")
	w := &gittest.Repo{T: t, Dir: dir, Home: r.Home, Opt: r.Opt}
	clean := w.Tree()
	w.Write("a", "the user's\n")
	users := w.Commit("by the user")
	r.Write("a", "two\n")
	next := r.Commit("second")
	err := r.Open().ResetWorktree(t.Context(), git.ResetRequest{Dir: dir, To: next, Head: base, Expect: clean})
	gittest.WantKind(t, err, kedge.Conflict, "is at commit "+users[:12])
	if w.Git("rev-parse", "HEAD") != users || w.Read("a") != "the user's\n" {
		t.Error("the user's commit was reset")
	}
	w.Git("checkout", "-q", "--detach")
	r.Git("branch", "-D", "b")
	gittest.WantKind(t, r.Open().UpdateRef(t.Context(), "refs/heads/b", next, base), kedge.Conflict, "is at no commit now")
	r.Must(os.RemoveAll(dir))
	err = r.Open().ResetWorktree(t.Context(), git.ResetRequest{Dir: dir, To: next, Head: users, Expect: clean})
	gittest.WantKind(t, err, kedge.NotFound, "no folder")
	if got := find(r, dir); got.Bytes != -1 || got.OwnerPID != -1 || !got.Dirty {
		t.Errorf("a worktree that is gone must be unknown: %+v", got)
	}
}
