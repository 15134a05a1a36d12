package git_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"kedge"
	"kedge/internal/git"
	"kedge/internal/testkit/gittest"
)

// runOn tries what runs do with worktrees on a repository full of traps.
func (r *trapped) runOn(g *git.Repo, step stepper) {
	ctx := r.T.Context()
	dir := filepath.Join(r.Home, "worktrees", "run")
	r.Must(g.AddWorktree(ctx, git.WorktreeRequest{Path: dir, Branch: "run", Base: r.first}))
	w, err := g.In(ctx, dir)
	step("In", err)
	r.Must(err)
	step("Own", w.Own(os.Getpid()))
	r.Must(os.Remove(filepath.Join(dir, ".git")))
	r.Must(os.CopyFS(filepath.Join(dir, ".git"), os.DirFS(r.Path(".git")))) // with all its traps
	step("MendWorktree", gittest.Second(g.MendWorktree(ctx, dir, filepath.Join(r.Attic(), "git"), nil)))
	step("Refs", gittest.Second(g.Refs(ctx)))
	step("Descends", gittest.Second(g.Descends(ctx, r.tip, r.first)))
	step("MergeBase", gittest.Second(g.MergeBase(ctx, r.tip, r.first)))
	step("Lonely", gittest.Second(g.Lonely(ctx, r.tip, "refs/heads/main")))
	step("ReadCommit", gittest.Second(g.ReadCommit(ctx, r.tip)))
	step("Since", gittest.Second(g.Since(ctx, r.first, r.tip)))
	step("Recent", gittest.Second(g.Recent(ctx, r.tip, 3)))
	step("Meanwhile", gittest.Second(g.Meanwhile(ctx, r.first, r.tip, 3)))
	step("Grep", gittest.Second(g.Grep(ctx, r.tip, "main")))
	step("NotIgnored", gittest.Second(w.NotIgnored(ctx, []string{"z.d", "x.c"})))
	step("Exclude", gittest.Second(w.Exclude(ctx, "never")))
	step("Include", w.Include(ctx, "never"))
	step("Tracked", gittest.Second(w.Tracked(ctx, dir, "never")))
	in := &gittest.Repo{T: r.T, Dir: dir, Home: r.Home, Opt: r.Opt}
	in.Write("z.d", "ours\n2\n3\n4\n5\n6\n7\n8\n9\n")
	ours, err := w.Tree(ctx)
	r.Must(err)
	in.Write("z.d", "1\n2\n3\n4\n5\n6\n7\n8\ntheirs\n")
	theirs, err := w.Tree(ctx)
	r.Must(err)
	m, err := g.Merge(ctx, git.MergeRequest{Base: r.first, Ours: ours, Theirs: theirs, Date: gittest.Day})
	step("Merge", err)
	step("TreeWith", gittest.Second(g.TreeWith(ctx, m.Tree, r.first, "a")))
	step("Compose", gittest.Second(g.Compose(ctx, m.Tree, []git.Piece{{Path: "a", From: r.first}, {Path: "x.c", Text: []byte("x\n")}})))
	every := func(string) bool { return true }
	step("Merge", gittest.Second(g.Merge(ctx, git.MergeRequest{Base: r.tip, Ours: ours, Theirs: theirs, Date: gittest.Day, Union: every})))
	step("PutTree", g.PutTree(ctx, git.PutRequest{Dir: dir, Tree: m.Tree, Expect: []string{theirs}}))
	if got := in.Read("z.d"); got != "ours\n2\n3\n4\n5\n6\n7\n8\ntheirs\n" {
		r.T.Errorf("merged to %q", got)
	}
	id := gittest.NewSalvageID()
	step("KeepCopy", gittest.Second(w.KeepCopy(ctx, git.CopyRequest{ID: id, Reason: "r", Date: gittest.Day})))
	step("DropCopy", w.DropCopy(ctx, id))
	step("KeepTree", gittest.Second(w.KeepTree(ctx, git.CopyRequest{ID: gittest.NewSalvageID(), Reason: "r", Date: gittest.Day}, r.first, m.Tree)))
	r.Must(g.PutTree(ctx, git.PutRequest{Dir: dir, Tree: r.first, Expect: []string{m.Tree}}))
	ahead, err := g.Commit(ctx, git.CommitRequest{Tree: m.Tree, Parents: []string{r.first}, Message: "m", Date: gittest.Day, Author: gittest.Someone})
	r.Must(err)
	step("Forward", w.Forward(ctx, git.ForwardRequest{Branch: "run", To: ahead}))
	step("Detach", w.Detach(ctx))
	r.submodules(g, step)
	if left := g.Unfinished(); len(left) > 0 {
		r.T.Errorf("no removal was begun, and %q are unfinished", left)
	}
	step("Unfinished", nil)
	step("DropWorktree", r.drop(g, dir))
	step("BranchStays", gittest.Second(g.BranchStays(ctx, "run", "main", nil)))
	_, _, err = g.DropBranch(ctx, "run", "main")
	step("DropBranch", err)
	gone := dir + "-gone"
	r.Must(g.AddWorktree(ctx, git.WorktreeRequest{Path: gone, Base: r.first}))
	r.Must(os.RemoveAll(gone))
	step("ForgetWorktree", gittest.Second(g.ForgetWorktree(ctx, gone, git.SalvageRequest{ID: gittest.NewSalvageID(), Reason: "r", Date: gittest.Day})))
}

// submodules fills one whose repository is full of traps too.
func (r *trapped) submodules(g *git.Repo, step stepper) {
	ctx := r.T.Context()
	lib := gittest.New(r.T)
	lib.Write(".gitattributes", "a filter=late\n")
	sha := lib.Commit("lib")
	modules := r.Path(".git/modules/lib")
	r.Must(os.CopyFS(modules, os.DirFS(lib.Path(".git"))))
	text := "[core]\n\tfsmonitor = " + r.trap("sub-fsmonitor") + "\n[filter \"late\"]\n\tsmudge = " + r.trap("sub-smudge") +
		"\n[uploadpack]\n\tpackObjectsHook = " + r.trap("sub-pack") + "\n"
	f, err := os.OpenFile(filepath.Join(modules, "config"), os.O_APPEND|os.O_WRONLY, 0)
	r.Must(err)
	_, err = f.WriteString(text)
	r.Must(err)
	r.Must(f.Close())
	for _, hook := range hooks {
		r.Must(os.WriteFile(filepath.Join(modules, "hooks", hook), []byte("#!/bin/sh\n: > \""+r.nest+"/sub-hook\"\n"), 0o755))
	}
	commit := r.withSubmodule(sha)
	r.Must(g.UpdateRef(ctx, "refs/heads/sub", commit, ""))
	dir := filepath.Join(r.Home, "worktrees", "sub")
	r.Must(g.AddWorktree(ctx, git.WorktreeRequest{Path: dir, Base: commit}))
	w, err := g.In(ctx, dir)
	r.Must(err)
	r.canaries()
	step("FillSubmodules", w.FillSubmodules(ctx, "HEAD"))
	if b, err := os.ReadFile(filepath.Join(dir, "lib", "a")); err != nil || string(b) != "one\n" {
		r.T.Errorf("the submodule holds %q, %v", b, err)
	}
	step("FillSubmodules", w.FillSubmodules(ctx, "HEAD"))
	sub := &gittest.Repo{T: r.T, Dir: filepath.Join(dir, "lib"), Home: r.Home, Opt: r.Opt}
	sub.Write("a", "changed\n")
	step("EmptySubmodules", w.EmptySubmodules(ctx, ""))
	if sub.Read("a") != "changed\n" {
		r.T.Error("work in a submodule is gone")
	}
	conf, err := os.OpenFile(filepath.Join(sub.Dir, ".git", "config"), os.O_APPEND|os.O_WRONLY, 0) // an agent's
	r.Must(err)
	_, err = conf.WriteString(text + "[remote \"late\"]\n\turl = " + modules + "\n\tpromisor = true\n\tuploadpack = " + r.trap("sub-upload") + "\n[extensions]\n\tpartialclone = late\n")
	r.Must(err)
	r.Must(conf.Close())
	r.canaries()
	step("InSubmodules", gittest.Second(w.InSubmodules(ctx)))
	aside, err := g.Salvage(ctx, git.SalvageRequest{Dir: dir, ID: gittest.NewSalvageID(), Reason: "r", Attic: r.Attic(), Date: gittest.Day})
	step("Salvage", err)
	if len(aside.Submodules) != 1 {
		r.T.Errorf("the work in the submodule is not in %+v", aside)
	}
	step("FillSubmodules", w.FillSubmodules(ctx, "HEAD"))
	sub.Write("a", "one\n")
	step("EmptySubmodules", w.EmptySubmodules(ctx, ""))
	if entries, err := os.ReadDir(sub.Dir); err != nil || len(entries) > 0 {
		r.T.Errorf("the submodule still holds %v, %v", entries, err)
	}
	step("DropWorktree", r.drop(g, dir))
	r.Must(g.AddWorktree(ctx, git.WorktreeRequest{Path: dir, Base: commit}))
	r.Must(os.RemoveAll(modules))
	r.canaries()
	w, err = g.In(ctx, dir)
	r.Must(err)
	step("FillSubmodules", w.FillSubmodules(ctx, "HEAD"), kedge.Blocked)
}

// withSubmodule is a commit with the submodule "lib".
func (r *trapped) withSubmodule(sha string) string {
	r.T.Helper()
	r.Write("modules.tmp", "[submodule \"lib\"]\n\tpath = lib\n\turl = ext::"+r.trap("sub-url")+"\n")
	blob := r.Git("hash-object", "-w", "modules.tmp")
	r.Must(os.Remove(r.Path("modules.tmp")))
	list := filepath.Join(r.Home, "tree.tmp")
	r.Must(os.WriteFile(list, []byte("100644 blob "+blob+"\t.gitmodules\n160000 commit "+sha+"\tlib\n"), 0o600))
	in, err := os.Open(list)
	r.Must(err)
	defer func() { _ = in.Close() }()
	cmd := exec.Command("git", "mktree", "--missing")
	cmd.Dir, cmd.Env, cmd.Stdin = r.Dir, r.Env(), in
	tree, err := cmd.Output()
	r.Must(err)
	return r.Git("commit-tree", "-m", "with a submodule", strings.TrimSpace(string(tree)))
}

// drop drops a worktree and deletes what was its folder.
func (r *trapped) drop(g *git.Repo, dir string) error {
	away := dir + ".away"
	if err := g.DropWorktree(r.T.Context(), dir, away); err != nil {
		return err
	}
	if _, err := os.Lstat(dir); err == nil {
		r.T.Errorf("%s is still there", dir)
	}
	if _, err := os.Lstat(filepath.Join(away, ".git")); err != nil {
		r.T.Errorf("it was not moved: %v", err)
	}
	return git.Discard(r.T.Context(), away)
}
