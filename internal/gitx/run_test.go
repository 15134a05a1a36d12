package gitx_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/gitx"
)

// runOn tries what runs do with work trees on a repository full of traps.
func (r *trapped) runOn(g *gitx.Repo, step stepper) {
	ctx := r.t.Context()
	dir := filepath.Join(r.home, "worktrees", "run")
	r.must(g.AddWorktree(ctx, gitx.WorktreeRequest{Path: dir, Branch: "run", Base: r.first}))
	w, err := g.In(ctx, dir)
	step("In", err)
	r.must(err)
	step("Own", w.Own(os.Getpid()))
	r.must(os.Remove(filepath.Join(dir, ".git")))
	r.must(os.CopyFS(filepath.Join(dir, ".git"), os.DirFS(r.path(".git")))) // with all its traps
	step("MendWorktree", second(g.MendWorktree(ctx, dir, filepath.Join(r.attic(), "git"), nil)))
	step("Refs", second(g.Refs(ctx)))
	step("Descends", second(g.Descends(ctx, r.tip, r.first)))
	step("MergeBase", second(g.MergeBase(ctx, r.tip, r.first)))
	step("Lonely", second(g.Lonely(ctx, r.tip, "refs/heads/main")))
	step("ReadCommit", second(g.ReadCommit(ctx, r.tip)))
	step("Since", second(g.Since(ctx, r.first, r.tip)))
	step("NotIgnored", second(w.NotIgnored(ctx, []string{"z.d", "x.c"})))
	step("Exclude", second(w.Exclude(ctx, "never")))
	step("Include", w.Include(ctx, "never"))
	step("Tracked", second(w.Tracked(ctx, dir, "never")))
	in := &repo{t: r.t, dir: dir, home: r.home, opt: r.opt}
	in.write("z.d", "ours\n2\n3\n4\n5\n6\n7\n8\n9\n")
	ours, err := w.Tree(ctx)
	r.must(err)
	in.write("z.d", "1\n2\n3\n4\n5\n6\n7\n8\ntheirs\n")
	theirs, err := w.Tree(ctx)
	r.must(err)
	m, err := g.Merge(ctx, gitx.MergeRequest{Base: r.first, Ours: ours, Theirs: theirs, Date: day})
	step("Merge", err)
	step("TreeWith", second(g.TreeWith(ctx, m.Tree, r.first, "a")))
	step("PutTree", g.PutTree(ctx, gitx.PutRequest{Dir: dir, Tree: m.Tree, Expect: []string{theirs}}))
	if got := in.read("z.d"); got != "ours\n2\n3\n4\n5\n6\n7\n8\ntheirs\n" {
		r.t.Errorf("merged to %q", got)
	}
	id := newSalvageID()
	step("KeepCopy", second(w.KeepCopy(ctx, gitx.CopyRequest{ID: id, Reason: "r", Date: day})))
	step("DropCopy", w.DropCopy(ctx, id))
	r.must(g.PutTree(ctx, gitx.PutRequest{Dir: dir, Tree: r.first, Expect: []string{m.Tree}}))
	ahead, err := g.Commit(ctx, gitx.CommitRequest{Tree: m.Tree, Parents: []string{r.first}, Message: "m", Date: day, Author: someone})
	r.must(err)
	step("Forward", w.Forward(ctx, gitx.ForwardRequest{Branch: "run", To: ahead}))
	step("Detach", w.Detach(ctx))
	r.submodules(g, step)
	if left := g.Unfinished(); len(left) > 0 {
		r.t.Errorf("no removal was begun, and %q are unfinished", left)
	}
	step("Unfinished", nil)
	step("DropWorktree", r.drop(g, dir))
	step("BranchStays", second(g.BranchStays(ctx, "run", "main", nil)))
	_, _, err = g.DropBranch(ctx, "run", "main")
	step("DropBranch", err)
	gone := dir + "-gone"
	r.must(g.AddWorktree(ctx, gitx.WorktreeRequest{Path: gone, Base: r.first}))
	r.must(os.RemoveAll(gone))
	step("ForgetWorktree", second(g.ForgetWorktree(ctx, gone, gitx.SalvageRequest{ID: newSalvageID(), Reason: "r", Date: day})))
}

// submodules fills one whose repository is full of traps too.
func (r *trapped) submodules(g *gitx.Repo, step stepper) {
	ctx := r.t.Context()
	lib := newRepo(r.t)
	lib.write(".gitattributes", "a filter=late\n")
	sha := lib.commit("lib")
	modules := r.path(".git/modules/lib")
	r.must(os.CopyFS(modules, os.DirFS(lib.path(".git"))))
	text := "[core]\n\tfsmonitor = " + r.trap("sub-fsmonitor") + "\n[filter \"late\"]\n\tsmudge = " + r.trap("sub-smudge") +
		"\n[uploadpack]\n\tpackObjectsHook = " + r.trap("sub-pack") + "\n"
	f, err := os.OpenFile(filepath.Join(modules, "config"), os.O_APPEND|os.O_WRONLY, 0)
	r.must(err)
	_, err = f.WriteString(text)
	r.must(err)
	r.must(f.Close())
	for _, hook := range hooks {
		r.must(os.WriteFile(filepath.Join(modules, "hooks", hook), []byte("#!/bin/sh\n: > \""+r.nest+"/sub-hook\"\n"), 0o755))
	}
	commit := r.withSubmodule(sha)
	r.must(g.UpdateRef(ctx, "refs/heads/sub", commit, ""))
	dir := filepath.Join(r.home, "worktrees", "sub")
	r.must(g.AddWorktree(ctx, gitx.WorktreeRequest{Path: dir, Base: commit}))
	w, err := g.In(ctx, dir)
	r.must(err)
	r.canaries()
	step("FillSubmodules", w.FillSubmodules(ctx, "HEAD"))
	if b, err := os.ReadFile(filepath.Join(dir, "lib", "a")); err != nil || string(b) != "one\n" {
		r.t.Errorf("the submodule holds %q, %v", b, err)
	}
	step("FillSubmodules", w.FillSubmodules(ctx, "HEAD"))
	sub := &repo{t: r.t, dir: filepath.Join(dir, "lib"), home: r.home, opt: r.opt}
	sub.write("a", "changed\n")
	step("EmptySubmodules", w.EmptySubmodules(ctx))
	if sub.read("a") != "changed\n" {
		r.t.Error("work in a submodule is gone")
	}
	sub.write("a", "one\n")
	step("EmptySubmodules", w.EmptySubmodules(ctx))
	if entries, err := os.ReadDir(sub.dir); err != nil || len(entries) > 0 {
		r.t.Errorf("the submodule still holds %v, %v", entries, err)
	}
	step("DropWorktree", r.drop(g, dir))
	r.must(g.AddWorktree(ctx, gitx.WorktreeRequest{Path: dir, Base: commit}))
	r.must(os.RemoveAll(modules))
	r.canaries()
	w, err = g.In(ctx, dir)
	r.must(err)
	step("FillSubmodules", w.FillSubmodules(ctx, "HEAD"), kedge.Blocked)
}

// withSubmodule is a commit with the submodule "lib".
func (r *trapped) withSubmodule(sha string) string {
	r.t.Helper()
	r.write("modules.tmp", "[submodule \"lib\"]\n\tpath = lib\n\turl = ext::"+r.trap("sub-url")+"\n")
	blob := r.git("hash-object", "-w", "modules.tmp")
	r.must(os.Remove(r.path("modules.tmp")))
	list := filepath.Join(r.home, "tree.tmp")
	r.must(os.WriteFile(list, []byte("100644 blob "+blob+"\t.gitmodules\n160000 commit "+sha+"\tlib\n"), 0o600))
	in, err := os.Open(list)
	r.must(err)
	defer func() { _ = in.Close() }()
	cmd := exec.Command("git", "mktree", "--missing")
	cmd.Dir, cmd.Env, cmd.Stdin = r.dir, r.env(), in
	tree, err := cmd.Output()
	r.must(err)
	return r.git("commit-tree", "-m", "with a submodule", strings.TrimSpace(string(tree)))
}

func TestMergeConflicts(t *testing.T) {
	r := newRepo(t)
	g := r.open()
	base := r.tree()
	r.write("a", "ours\n")
	ours := r.tree()
	r.write("a", "theirs\n")
	r.write("b", "b\n")
	theirs := r.tree()
	q := gitx.MergeRequest{Base: base, Ours: ours, Theirs: theirs, Date: day}
	m, err := g.Merge(t.Context(), q)
	if err != nil || len(m.Conflicts) != 1 || m.Conflicts[0] != "a" {
		t.Fatalf("merged %+v, %v", m, err)
	}
	b, err := g.ReadFile(t.Context(), m.Tree, "a")
	if err != nil || !strings.Contains(string(b), "<<<<<<<") || !strings.Contains(string(b), "ours") || !strings.Contains(string(b), "theirs") {
		t.Errorf("both sides are %q, %v", b, err)
	}
	if again, err := g.Merge(t.Context(), q); err != nil || again.Tree != m.Tree {
		t.Errorf("merged again: %+v, %v", again, err)
	}
	for _, same := range [][3]string{{base, base, theirs}, {base, theirs, base}, {base, theirs, theirs}} {
		m, err := g.Merge(t.Context(), gitx.MergeRequest{Base: same[0], Ours: same[1], Theirs: same[2], Date: day})
		if err != nil || m.Tree != theirs || len(m.Conflicts) > 0 {
			t.Errorf("merged %+v, %v", m, err)
		}
	}
}

func TestTreeWith(t *testing.T) {
	r := newRepo(t)
	g := r.open()
	r.write("k/x", "1\n")
	r.write("k/y", "1\n")
	first := r.tree()
	r.write("k/x", "2\n")
	r.write("b", "b\n")
	second := r.tree()
	got, err := g.TreeWith(t.Context(), second, first, "k", "absent")
	if err != nil {
		t.Fatal(err)
	}
	if diff, err := g.Diff(t.Context(), first, got); err != nil || len(diff) != 1 || diff[0].Path != "b" {
		t.Errorf("differs in %+v, %v", diff, err)
	}
	r.must(os.RemoveAll(r.path("k")))
	got, err = g.TreeWith(t.Context(), second, r.tree(), "k")
	if err != nil {
		t.Fatal(err)
	}
	if ok, err := g.Exists(t.Context(), got, "k"); err != nil || ok {
		t.Errorf("k is there: %v, %v", ok, err)
	}
}

func TestSalvageSinceKeepsCommits(t *testing.T) {
	r := newRepo(t)
	base := r.git("rev-parse", "HEAD")
	dir := filepath.Join(r.home, "w")
	g := r.open()
	r.must(g.AddWorktree(t.Context(), gitx.WorktreeRequest{Path: dir, Base: base}))
	in := &repo{t: t, dir: dir, home: r.home, opt: r.opt}
	in.write("a", "committed\n")
	sha := in.commit("of its own")
	q := gitx.SalvageRequest{Dir: dir, ID: newSalvageID(), Reason: "r", Attic: r.attic(), Date: day, Since: base}
	s, err := g.Salvage(t.Context(), q)
	if err != nil || s.Ref == "" || s.Base != base || s.Files != 1 {
		t.Fatalf("salvaged %+v, %v", s, err)
	}
	if lonely, err := g.Lonely(t.Context(), sha, "refs/heads/main"); err != nil || lonely {
		t.Errorf("the commit is on no ref: %v", err)
	}
	r.must(g.ResetWorktree(t.Context(), gitx.ResetRequest{Dir: dir, To: base, Head: sha, Expect: s.Tree}))
	if _, err := g.Restore(t.Context(), gitx.RestoreRequest{ID: q.ID, Dir: dir, Attic: r.attic()}); err != nil || in.read("a") != "committed\n" {
		t.Errorf("restored %q, %v", in.read("a"), err)
	}
}

// drop drops a worktree and deletes what was its folder.
func (r *repo) drop(g *gitx.Repo, dir string) error {
	away := dir + ".away"
	if err := g.DropWorktree(r.t.Context(), dir, away); err != nil {
		return err
	}
	if _, err := os.Lstat(dir); err == nil {
		r.t.Errorf("%s is still there", dir)
	}
	if _, err := os.Lstat(filepath.Join(away, ".git")); err != nil {
		r.t.Errorf("it was not moved: %v", err)
	}
	return gitx.Discard(r.t.Context(), away)
}
