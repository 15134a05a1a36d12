package salvage_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/git"
	"kedge/internal/git/salvage"
	"kedge/internal/testkit/gittest"
)

// TestF17SalvageAndRestore: a dirty tree, salvaged, reset and restored, has the
// same tree hash, with untracked files, executable bits and links.
func TestF17SalvageAndRestore(t *testing.T) {
	r := gittest.New(t)
	gittest.MakeDirty(r)
	want, status := r.Tree(), r.Git("status", "--porcelain", "-z")
	id := gittest.NewSalvageID()

	s := r.Salvage(id)
	if s.Tree != want || s.Base != r.Git("rev-parse", "HEAD") || s.Ref != "refs/kedge/salvage/"+string(id) {
		t.Errorf("salvage %+v, want tree %s", s, want)
	}
	if s.Files != 10 || len(s.Attic) != 0 || !s.At.Equal(gittest.Day) {
		t.Errorf("salvage %+v", s)
	}
	if r.Tree() != want {
		t.Error("salvage changed the worktree")
	}
	r.Reset(s)
	if got := r.Git("status", "--porcelain"); got != "" || r.Read("ignored") != "stays\n" {
		t.Errorf("after the reset:\n%s", got)
	}
	for range 2 { // twice is once
		r.Must(r.Restore(id))
		if got := r.Tree(); got != want {
			t.Errorf("restored tree %s, want %s:\n%s", got, want, r.Git("diff-tree", "-r", want, got))
		}
		if got := r.Git("status", "--porcelain", "-z"); got != status {
			t.Errorf("status %q, was %q", got, status)
		}
	}
	list, err := r.Open().Salvages(t.Context())
	if err != nil || len(list) != 1 || fmt.Sprint(list[0]) != fmt.Sprint(s) {
		t.Errorf("listed %+v, want %+v (%v)", list, s, err)
	}
}

// TestF17StagedVersionIsKept: what was staged and then changed again is in the
// salvage as well.
func TestF17StagedVersionIsKept(t *testing.T) {
	r := gittest.New(t)
	r.Write("a", "staged\n")
	r.Git("add", "a")
	r.Write("a", "one\n") // the file is as in HEAD, only the index differs
	s := r.Salvage(gittest.NewSalvageID())
	if got := r.Git("show", s.Commit+"^2:a"); got != "staged" {
		t.Errorf("the staged version is %q", got)
	}
	r.Git("reset", "-q", "--hard")
	r.Must(r.Restore(s.ID))
	if got := r.Git("show", ":a"); got != "staged" || r.Read("a") != "one\n" {
		t.Errorf("restored index %q, file %q", got, r.Read("a"))
	}
}

// TestF17AtticGivesBackBigFilesAndRepositories: a file of 100 MB and a nested
// repository with a commit of its own come back whole.
func TestF17AtticGivesBackBigFilesAndRepositories(t *testing.T) {
	r := gittest.New(t)
	r.Write("tracked-big", "small yet\n")
	r.Commit("second")
	big := func(p string, size int64, end string) {
		f, err := os.Create(r.Path(p))
		r.Must(err)
		_, err = f.WriteAt([]byte(end), size)
		r.Must(err)
		r.Must(f.Close())
	}
	big("big", 100<<20, "the end")
	big("tracked-big", 50<<20, "another end")
	r.Write("lib/nested/file", "nested work\n")
	nested := &gittest.Repo{T: t, Dir: r.Path("lib/nested"), Home: r.Home, Opt: r.Opt}
	nested.Git("init", "-q")
	tip := nested.Commit("nested")
	nested.Write("dirty", "not committed\n")
	r.GitIn(r.Dir, "init", "-q", "unborn-nested")
	r.Write("a", "changed\n")
	status := r.Git("status", "--porcelain")
	id := gittest.NewSalvageID()

	s := r.Salvage(id)
	if want := []string{"big", "lib/nested", "tracked-big", "unborn-nested"}; !slices.Equal(s.Attic, want) {
		t.Fatalf("attic %v, want %v", s.Attic, want)
	}
	if s.Files != 5 {
		t.Errorf("%d files", s.Files)
	}
	for _, p := range s.Attic {
		if _, err := os.Lstat(r.Path(p)); err == nil {
			t.Errorf("%s is still there", p)
		}
		if _, err := os.Lstat(filepath.Join(r.Attic(), string(id), "files", p)); err != nil {
			t.Error(err)
		}
	}
	again := r.Salvage(id) // the same request again finds it done
	if fmt.Sprint(again) != fmt.Sprint(s) {
		t.Errorf("again %+v, first %+v", again, s)
	}
	r.Reset(s)
	if got := r.Read("tracked-big"); got != "small yet\n" {
		t.Errorf("after the reset tracked-big is %d bytes", len(got))
	}
	for range 2 {
		r.Must(r.Restore(id))
		if got := r.Git("status", "--porcelain"); got != status {
			t.Errorf("status %q, was %q", got, status)
		}
	}
	if got := r.Read("big"); len(got) != 100<<20+len("the end") || !strings.HasSuffix(got, "the end") {
		t.Errorf("big came back with %d bytes", len(got))
	}
	if got := r.Read("tracked-big"); !strings.HasSuffix(got, "another end") {
		t.Errorf("tracked-big came back with %d bytes", len(got))
	}
	if nested.Git("rev-parse", "HEAD") != tip || nested.Git("status", "--porcelain") != "?? dirty" {
		t.Error("the nested repository is not as it was")
	}
}

func TestSalvageOfACleanTreeIsNothing(t *testing.T) {
	r := gittest.New(t)
	s := r.Salvage(gittest.NewSalvageID())
	if s.Ref != "" || s.Commit != "" || s.Attic == nil {
		t.Errorf("%+v", s)
	}
	if list, err := r.Open().Salvages(t.Context()); err != nil || list == nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
}

func TestSalvageOnUnbornHead(t *testing.T) {
	r := gittest.Empty(t)
	r.Write("a", "first\n")
	r.Write("b", "second\n")
	r.Git("add", "a")
	s := r.Salvage(gittest.NewSalvageID())
	if s.Base != "" || s.Files != 2 {
		t.Errorf("%+v", s)
	}
	want := r.Tree()
	r.Git("rm", "-q", "--cached", "a")
	r.Must(os.Remove(r.Path("a")))
	r.Must(os.Remove(r.Path("b")))
	r.Must(r.Restore(s.ID))
	if r.Tree() != want || r.Git("ls-files") != "a" {
		t.Errorf("files %q", r.Git("ls-files"))
	}
}

func TestSalvageDuringAMergeConflict(t *testing.T) {
	r := gittest.New(t)
	r.Git("checkout", "-q", "-b", "other")
	r.Write("a", "other\n")
	r.Commit("other")
	r.Git("checkout", "-q", "main")
	r.Write("a", "main\n")
	r.Commit("main")
	if _, err := r.TryGit(r.Dir, "merge", "other"); err == nil {
		t.Fatal("no conflict")
	}
	text := r.Read("a")
	s := r.Salvage(gittest.NewSalvageID())
	r.Git("merge", "--abort")
	r.Must(r.Restore(s.ID))
	if r.Read("a") != text {
		t.Errorf("a is %q, was %q", r.Read("a"), text)
	}
}

// TestRestoreOntoAMovedHead: the difference is made to the new files; what does
// not fit is refused with its name, and nothing is half done.
func TestRestoreOntoAMovedHead(t *testing.T) {
	r := gittest.New(t)
	lines := strings.Split(strings.Repeat("line\n", 20), "\n")
	r.Write("code", strings.Join(lines, "\n"))
	r.Commit("second")
	lines[1] = "salvaged"
	r.Write("code", strings.Join(lines, "\n"))
	r.Write("new", "salvaged\n")
	s := r.Salvage(gittest.NewSalvageID())
	r.Reset(s)
	lines[1], lines[18] = "line", "upstream"
	r.Write("code", strings.Join(lines, "\n"))
	r.Write("else", "upstream\n")
	r.Commit("upstream")

	r.Must(r.Restore(s.ID))
	lines[1] = "salvaged"
	if r.Read("code") != strings.Join(lines, "\n") || r.Read("new") != "salvaged\n" || r.Read("else") != "upstream\n" {
		t.Errorf("merged to:\n%s", r.Read("code"))
	}

	r.Git("checkout", "-q", ".")
	r.Must(os.Remove(r.Path("new")))
	lines[1] = "against it"
	r.Write("code", strings.Join(lines, "\n"))
	r.Commit("conflicting")
	before := r.Tree()
	err := r.Restore(s.ID)
	gittest.WantKind(t, err, kedge.Conflict, "code")
	if r.Tree() != before {
		t.Error("a refused restore changed files")
	}
}

func TestRestoreRefusesToOverwrite(t *testing.T) {
	r := gittest.New(t)
	r.Write("a", "salvaged\n")
	r.Write("new", "salvaged\n")
	nested := r.Path("nested")
	r.GitIn(r.Dir, "init", "-q", nested)
	s := r.Salvage(gittest.NewSalvageID())
	r.Reset(s)

	r.Write("a", "precious\n")
	gittest.WantKind(t, r.Restore(s.ID), kedge.Conflict, "a")
	r.Git("checkout", "-q", "a")
	r.Write("new", "precious too\n")
	gittest.WantKind(t, r.Restore(s.ID), kedge.Conflict, "new")
	r.Must(os.Remove(r.Path("new")))
	r.Write("nested/file", "in the way\n")
	gittest.WantKind(t, r.Restore(s.ID), kedge.Conflict, "nested")
	if r.Read("a") != "one\n" || r.Read("nested/file") != "in the way\n" {
		t.Error("a refused restore changed files")
	}
	r.Must(os.RemoveAll(nested))
	r.Must(os.WriteFile(r.Path(".git/info/exclude"), []byte("new\n"), 0o644))
	r.Write("new", "ignored and precious\n")
	gittest.WantKind(t, r.Restore(s.ID), kedge.Conflict, "new")
	r.Must(os.Remove(r.Path("new")))
	r.Must(r.Restore(s.ID))
	if _, err := os.Lstat(r.Path("nested/.git")); err != nil || r.Read("new") != "salvaged\n" {
		t.Errorf("restored: %v", err)
	}
}

func TestRestoreUnknownOrIncomplete(t *testing.T) {
	r := gittest.New(t)
	gittest.WantKind(t, r.Restore(gittest.NewSalvageID()), kedge.NotFound, "no set-aside work")
	r.GitIn(r.Dir, "init", "-q", "nested")
	s := r.Salvage(gittest.NewSalvageID())
	manifest := filepath.Join(r.Attic(), string(s.ID), "manifest.json")
	b, err := os.ReadFile(manifest)
	r.Must(err)
	r.Must(os.WriteFile(manifest, []byte(`{"version": 1, "extra": 1}`), 0o600))
	gittest.WantKind(t, r.Restore(s.ID), kedge.Invalid, "manifest.json:1")
	r.Must(os.WriteFile(manifest, b, 0o600))
	r.Must(os.RemoveAll(filepath.Join(r.Attic(), string(s.ID), "files", "nested")))
	gittest.WantKind(t, r.Restore(s.ID), kedge.NotFound, "is no longer in the salvage")
	r.Must(os.RemoveAll(r.Attic()))
	gittest.WantKind(t, r.Restore(s.ID), kedge.NotFound, "cannot read the list of the files that Kedge set aside (the salvage)")
}

// TestSalvageFinishesWhatACrashLeft: with the ref made and nothing moved yet,
// the same request moves the rest.
func TestSalvageFinishesWhatACrashLeft(t *testing.T) {
	r := gittest.New(t)
	r.GitIn(r.Dir, "init", "-q", "n1")
	r.GitIn(r.Dir, "init", "-q", "n2")
	id := gittest.NewSalvageID()
	s := r.Salvage(id)
	r.Must(os.Rename(filepath.Join(r.Attic(), string(id), "files", "n2"), r.Path("n2")))
	if again := r.Salvage(id); fmt.Sprint(again) != fmt.Sprint(s) {
		t.Errorf("again %+v, first %+v", again, s)
	}
	if _, err := os.Lstat(r.Path("n2")); err == nil {
		t.Error("n2 was not moved")
	}
}

// TestSalvageLeavesOtherWorktreesInPlace: a worktree of the same repository
// inside the folder is somebody's place of work.
func TestSalvageLeavesOtherWorktreesInPlace(t *testing.T) {
	r := gittest.New(t)
	r.Git("worktree", "add", "-q", r.Path("trees/w"))
	if dirty, err := r.Open().Dirty(t.Context()); dirty || err != nil {
		t.Errorf("dirty %v, %v", dirty, err)
	}
	r.Write("a", "changed\n")
	if s := r.Salvage(gittest.NewSalvageID()); len(s.Attic) != 0 {
		t.Errorf("attic %v", s.Attic)
	}
	if _, err := os.Lstat(r.Path("trees/w/a")); err != nil {
		t.Error(err)
	}
}

// TestRelativeWorktreeIsOneToo: newer gits write where the git dir is as a
// relative path.
func TestRelativeWorktreeIsOneToo(t *testing.T) {
	r := gittest.New(t)
	r.Git("worktree", "add", "-q", r.Path("trees/w"))
	r.Write("trees/w/.git", "gitdir: ../../.git/worktrees/w\n")
	if dirty, err := r.Open().Dirty(t.Context()); dirty || err != nil {
		t.Errorf("dirty %v, %v", dirty, err)
	}
	r.GitIn(r.Dir, "init", "-q", "trees/elsewhere")
	r.Write("a", "changed\n")
	if s := r.Salvage(gittest.NewSalvageID()); !slices.Contains(s.Attic, "trees/elsewhere") || slices.Contains(s.Attic, "trees/w") {
		t.Errorf("attic %v", s.Attic)
	}
}

func TestSalvageOfFilesThatGitCannotHold(t *testing.T) {
	r := gittest.New(t)
	r.Write("sub/.GIT/config", "x")
	s := r.Salvage(gittest.NewSalvageID())
	if !slices.Equal(s.Attic, []string{"sub/.GIT/config"}) {
		t.Fatalf("attic %v", s.Attic)
	}
	r.Must(r.Restore(s.ID))
	if r.Read("sub/.GIT/config") != "x" {
		t.Error("not restored")
	}
}

func TestDropSalvage(t *testing.T) {
	r := gittest.New(t)
	r.GitIn(r.Dir, "init", "-q", "nested")
	s := r.Salvage(gittest.NewSalvageID())
	g := r.Open()
	r.Must(g.DropSalvage(t.Context(), s.ID, r.Attic()))
	gittest.WantKind(t, g.DropSalvage(t.Context(), s.ID, r.Attic()), kedge.NotFound, string(s.ID))
	if _, err := os.Lstat(filepath.Join(r.Attic(), string(s.ID))); err == nil {
		t.Error("its attic is still there")
	}
	if list, err := g.Salvages(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
}

// TestDropSalvageIsFinished: whatever a crash left, the same request finishes it,
// and folders that may not be written to go as well.
func TestDropSalvageIsFinished(t *testing.T) {
	r := gittest.New(t)
	g := r.Open()
	r.GitIn(r.Dir, "init", "-q", "nested")
	s := r.Salvage(gittest.NewSalvageID())
	attic := filepath.Join(r.Attic(), string(s.ID))
	r.Must(os.Chmod(filepath.Join(attic, "files", "nested"), 0o500))
	r.Must(g.DropSalvage(t.Context(), s.ID, r.Attic()))
	if _, err := os.Lstat(attic); err == nil {
		t.Error("its attic is still there")
	}
	r.Must(os.MkdirAll(filepath.Join(attic, "files"), 0o755)) // as an older Kedge left it
	gittest.WantKind(t, g.DropSalvage(t.Context(), s.ID, r.Attic()), kedge.NotFound, string(s.ID))
	if _, err := os.Lstat(attic); err == nil {
		t.Error("what was left of it is still there")
	}
	r.GitIn(r.Dir, "init", "-q", "nested")
	s = r.Salvage(gittest.NewSalvageID())
	r.Must(os.RemoveAll(filepath.Join(r.Attic(), string(s.ID)))) // the crash was here
	if list, err := g.Salvages(t.Context()); err != nil || len(list) != 1 {
		t.Errorf("%v, %v", list, err)
	}
	r.Must(g.DropSalvage(t.Context(), s.ID, r.Attic()))
	if list, err := g.Salvages(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
}

// TestT10LinkInTheWay: a folder that became a link leads no move out of the
// worktree.
func TestT10LinkInTheWay(t *testing.T) {
	r := gittest.New(t)
	r.Must(os.MkdirAll(r.Path("d"), 0o755))
	r.GitIn(r.Dir, "init", "-q", "d/nested")
	s := r.Salvage(gittest.NewSalvageID())
	r.Must(os.RemoveAll(r.Path("d")))
	outside := filepath.Join(r.Home, "outside")
	r.Must(os.Mkdir(outside, 0o755))
	r.Must(os.Symlink(outside, r.Path("d")))
	gittest.WantKind(t, r.Restore(s.ID), kedge.Conflict, "is not a folder")
	if entries, err := os.ReadDir(outside); err != nil || len(entries) != 0 {
		t.Errorf("outside holds %v, %v", entries, err)
	}
}

func TestSalvageSinceKeepsCommits(t *testing.T) {
	r := gittest.New(t)
	base := r.Git("rev-parse", "HEAD")
	dir := filepath.Join(r.Home, "w")
	g := r.Open()
	r.Must(g.AddWorktree(t.Context(), git.WorktreeRequest{Path: dir, Base: base}))
	in := &gittest.Repo{T: t, Dir: dir, Home: r.Home, Opt: r.Opt}
	in.Write("a", "committed\n")
	sha := in.Commit("of its own")
	q := git.SalvageRequest{Dir: dir, ID: gittest.NewSalvageID(), Reason: "r", Attic: r.Attic(), Date: gittest.Day, Since: base}
	s, err := g.Salvage(t.Context(), q)
	if err != nil || s.Ref == "" || s.Base != base || s.Files != 1 {
		t.Fatalf("salvaged %+v, %v", s, err)
	}
	if lonely, err := g.Lonely(t.Context(), sha, "refs/heads/main"); err != nil || lonely {
		t.Errorf("the commit is on no ref: %v", err)
	}
	r.Must(g.ResetWorktree(t.Context(), git.ResetRequest{Dir: dir, To: base, Head: sha, Expect: s.Tree}))
	if _, err := g.Restore(t.Context(), git.RestoreRequest{ID: q.ID, Dir: dir, Attic: r.Attic()}); err != nil || in.Read("a") != "committed\n" {
		t.Errorf("restored %q, %v", in.Read("a"), err)
	}
}

// FuzzParseSalvage: what git prints is cut up without a panic, whatever it is.
func FuzzParseSalvage(f *testing.F) {
	f.Add("salvage: x\n\nKedge-Attic: \"a\"\nKedge-Files: 3\n")
	f.Fuzz(func(t *testing.T, s string) {
		if n := salvage.ParseSalvage(s); n < 0 {
			t.Error("negative")
		}
	})
}
