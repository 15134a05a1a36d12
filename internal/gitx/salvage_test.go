package gitx_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/gitx"
)

// makeDirty gives a repository one of every kind of change.
func makeDirty(r *repo) {
	r.t.Helper()
	r.write(".gitignore", "ignored\n")
	r.write("gone", "x\n")
	r.write("becomes-dir", "x\n")
	r.write("script", "#!/bin/sh\n")
	r.commit("second")
	r.write("a", "changed\n")
	r.must(os.Remove(r.path("gone")))
	r.must(os.Remove(r.path("becomes-dir")))
	r.write("becomes-dir/file", "y\n")
	r.must(os.Chmod(r.path("script"), 0o755))
	r.write("new/tool", "#!/bin/sh\n")
	r.must(os.Chmod(r.path("new/tool"), 0o755))
	r.must(os.Symlink("../a", r.path("new/link")))
	r.must(os.Symlink("nowhere", r.path("dangling")))
	r.write("odd\n\"name\" é", "odd\n")
	r.write("ignored", "stays\n")
	r.write("staged", "staged\n")
	r.git("add", "staged")
	r.write("staged", "changed after staging\n")
}

// reset takes the work tree back to HEAD the way Kedge does.
func (r *repo) reset(s kedge.Salvage) {
	r.t.Helper()
	r.must(r.open().ResetWorktree(r.t.Context(), gitx.ResetRequest{To: s.Base, Head: s.Base, Expect: s.Tree}))
}

// TestF17SalvageAndRestore: a dirty tree, salvaged, reset and restored, has the
// same tree hash, with untracked files, executable bits and links.
func TestF17SalvageAndRestore(t *testing.T) {
	r := newRepo(t)
	makeDirty(r)
	want, status := r.tree(), r.git("status", "--porcelain", "-z")
	id := newSalvageID()

	s := r.salvage(id)
	if s.Tree != want || s.Base != r.git("rev-parse", "HEAD") || s.Ref != "refs/kedge/salvage/"+string(id) {
		t.Errorf("salvage %+v, want tree %s", s, want)
	}
	if s.Files != 10 || len(s.Attic) != 0 || !s.At.Equal(day) {
		t.Errorf("salvage %+v", s)
	}
	if r.tree() != want {
		t.Error("salvage changed the work tree")
	}
	r.reset(s)
	if got := r.git("status", "--porcelain"); got != "" || r.read("ignored") != "stays\n" {
		t.Errorf("after the reset:\n%s", got)
	}
	for range 2 { // twice is once
		r.must(r.restore(id))
		if got := r.tree(); got != want {
			t.Errorf("restored tree %s, want %s:\n%s", got, want, r.git("diff-tree", "-r", want, got))
		}
		if got := r.git("status", "--porcelain", "-z"); got != status {
			t.Errorf("status %q, was %q", got, status)
		}
	}
	list, err := r.open().Salvages(t.Context())
	if err != nil || len(list) != 1 || fmt.Sprint(list[0]) != fmt.Sprint(s) {
		t.Errorf("listed %+v, want %+v (%v)", list, s, err)
	}
}

// TestF17StagedVersionIsKept: what was staged and then changed again is in the
// salvage as well.
func TestF17StagedVersionIsKept(t *testing.T) {
	r := newRepo(t)
	r.write("a", "staged\n")
	r.git("add", "a")
	r.write("a", "one\n") // the file is as in HEAD, only the index differs
	s := r.salvage(newSalvageID())
	if got := r.git("show", s.Commit+"^2:a"); got != "staged" {
		t.Errorf("the staged version is %q", got)
	}
	r.git("reset", "-q", "--hard")
	r.must(r.restore(s.ID))
	if got := r.git("show", ":a"); got != "staged" || r.read("a") != "one\n" {
		t.Errorf("restored index %q, file %q", got, r.read("a"))
	}
}

// TestF17AtticGivesBackBigFilesAndRepositories: a file of 100 MB and a nested
// repository with a commit of its own come back whole.
func TestF17AtticGivesBackBigFilesAndRepositories(t *testing.T) {
	r := newRepo(t)
	r.write("tracked-big", "small yet\n")
	r.commit("second")
	big := func(p string, size int64, end string) {
		f, err := os.Create(r.path(p))
		r.must(err)
		_, err = f.WriteAt([]byte(end), size)
		r.must(err)
		r.must(f.Close())
	}
	big("big", 100<<20, "the end")
	big("tracked-big", 50<<20, "another end")
	r.write("lib/nested/file", "nested work\n")
	nested := &repo{t: t, dir: r.path("lib/nested"), home: r.home, opt: r.opt}
	nested.git("init", "-q")
	tip := nested.commit("nested")
	nested.write("dirty", "not committed\n")
	r.gitIn(r.dir, "init", "-q", "unborn-nested")
	r.write("a", "changed\n")
	status := r.git("status", "--porcelain")
	id := newSalvageID()

	s := r.salvage(id)
	if want := []string{"big", "lib/nested", "tracked-big", "unborn-nested"}; !slices.Equal(s.Attic, want) {
		t.Fatalf("attic %v, want %v", s.Attic, want)
	}
	if s.Files != 5 {
		t.Errorf("%d files", s.Files)
	}
	for _, p := range s.Attic {
		if _, err := os.Lstat(r.path(p)); err == nil {
			t.Errorf("%s is still there", p)
		}
		if _, err := os.Lstat(filepath.Join(r.attic(), string(id), "files", p)); err != nil {
			t.Error(err)
		}
	}
	again := r.salvage(id) // the same request again finds it done
	if fmt.Sprint(again) != fmt.Sprint(s) {
		t.Errorf("again %+v, first %+v", again, s)
	}
	r.reset(s)
	if got := r.read("tracked-big"); got != "small yet\n" {
		t.Errorf("after the reset tracked-big is %d bytes", len(got))
	}
	for range 2 {
		r.must(r.restore(id))
		if got := r.git("status", "--porcelain"); got != status {
			t.Errorf("status %q, was %q", got, status)
		}
	}
	if got := r.read("big"); len(got) != 100<<20+len("the end") || !strings.HasSuffix(got, "the end") {
		t.Errorf("big came back with %d bytes", len(got))
	}
	if got := r.read("tracked-big"); !strings.HasSuffix(got, "another end") {
		t.Errorf("tracked-big came back with %d bytes", len(got))
	}
	if nested.git("rev-parse", "HEAD") != tip || nested.git("status", "--porcelain") != "?? dirty" {
		t.Error("the nested repository is not as it was")
	}
}

func TestSalvageOfACleanTreeIsNothing(t *testing.T) {
	r := newRepo(t)
	s := r.salvage(newSalvageID())
	if s.Ref != "" || s.Commit != "" || s.Attic == nil {
		t.Errorf("%+v", s)
	}
	if list, err := r.open().Salvages(t.Context()); err != nil || list == nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
}

func TestSalvageOnUnbornHead(t *testing.T) {
	r := emptyRepo(t)
	r.write("a", "first\n")
	r.write("b", "second\n")
	r.git("add", "a")
	s := r.salvage(newSalvageID())
	if s.Base != "" || s.Files != 2 {
		t.Errorf("%+v", s)
	}
	want := r.tree()
	r.git("rm", "-q", "--cached", "a")
	r.must(os.Remove(r.path("a")))
	r.must(os.Remove(r.path("b")))
	r.must(r.restore(s.ID))
	if r.tree() != want || r.git("ls-files") != "a" {
		t.Errorf("files %q", r.git("ls-files"))
	}
}

func TestSalvageDuringAMergeConflict(t *testing.T) {
	r := newRepo(t)
	r.git("checkout", "-q", "-b", "other")
	r.write("a", "other\n")
	r.commit("other")
	r.git("checkout", "-q", "main")
	r.write("a", "main\n")
	r.commit("main")
	if _, err := r.tryGit(r.dir, "merge", "other"); err == nil {
		t.Fatal("no conflict")
	}
	text := r.read("a")
	s := r.salvage(newSalvageID())
	r.git("merge", "--abort")
	r.must(r.restore(s.ID))
	if r.read("a") != text {
		t.Errorf("a is %q, was %q", r.read("a"), text)
	}
}

// TestRestoreOntoAMovedHead: the difference is made to the new files; what does
// not fit is refused with its name, and nothing is half done.
func TestRestoreOntoAMovedHead(t *testing.T) {
	r := newRepo(t)
	lines := strings.Split(strings.Repeat("line\n", 20), "\n")
	r.write("code", strings.Join(lines, "\n"))
	r.commit("second")
	lines[1] = "salvaged"
	r.write("code", strings.Join(lines, "\n"))
	r.write("new", "salvaged\n")
	s := r.salvage(newSalvageID())
	r.reset(s)
	lines[1], lines[18] = "line", "upstream"
	r.write("code", strings.Join(lines, "\n"))
	r.write("else", "upstream\n")
	r.commit("upstream")

	r.must(r.restore(s.ID))
	lines[1] = "salvaged"
	if r.read("code") != strings.Join(lines, "\n") || r.read("new") != "salvaged\n" || r.read("else") != "upstream\n" {
		t.Errorf("merged to:\n%s", r.read("code"))
	}

	r.git("checkout", "-q", ".")
	r.must(os.Remove(r.path("new")))
	lines[1] = "against it"
	r.write("code", strings.Join(lines, "\n"))
	r.commit("conflicting")
	before := r.tree()
	err := r.restore(s.ID)
	wantKind(t, err, kedge.Conflict, "code")
	if r.tree() != before {
		t.Error("a refused restore changed files")
	}
}

func TestRestoreRefusesToOverwrite(t *testing.T) {
	r := newRepo(t)
	r.write("a", "salvaged\n")
	r.write("new", "salvaged\n")
	nested := r.path("nested")
	r.gitIn(r.dir, "init", "-q", nested)
	s := r.salvage(newSalvageID())
	r.reset(s)

	r.write("a", "precious\n")
	wantKind(t, r.restore(s.ID), kedge.Conflict, "a")
	r.git("checkout", "-q", "a")
	r.write("new", "precious too\n")
	wantKind(t, r.restore(s.ID), kedge.Conflict, "new")
	r.must(os.Remove(r.path("new")))
	r.write("nested/file", "in the way\n")
	wantKind(t, r.restore(s.ID), kedge.Conflict, "nested")
	if r.read("a") != "one\n" || r.read("nested/file") != "in the way\n" {
		t.Error("a refused restore changed files")
	}
	r.must(os.RemoveAll(nested))
	r.must(os.WriteFile(r.path(".git/info/exclude"), []byte("new\n"), 0o644))
	r.write("new", "ignored and precious\n")
	wantKind(t, r.restore(s.ID), kedge.Conflict, "new")
	r.must(os.Remove(r.path("new")))
	r.must(r.restore(s.ID))
	if _, err := os.Lstat(r.path("nested/.git")); err != nil || r.read("new") != "salvaged\n" {
		t.Errorf("restored: %v", err)
	}
}

func TestRestoreUnknownOrIncomplete(t *testing.T) {
	r := newRepo(t)
	wantKind(t, r.restore(newSalvageID()), kedge.NotFound, "no salvage")
	r.gitIn(r.dir, "init", "-q", "nested")
	s := r.salvage(newSalvageID())
	manifest := filepath.Join(r.attic(), string(s.ID), "manifest.json")
	b, err := os.ReadFile(manifest)
	r.must(err)
	r.must(os.WriteFile(manifest, []byte(`{"version": 1, "extra": 1}`), 0o600))
	wantKind(t, r.restore(s.ID), kedge.Invalid, "manifest.json:1")
	r.must(os.WriteFile(manifest, b, 0o600))
	r.must(os.RemoveAll(filepath.Join(r.attic(), string(s.ID), "files", "nested")))
	wantKind(t, r.restore(s.ID), kedge.NotFound, "no longer in the attic")
	r.must(os.RemoveAll(r.attic()))
	wantKind(t, r.restore(s.ID), kedge.NotFound, "attic of this salvage is gone")
}

// TestSalvageFinishesWhatACrashLeft: with the ref made and nothing moved yet,
// the same request moves the rest.
func TestSalvageFinishesWhatACrashLeft(t *testing.T) {
	r := newRepo(t)
	r.gitIn(r.dir, "init", "-q", "n1")
	r.gitIn(r.dir, "init", "-q", "n2")
	id := newSalvageID()
	s := r.salvage(id)
	r.must(os.Rename(filepath.Join(r.attic(), string(id), "files", "n2"), r.path("n2")))
	if again := r.salvage(id); fmt.Sprint(again) != fmt.Sprint(s) {
		t.Errorf("again %+v, first %+v", again, s)
	}
	if _, err := os.Lstat(r.path("n2")); err == nil {
		t.Error("n2 was not moved")
	}
}

// TestSalvageLeavesOtherWorktreesInPlace: a worktree of the same repository
// inside the folder is somebody's place of work.
func TestSalvageLeavesOtherWorktreesInPlace(t *testing.T) {
	r := newRepo(t)
	r.git("worktree", "add", "-q", r.path("trees/w"))
	if dirty, err := r.open().Dirty(t.Context()); dirty || err != nil {
		t.Errorf("dirty %v, %v", dirty, err)
	}
	r.write("a", "changed\n")
	if s := r.salvage(newSalvageID()); len(s.Attic) != 0 {
		t.Errorf("attic %v", s.Attic)
	}
	if _, err := os.Lstat(r.path("trees/w/a")); err != nil {
		t.Error(err)
	}
}

// TestRelativeWorktreeIsOneToo: newer gits write where the git dir is as a
// relative path.
func TestRelativeWorktreeIsOneToo(t *testing.T) {
	r := newRepo(t)
	r.git("worktree", "add", "-q", r.path("trees/w"))
	r.write("trees/w/.git", "gitdir: ../../.git/worktrees/w\n")
	if dirty, err := r.open().Dirty(t.Context()); dirty || err != nil {
		t.Errorf("dirty %v, %v", dirty, err)
	}
	r.gitIn(r.dir, "init", "-q", "trees/elsewhere")
	r.write("a", "changed\n")
	if s := r.salvage(newSalvageID()); !slices.Contains(s.Attic, "trees/elsewhere") || slices.Contains(s.Attic, "trees/w") {
		t.Errorf("attic %v", s.Attic)
	}
}

func TestSalvageOfFilesThatGitCannotHold(t *testing.T) {
	r := newRepo(t)
	r.write("sub/.GIT/config", "x")
	s := r.salvage(newSalvageID())
	if !slices.Equal(s.Attic, []string{"sub/.GIT/config"}) {
		t.Fatalf("attic %v", s.Attic)
	}
	r.must(r.restore(s.ID))
	if r.read("sub/.GIT/config") != "x" {
		t.Error("not restored")
	}
}

func TestDropSalvage(t *testing.T) {
	r := newRepo(t)
	r.gitIn(r.dir, "init", "-q", "nested")
	s := r.salvage(newSalvageID())
	g := r.open()
	r.must(g.DropSalvage(t.Context(), s.ID, r.attic()))
	wantKind(t, g.DropSalvage(t.Context(), s.ID, r.attic()), kedge.NotFound, string(s.ID))
	if _, err := os.Lstat(filepath.Join(r.attic(), string(s.ID))); err == nil {
		t.Error("its attic is still there")
	}
	if list, err := g.Salvages(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
}

// TestDropSalvageIsFinished: whatever a crash left, the same request finishes it,
// and folders that may not be written to go as well.
func TestDropSalvageIsFinished(t *testing.T) {
	r := newRepo(t)
	g := r.open()
	r.gitIn(r.dir, "init", "-q", "nested")
	s := r.salvage(newSalvageID())
	attic := filepath.Join(r.attic(), string(s.ID))
	r.must(os.Chmod(filepath.Join(attic, "files", "nested"), 0o500))
	r.must(g.DropSalvage(t.Context(), s.ID, r.attic()))
	if _, err := os.Lstat(attic); err == nil {
		t.Error("its attic is still there")
	}
	r.must(os.MkdirAll(filepath.Join(attic, "files"), 0o755)) // as an older Kedge left it
	wantKind(t, g.DropSalvage(t.Context(), s.ID, r.attic()), kedge.NotFound, string(s.ID))
	if _, err := os.Lstat(attic); err == nil {
		t.Error("what was left of it is still there")
	}
	r.gitIn(r.dir, "init", "-q", "nested")
	s = r.salvage(newSalvageID())
	r.must(os.RemoveAll(filepath.Join(r.attic(), string(s.ID)))) // the crash was here
	if list, err := g.Salvages(t.Context()); err != nil || len(list) != 1 {
		t.Errorf("%v, %v", list, err)
	}
	r.must(g.DropSalvage(t.Context(), s.ID, r.attic()))
	if list, err := g.Salvages(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
}

// TestT10LinkInTheWay: a folder that became a link leads no move out of the
// work tree.
func TestT10LinkInTheWay(t *testing.T) {
	r := newRepo(t)
	r.must(os.MkdirAll(r.path("d"), 0o755))
	r.gitIn(r.dir, "init", "-q", "d/nested")
	s := r.salvage(newSalvageID())
	r.must(os.RemoveAll(r.path("d")))
	outside := filepath.Join(r.home, "outside")
	r.must(os.Mkdir(outside, 0o755))
	r.must(os.Symlink(outside, r.path("d")))
	wantKind(t, r.restore(s.ID), kedge.Conflict, "is not a folder")
	if entries, err := os.ReadDir(outside); err != nil || len(entries) != 0 {
		t.Errorf("outside holds %v, %v", entries, err)
	}
}
