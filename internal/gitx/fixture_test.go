package gitx_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/gitx"
)

// Repositories as they are found: each must work, or be refused with a reason.

// shouting is a filter like LFS's or an encryption's: what is stored differs
// from what stands in the file. It leaves a mark in the git dir, as LFS does.
func shouting(r *repo) {
	r.write(".gitattributes", "*.big filter=shout\n")
	r.git("config", "filter.shout.clean", `d=$(git rev-parse --absolute-git-dir)/shout && mkdir -p "$d" && tr a-z A-Z | tee "$d/last"`)
	r.git("config", "filter.shout.smudge", "tr A-Z a-z")
	r.git("config", "filter.shout.required", "true")
}

func (r *repo) approve(hash string) {
	r.opt.Approved = func(name, h string) bool { return name == "shout" && h == hash }
}

func TestFilterNobodyApprovedIsRefused(t *testing.T) {
	r := newRepo(t)
	shouting(r)
	r.write("x.big", "loud\n")
	past := day.AddDate(-1, 0, 0) // else git, too, would have to look into it
	r.must(os.Chtimes(r.path("x.big"), past, past))
	r.commit("second")
	if got, want := r.tree(), r.git("rev-parse", "HEAD^{tree}"); got != want {
		t.Errorf("unchanged files need no filter: tree %s, want %s", got, want)
	}
	err := r.open().AddWorktree(t.Context(), gitx.WorktreeRequest{Path: r.worktree("w"), Branch: "b", Base: "HEAD"})
	wantKind(t, err, kedge.Blocked, `"x.big" needs the git filter "shout"`)
	if got := r.git("worktree", "list"); strings.Contains(got, "\n") {
		t.Errorf("a refused worktree is there:\n%s", got)
	}
	r.write("x.big", "changed\n")
	_, err = r.open().Tree(t.Context())
	wantKind(t, err, kedge.Blocked, `"x.big" needs the git filter "shout"`)
	if !strings.Contains(kedge.HintOf(err), "kedge approve filter:shout@") {
		t.Errorf("hint %q", kedge.HintOf(err))
	}
	_, err = r.open().CommitPaths(t.Context(), gitx.CommitPathsRequest{Paths: []string{"x.big"}, Message: "m", Date: day, Author: someone})
	wantKind(t, err, kedge.Blocked, "shout")
	r.must(os.Remove(r.path("x.big")))
	r.tree() // a file that is gone needs no filter
}

func TestApprovedFilterRuns(t *testing.T) {
	r := newRepo(t)
	shouting(r)
	list, err := r.open().Filters(t.Context())
	if err != nil || len(list) != 1 || list[0].Name != "shout" || list[0].Approved || len(list[0].Hash) != 64 {
		t.Fatalf("filters %+v, %v", list, err)
	}
	r.approve(list[0].Hash)
	r.write("x.big", "loud\n")
	tree := r.tree() // the first to run the filter: it makes its folder
	if got := r.git("cat-file", "blob", tree+":x.big"); got != "LOUD" {
		t.Errorf("stored %q", got)
	}
	if b, err := os.ReadFile(r.path(".git/shout/last")); err != nil || string(b) != "LOUD\n" {
		t.Errorf("what the filter keeps in the git dir: %q, %v", b, err)
	}
	r.commit("second")
	dir := r.addWorktree("w", "b")
	if b, err := os.ReadFile(filepath.Join(dir, "x.big")); err != nil || string(b) != "loud\n" {
		t.Errorf("checked out %q, %v", b, err)
	}
	r.git("config", "filter.shout.clean", "tr a-z 0-9") // another command asks again
	r.write("x.big", "changed\n")
	_, err = r.open().Tree(t.Context())
	wantKind(t, err, kedge.Blocked, "shout")
}

func TestFilteredFilesGoToTheAttic(t *testing.T) {
	r := newRepo(t)
	shouting(r)
	r.write("x.big", "loud\n")
	r.write("y.big", "loud\n")
	past := day.AddDate(-1, 0, 0)
	r.must(os.Chtimes(r.path("y.big"), past, past))
	r.commit("second")
	list, err := r.open().Filters(t.Context())
	r.must(err)
	r.write("x.big", "changed\n")
	r.write("new.big", "new\n")
	r.must(os.Remove(r.path("y.big")))
	r.write("a", "changed\n")
	s := r.salvage(newSalvageID())
	if strings.Join(s.Attic, " ") != "new.big x.big" {
		t.Fatalf("attic %v", s.Attic)
	}
	reset := gitx.ResetRequest{To: s.Base, Head: s.Base, Expect: s.Tree}
	wantKind(t, r.open().ResetWorktree(t.Context(), reset), kedge.Blocked, "shout")
	r.approve(list[0].Hash)
	r.must(r.open().ResetWorktree(t.Context(), reset))
	if r.read("x.big") != "loud\n" || r.read("a") != "one\n" {
		t.Error("not reset")
	}
	r.must(r.restore(s.ID))
	if r.read("x.big") != "changed\n" || r.read("new.big") != "new\n" || r.read("a") != "changed\n" {
		t.Error("not restored")
	}
	if _, err := os.Lstat(r.path("y.big")); err == nil {
		t.Error("y.big was deleted when it was salvaged")
	}
}

func TestFilterThatNobodyDefinesDoesNothing(t *testing.T) {
	r := newRepo(t)
	r.write(".gitattributes", "*.big filter=lfs\n")
	r.write("x.big", "plain\n")
	tree := r.tree()
	if got := r.git("cat-file", "blob", tree+":x.big"); got != "plain" {
		t.Errorf("stored %q", got)
	}
}

func TestFilterInTheUsersConfiguration(t *testing.T) {
	r := newRepo(t)
	r.userConfig("[user]\n\tname = Ada\n\temail = ada@example.com\n[filter \"lfs\"]\n\tclean = git-lfs clean -- %f\n\trequired = true\n")
	r.write(".gitattributes", "*.big filter=lfs\n")
	r.write("x.big", "plain\n")
	_, err := r.open().Tree(t.Context())
	wantKind(t, err, kedge.Blocked, "git-lfs clean")
}

func TestSubmodule(t *testing.T) {
	r := newRepo(t)
	lib := &repo{t: t, dir: filepath.Join(r.home, "lib"), home: r.home, opt: r.opt}
	r.must(os.Mkdir(lib.dir, 0o755))
	lib.git("init", "-q")
	lib.write("l", "lib\n")
	lib.commit("lib")
	r.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", lib.dir, "lib")
	r.commit("with a submodule")
	if got, want := r.tree(), r.git("rev-parse", "HEAD^{tree}"); got != want {
		t.Errorf("tree %s, want %s", got, want)
	}
	inside := &repo{t: t, dir: r.path("lib"), home: r.home, opt: r.opt}
	g, err := gitx.Open(t.Context(), inside.dir, r.opt)
	r.must(err)
	if g.Root() != inside.dir {
		t.Errorf("root of the submodule is %q", g.Root())
	}
	inside.write("l", "changed\n")
	tip := inside.commit("in the submodule")
	inside.write("l", "not committed\n")
	want := r.tree()
	s := r.salvage(newSalvageID())
	if got := r.git("rev-parse", s.Commit+":lib"); got != tip || s.Tree != want {
		t.Errorf("salvaged submodule at %s, want %s", got, tip)
	}
	r.reset(s)
	if inside.read("l") != "not committed\n" || inside.git("rev-parse", "HEAD") != tip {
		t.Error("the reset touched the inside of the submodule")
	}
	dir := r.addWorktree("w", "b")
	if _, err := os.Lstat(filepath.Join(dir, "a")); err != nil {
		t.Error(err)
	}
}

func TestCRLF(t *testing.T) {
	r := newRepo(t)
	r.userConfig("[user]\n\tname = Ada\n\temail = ada@example.com\n[core]\n\tautocrlf = true\n")
	r.write("text", "one\r\ntwo\r\n")
	r.commit("second")
	r.write("text", "one\r\ntwo\r\nthree\r\n")
	r.write("new", "a\r\n")
	got := r.tree()
	r.git("add", "-A")
	if want := r.git("write-tree"); got != want {
		t.Errorf("tree %s, git says %s", got, want)
	}
	r.git("reset", "-q")
	s := r.salvage(newSalvageID())
	r.reset(s)
	if r.read("text") != "one\r\ntwo\r\n" {
		t.Errorf("reset wrote %q", r.read("text"))
	}
	r.must(r.restore(s.ID))
	if r.read("text") != "one\r\ntwo\r\nthree\r\n" || r.tree() != got {
		t.Errorf("restored %q", r.read("text"))
	}
}

func TestExcludesFileOfTheUser(t *testing.T) {
	r := newRepo(t)
	r.must(os.WriteFile(filepath.Join(r.home, "ignore"), []byte("*.swp\n"), 0o644))
	r.userConfig("[user]\n\tname = Ada\n\temail = ada@example.com\n[core]\n\texcludesFile = ~/ignore\n")
	want := r.tree()
	r.write("x.swp", "editor\n")
	if got := r.tree(); got != want {
		t.Errorf("the user's ignored file is in the tree")
	}
	r.userConfig("")
	if got := r.tree(); got == want {
		t.Errorf("without the setting it must be")
	}
}

func TestNoRemoteAndDetachedHead(t *testing.T) {
	r := newRepo(t)
	r.git("checkout", "-q", "--detach")
	r.write("a", "changed\n")
	s := r.salvage(newSalvageID())
	r.reset(s)
	r.must(r.restore(s.ID))
	if r.read("a") != "changed\n" {
		t.Error("not restored")
	}
}

func TestSomebodyElsesRepository(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a folder away")
	}
	r := newRepo(t)
	r.must(os.Chown(r.dir, 12345, 12345))
	r.must(os.Chown(r.path(".git"), 12345, 12345))
	_, err := gitx.Open(t.Context(), r.dir, r.opt)
	wantKind(t, err, kedge.Blocked, "belongs to someone else")
	r.userConfig("[safe]\n\tdirectory = " + r.dir + "\n")
	g, err := gitx.Open(t.Context(), r.dir, r.opt)
	r.must(err)
	if _, err := g.Tree(t.Context()); err != nil {
		t.Error(err)
	}
}
