package salvage_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/git"
	"kedge/internal/testkit/gittest"
)

// nested is a repository with the submodule vendor/lib, which has the submodule deep, and a
// worktree of it in which both are filled.
type nested struct {
	*gittest.Repo
	slot *git.Repo
}

func newNested(t *testing.T) nested {
	t.Helper()
	r := gittest.New(t)
	r.UserConfig("[user]\n\tname = Ada\n\temail = ada@example.com\n[init]\n\tdefaultBranch = main\n[protocol \"file\"]\n\tallow = always\n")
	made := func(name, file string) *gittest.Repo {
		in := &gittest.Repo{T: t, Dir: filepath.Join(r.Home, name), Home: r.Home, Opt: r.Opt}
		r.Must(os.Mkdir(in.Dir, 0o755))
		in.Git("init", "-q")
		in.Write(file, name+"\n")
		in.Commit(name)
		return in
	}
	made("deep", "d")
	lib := made("lib", "l")
	lib.Write("x", "x\n")
	lib.Write(".gitignore", "*.o\n")
	lib.Git("submodule", "add", "-q", "../deep", "deep")
	lib.Commit("with deep")
	r.Git("submodule", "add", "-q", filepath.Join(r.Home, "lib"), "vendor/lib")
	r.Git("submodule", "update", "-q", "--init", "--recursive")
	r.Commit("with lib")
	dir := r.AddWorktree("slot-1", "")
	w, err := r.Open().In(t.Context(), dir)
	r.Must(err)
	r.Must(w.FillSubmodules(t.Context(), "HEAD"))
	return nested{r, w}
}

// in is a folder of the worktree, as a repository.
func (n nested) in(path string) *gittest.Repo {
	return &gittest.Repo{T: n.T, Dir: filepath.Join(n.slot.Root(), path), Home: n.Home, Opt: n.Opt}
}

// work does one of everything in the worktree and its submodules.
func (n nested) work() {
	n.in("").Write("a", "changed above\n")
	lib, deep := n.in("vendor/lib"), n.in("vendor/lib/deep")
	lib.Write("l", "committed\n")
	lib.Git("checkout", "-q", "-b", "fix")
	lib.Commit("in lib")
	lib.Write("x", "not committed\n")
	lib.Write("new/file", "new\n")
	lib.Write("b.o", "ignored\n")
	lib.Write("staged", "staged\n")
	lib.Git("add", "staged")
	deep.Write("d", "changed below\n")
	deep.Write("more", "more\n")
}

// check looks for the work in the user's checkout.
func (n nested) check(where string) {
	n.T.Helper()
	for path, want := range map[string]string{
		"a": "changed above\n", "vendor/lib/l": "committed\n", "vendor/lib/x": "not committed\n", "vendor/lib/new/file": "new\n",
		"vendor/lib/staged": "staged\n", "vendor/lib/deep/d": "changed below\n", "vendor/lib/deep/more": "more\n",
	} {
		if b, err := os.ReadFile(n.Path(path)); err != nil || string(b) != want {
			n.T.Errorf("%s: %s is %q, %v", where, path, b, err)
		}
	}
}

func (n nested) salvage(repo *git.Repo, id kedge.SalvageID) (kedge.Salvage, error) {
	return repo.Salvage(n.T.Context(), git.SalvageRequest{Dir: n.slot.Root(), ID: id, Reason: "test", Attic: n.Attic(), Date: gittest.Day})
}

// TestF17SubmodulesComeBack: what was changed and committed in submodules goes with the rest,
// and comes back into the submodules of the user's checkout.
func TestF17SubmodulesComeBack(t *testing.T) {
	n := newNested(t)
	if found, err := n.slot.InSubmodules(t.Context()); err != nil || len(found) > 0 {
		t.Fatalf("nothing was done, and it finds %+v, %v", found, err)
	}
	n.work()
	found, err := n.slot.InSubmodules(t.Context())
	n.Must(err)
	if got := fmt.Sprint(paths(found)); got != "[vendor/lib/staged vendor/lib/x vendor/lib/new/file vendor/lib/deep/d vendor/lib/deep/more]" || len(found[0].Commits) != 1 {
		t.Errorf("it finds %s in %+v", got, found)
	}
	id := gittest.NewSalvageID()
	s, err := n.salvage(n.Open(), id)
	n.Must(err)
	if s.Files != 7 || len(s.Submodules) != 1 || s.Submodules[0].Path != "vendor/lib" {
		t.Errorf("salvage %+v", s)
	}
	all, err := n.Open().SalvagePaths(t.Context(), s)
	if want := []string{"a", "vendor/lib/deep/d", "vendor/lib/deep/more", "vendor/lib/l", "vendor/lib/new/file", "vendor/lib/staged", "vendor/lib/x"}; err != nil || !slices.Equal(all, want) {
		t.Errorf("it has %q, %v", all, err)
	}
	if left, err := os.ReadDir(filepath.Join(n.slot.Root(), "vendor/lib")); err != nil || len(left) > 0 {
		t.Errorf("the folder has %v, %v", left, err)
	}
	if now, err := n.slot.Tree(t.Context()); err != nil || now != s.Tree {
		t.Errorf("the tree is %s, %v; the salvage's is %s", now, err, s.Tree)
	}
	n.Must(n.Open().ResetWorktree(t.Context(), git.ResetRequest{Dir: n.slot.Root(), To: s.Base, Head: s.Base, Expect: s.Tree}))
	n.Must(n.slot.FillSubmodules(t.Context(), "HEAD"))
	if b, err := os.ReadFile(filepath.Join(n.slot.Root(), "vendor/lib/deep/d")); err != nil || string(b) != "deep\n" {
		t.Errorf("filled again it has %q, %v", b, err)
	}
	if got := n.GitIn(n.slot.Root(), "status", "--porcelain"); got != "" {
		t.Errorf("filled again its status is %q", got)
	}
	lib := &gittest.Repo{T: t, Dir: n.Path("vendor/lib"), Home: n.Home, Opt: n.Opt}
	lib.Write("x", "of the user\n")
	if err := n.Restore(id); !kedge.Conflict.Is(err) || !strings.Contains(err.Error(), "vendor/lib/x") || n.Read("a") != "one\n" {
		t.Errorf("over a change of the user's: %v; a is %q", err, n.Read("a"))
	}
	lib.Git("checkout", "-q", "x")
	for range 2 { // twice is once
		n.Must(n.Restore(id))
		n.check("restored")
	}
	if got := lib.Git("log", "--format=%s", "refs/kedge/salvage/"+string(id)); !strings.Contains(got, "in lib") {
		t.Errorf("the agent's commit is in none of %q", got)
	}
	n.Must(n.Open().DropSalvage(t.Context(), id, n.Attic()))
	for _, dir := range []string{n.Dir, n.Path("vendor/lib"), n.Path("vendor/lib/deep")} {
		if got := n.GitIn(dir, "for-each-ref", "refs/kedge/salvage"); got != "" {
			t.Errorf("dropped, and %s has %q", dir, got)
		}
	}
}

func paths(found []git.SubmoduleWork) (out []string) {
	for _, w := range found {
		out = append(append(out, w.Changed...), w.Untracked...)
	}
	return out
}

// TestF17SubmodulesUnderKill: a salvage that ends at any call of git loses nothing, and the
// next one finishes it.
func TestF17SubmodulesUnderKill(t *testing.T) {
	real, err := exec.LookPath("git")
	if err != nil {
		t.Skip("needs git")
	}
	n := newNested(t)
	before := filepath.Join(n.Home, "slot.tar")
	n.work()
	tar := func(args ...string) {
		t.Helper()
		if out, err := exec.Command("tar", args...).CombinedOutput(); err != nil {
			t.Fatalf("tar: %v\n%s", err, out)
		}
	}
	state := filepath.Dir(n.Home) // the repository, the home and the worktree
	tar("-C", state, "--exclude=home/slot.tar", "-cf", before, "work", "home")
	bin := filepath.Join(state, "bin")
	n.Must(os.MkdirAll(bin, 0o755))
	n.Must(os.WriteFile(filepath.Join(bin, "git"), []byte("#!/bin/sh\nn=$(cat "+bin+"/left 2>/dev/null || echo 0)\necho $((n-1)) >"+bin+"/left\nif test $n -le 0; then exit 1; fi\nexec "+real+" \"$@\"\n"), 0o755))
	for left, step := 3, 7; ; left += step {
		n.Must(os.RemoveAll(n.Dir))
		n.Must(os.RemoveAll(filepath.Join(n.Home, "worktrees")))
		n.Must(os.RemoveAll(n.Attic()))
		tar("-C", state, "-xf", before)
		n.Must(os.WriteFile(filepath.Join(bin, "left"), []byte(fmt.Sprintf("%d\n", left)), 0o644))
		opt := n.Opt
		opt.Env = append([]string{"PATH=" + bin + ":" + os.Getenv("PATH")}, n.Env()...)
		id := gittest.NewSalvageID()
		broken, err := git.Open(t.Context(), n.Dir, opt)
		if err == nil {
			_, err = n.salvage(broken, id)
		}
		whole := err == nil
		s, err := n.salvage(n.Open(), id)
		n.Must(err)
		if s.Files != 7 {
			t.Errorf("after %d calls: salvage %+v", left, s)
		}
		n.Must(n.Restore(id))
		n.check(fmt.Sprintf("after %d calls", left))
		if whole {
			break
		}
	}
}

// TestF17BrokenSubmodule: an agent removed the repository of a submodule, or put another one
// there. Its files come back all the same.
func TestF17BrokenSubmodule(t *testing.T) {
	for name, do := range map[string]func(lib *gittest.Repo){
		"removed": func(lib *gittest.Repo) { lib.Must(os.RemoveAll(lib.Path(".git"))) },
		"broken":  func(lib *gittest.Repo) { lib.Must(os.RemoveAll(lib.Path(".git/HEAD"))) },
		"elsewhere": func(lib *gittest.Repo) {
			lib.Must(os.RemoveAll(lib.Path(".git")))
			lib.Write(".git", "gitdir: "+filepath.Join(lib.Home, "lib", ".git")+"\n")
		},
		"no HEAD": func(lib *gittest.Repo) { lib.Write(".git/HEAD", "ref: refs/heads/none\n") },
	} {
		t.Run(name, func(t *testing.T) {
			n := newNested(t)
			lib := n.in("vendor/lib")
			lib.Write("x", "changed\n")
			do(lib)
			tip := n.GitIn(filepath.Join(n.Home, "lib"), "for-each-ref")
			id := gittest.NewSalvageID()
			s, err := n.salvage(n.Open(), id)
			n.Must(err)
			if s.Ref == "" {
				t.Fatal("nothing was set aside")
			}
			if got := n.GitIn(filepath.Join(n.Home, "lib"), "for-each-ref"); got != tip {
				t.Errorf("a repository elsewhere has %q", got)
			}
			n.Must(n.Restore(id))
			if got := n.Read("vendor/lib/x"); got != "changed\n" {
				t.Errorf("restored it is %q", got)
			}
		})
	}
}

// TestF17SubmoduleOfTheAgentsOwn: one that the repository never fetched goes to the attic whole,
// with the git dir that git made for it in that of the worktree.
func TestF17SubmoduleOfTheAgentsOwn(t *testing.T) {
	n := newNested(t)
	n.in("").Git("submodule", "add", "-q", filepath.Join(n.Home, "deep"), "own")
	own := n.in("own")
	own.Write("d", "changed\n")
	own.Commit("by the agent")
	own.Write("d", "and more\n")
	id := gittest.NewSalvageID()
	s, err := n.salvage(n.Open(), id)
	n.Must(err)
	if !slices.Contains(s.Attic, "own") {
		t.Fatalf("salvage %+v", s)
	}
	n.Must(n.Restore(id))
	if n.Read("own/d") != "and more\n" || n.GitIn(n.Path("own"), "log", "-1", "--format=%s") != "by the agent" {
		t.Errorf("restored it is %q, at %q", n.Read("own/d"), n.GitIn(n.Path("own"), "log", "-1", "--format=%s"))
	}
}
