package git_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/git"
	"kedge/internal/testkit/gittest"
)

// Repositories as they are found: each must work, or be refused with a reason.

// shouting is a filter like LFS's or an encryption's: what is stored differs
// from what stands in the file. It leaves a mark in the git dir, as LFS does.
func shouting(r *gittest.Repo) {
	r.Write(".gitattributes", "*.big filter=shout\n")
	r.Git("config", "filter.shout.clean", `d=$(git rev-parse --absolute-git-dir)/shout && mkdir -p "$d" && tr a-z A-Z | tee "$d/last"`)
	r.Git("config", "filter.shout.smudge", "tr A-Z a-z")
	r.Git("config", "filter.shout.required", "true")
}

func approve(r *gittest.Repo, hash string) {
	r.Opt.Approved = func(name, h string) bool { return name == "shout" && h == hash }
}

func TestFilterNobodyApprovedIsRefused(t *testing.T) {
	r := gittest.New(t)
	shouting(r)
	r.Write("x.big", "loud\n")
	past := gittest.Day.AddDate(-1, 0, 0) // else git, too, would have to look into it
	r.Must(os.Chtimes(r.Path("x.big"), past, past))
	r.Commit("second")
	if got, want := r.Tree(), r.Git("rev-parse", "HEAD^{tree}"); got != want {
		t.Errorf("unchanged files need no filter: tree %s, want %s", got, want)
	}
	err := r.Open().AddWorktree(t.Context(), git.WorktreeRequest{Path: r.Worktree("w"), Branch: "b", Base: "HEAD"})
	gittest.WantKind(t, err, kedge.Blocked, `"x.big" cannot be checked out: you have not approved the commands of the git filter "shout"`)
	if got := r.Git("worktree", "list"); strings.Contains(got, "\n") {
		t.Errorf("a refused worktree is there:\n%s", got)
	}
	r.Write("x.big", "changed\n")
	_, err = r.Open().Tree(t.Context())
	gittest.WantKind(t, err, kedge.Blocked, `"x.big" cannot be checked out: you have not approved the commands of the git filter "shout"`)
	if !strings.Contains(kedge.HintOf(err), "kedge approve filter:shout@") {
		t.Errorf("hint %q", kedge.HintOf(err))
	}
	_, err = r.Open().CommitPaths(t.Context(), git.CommitPathsRequest{Paths: []string{"x.big"}, Message: "m", Date: gittest.Day, Author: gittest.Someone})
	gittest.WantKind(t, err, kedge.Blocked, "shout")
	r.Must(os.Remove(r.Path("x.big")))
	r.Tree() // a file that is gone needs no filter
}

func TestApprovedFilterRuns(t *testing.T) {
	r := gittest.New(t)
	shouting(r)
	list, err := r.Open().Filters(t.Context())
	if err != nil || len(list) != 1 || list[0].Name != "shout" || list[0].Approved || len(list[0].Hash) != 64 {
		t.Fatalf("filters %+v, %v", list, err)
	}
	approve(r, list[0].Hash)
	r.Write("x.big", "loud\n")
	tree := r.Tree() // the first to run the filter: it makes its folder
	if got := r.Git("cat-file", "blob", tree+":x.big"); got != "LOUD" {
		t.Errorf("stored %q", got)
	}
	if b, err := os.ReadFile(r.Path(".git/shout/last")); err != nil || string(b) != "LOUD\n" {
		t.Errorf("what the filter keeps in the git dir: %q, %v", b, err)
	}
	r.Commit("second")
	dir := r.AddWorktree("w", "b")
	if b, err := os.ReadFile(filepath.Join(dir, "x.big")); err != nil || string(b) != "loud\n" {
		t.Errorf("checked out %q, %v", b, err)
	}
	r.Git("config", "filter.shout.clean", "tr a-z 0-9") // another command asks again
	r.Write("x.big", "changed\n")
	_, err = r.Open().Tree(t.Context())
	gittest.WantKind(t, err, kedge.Blocked, "shout")
}

func TestFilteredFilesGoToTheAttic(t *testing.T) {
	r := gittest.New(t)
	shouting(r)
	r.Write("x.big", "loud\n")
	r.Write("y.big", "loud\n")
	past := gittest.Day.AddDate(-1, 0, 0)
	r.Must(os.Chtimes(r.Path("y.big"), past, past))
	r.Commit("second")
	list, err := r.Open().Filters(t.Context())
	r.Must(err)
	r.Write("x.big", "changed\n")
	r.Write("new.big", "new\n")
	r.Must(os.Remove(r.Path("y.big")))
	r.Write("a", "changed\n")
	s := r.Salvage(gittest.NewSalvageID())
	if strings.Join(s.Attic, " ") != "new.big x.big" {
		t.Fatalf("attic %v", s.Attic)
	}
	reset := git.ResetRequest{To: s.Base, Head: s.Base, Expect: s.Tree}
	gittest.WantKind(t, r.Open().ResetWorktree(t.Context(), reset), kedge.Blocked, "shout")
	approve(r, list[0].Hash)
	r.Must(r.Open().ResetWorktree(t.Context(), reset))
	if r.Read("x.big") != "loud\n" || r.Read("a") != "one\n" {
		t.Error("not reset")
	}
	r.Must(r.Restore(s.ID))
	if r.Read("x.big") != "changed\n" || r.Read("new.big") != "new\n" || r.Read("a") != "changed\n" {
		t.Error("not restored")
	}
	if _, err := os.Lstat(r.Path("y.big")); err == nil {
		t.Error("y.big was deleted when it was salvaged")
	}
}

func TestFilterThatNobodyDefinesDoesNothing(t *testing.T) {
	r := gittest.New(t)
	r.Write(".gitattributes", "*.big filter=lfs\n")
	r.Write("x.big", "plain\n")
	tree := r.Tree()
	if got := r.Git("cat-file", "blob", tree+":x.big"); got != "plain" {
		t.Errorf("stored %q", got)
	}
}

func TestFilterInTheUsersConfiguration(t *testing.T) {
	r := gittest.New(t)
	r.UserConfig("[user]\n\tname = Ada\n\temail = ada@example.com\n[filter \"lfs\"]\n\tclean = git-lfs clean -- %f\n\trequired = true\n")
	r.Write(".gitattributes", "*.big filter=lfs\n")
	r.Write("x.big", "plain\n")
	_, err := r.Open().Tree(t.Context())
	gittest.WantKind(t, err, kedge.Blocked, "git-lfs clean")
}

func TestSubmodule(t *testing.T) {
	r := gittest.New(t)
	lib := &gittest.Repo{T: t, Dir: filepath.Join(r.Home, "lib"), Home: r.Home, Opt: r.Opt}
	r.Must(os.Mkdir(lib.Dir, 0o755))
	lib.Git("init", "-q")
	lib.Write("l", "lib\n")
	lib.Commit("lib")
	r.Git("-c", "protocol.file.allow=always", "submodule", "add", "-q", lib.Dir, "lib")
	r.Commit("with a submodule")
	if got, want := r.Tree(), r.Git("rev-parse", "HEAD^{tree}"); got != want {
		t.Errorf("tree %s, want %s", got, want)
	}
	inside := &gittest.Repo{T: t, Dir: r.Path("lib"), Home: r.Home, Opt: r.Opt}
	g, err := git.Open(t.Context(), inside.Dir, r.Opt)
	r.Must(err)
	if g.Root() != inside.Dir {
		t.Errorf("root of the submodule is %q", g.Root())
	}
	inside.Write("l", "changed\n")
	tip := inside.Commit("in the submodule")
	inside.Write("l", "not committed\n")
	want := r.Tree()
	s := r.Salvage(gittest.NewSalvageID())
	if got := r.Git("rev-parse", s.Commit+":lib"); got != tip || s.Tree != want {
		t.Errorf("salvaged submodule at %s, want %s", got, tip)
	}
	r.Reset(s)
	if inside.Read("l") != "not committed\n" || inside.Git("rev-parse", "HEAD") != tip {
		t.Error("the reset touched the inside of the submodule")
	}
	dir := r.AddWorktree("w", "b")
	if _, err := os.Lstat(filepath.Join(dir, "a")); err != nil {
		t.Error(err)
	}
}

func TestCRLF(t *testing.T) {
	r := gittest.New(t)
	r.UserConfig("[user]\n\tname = Ada\n\temail = ada@example.com\n[core]\n\tautocrlf = true\n")
	r.Write("text", "one\r\ntwo\r\n")
	r.Commit("second")
	r.Write("text", "one\r\ntwo\r\nthree\r\n")
	r.Write("new", "a\r\n")
	got := r.Tree()
	r.Git("add", "-A")
	if want := r.Git("write-tree"); got != want {
		t.Errorf("tree %s, git says %s", got, want)
	}
	r.Git("reset", "-q")
	s := r.Salvage(gittest.NewSalvageID())
	r.Reset(s)
	if r.Read("text") != "one\r\ntwo\r\n" {
		t.Errorf("reset wrote %q", r.Read("text"))
	}
	r.Must(r.Restore(s.ID))
	if r.Read("text") != "one\r\ntwo\r\nthree\r\n" || r.Tree() != got {
		t.Errorf("restored %q", r.Read("text"))
	}
}

func TestExcludesFileOfTheUser(t *testing.T) {
	r := gittest.New(t)
	r.Must(os.WriteFile(filepath.Join(r.Home, "ignore"), []byte("*.swp\n"), 0o644))
	r.UserConfig("[user]\n\tname = Ada\n\temail = ada@example.com\n[core]\n\texcludesFile = ~/ignore\n")
	want := r.Tree()
	r.Write("x.swp", "editor\n")
	if got := r.Tree(); got != want {
		t.Errorf("the user's ignored file is in the tree")
	}
	r.UserConfig("")
	if got := r.Tree(); got == want {
		t.Errorf("without the setting it must be")
	}
}

func TestNoRemoteAndDetachedHead(t *testing.T) {
	r := gittest.New(t)
	r.Git("checkout", "-q", "--detach")
	r.Write("a", "changed\n")
	s := r.Salvage(gittest.NewSalvageID())
	r.Reset(s)
	r.Must(r.Restore(s.ID))
	if r.Read("a") != "changed\n" {
		t.Error("not restored")
	}
}

func TestSomebodyElsesRepository(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a folder away")
	}
	r := gittest.New(t)
	r.Must(os.Chown(r.Dir, 12345, 12345))
	r.Must(os.Chown(r.Path(".git"), 12345, 12345))
	_, err := git.Open(t.Context(), r.Dir, r.Opt)
	gittest.WantKind(t, err, kedge.Blocked, "belongs to someone else")
	r.UserConfig("[safe]\n\tdirectory = " + r.Dir + "\n")
	g, err := git.Open(t.Context(), r.Dir, r.Opt)
	r.Must(err)
	if _, err := g.Tree(t.Context()); err != nil {
		t.Error(err)
	}
}
