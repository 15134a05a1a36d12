package gitx_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"kedge"
	"kedge/internal/gitx"
)

// day is the moment that tests happen at.
var day = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

var someone = gitx.Person{Name: "Ada", Email: "ada@example.com"}

// repo is a repository for a test, with a home of its own.
type repo struct {
	t    *testing.T
	dir  string
	home string
	opt  gitx.Options
}

// newRepo makes a repository with one commit of the file "a".
func newRepo(t *testing.T) *repo {
	t.Helper()
	r := emptyRepo(t)
	r.write("a", "one\n")
	r.commit("first")
	return r
}

// emptyRepo makes one whose HEAD is unborn.
func emptyRepo(t *testing.T) *repo {
	t.Helper()
	tmp, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &repo{t: t, dir: filepath.Join(tmp, "work"), home: filepath.Join(tmp, "home")}
	for _, dir := range []string{r.dir, r.home} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	r.opt.Env, r.opt.Cache = r.env(), gitx.Cache{Dir: filepath.Join(r.home, "kept"), Keep: true}
	r.userConfig("[user]\n\tname = Ada\n\temail = ada@example.com\n[init]\n\tdefaultBranch = main\n")
	r.git("init", "-q")
	return r
}

func (r *repo) env() []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + r.home, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C",
		"GIT_AUTHOR_DATE=@1700000000 +0000", "GIT_COMMITTER_DATE=@1700000000 +0000",
	}
}

func (r *repo) userConfig(text string) {
	r.t.Helper()
	r.must(os.WriteFile(filepath.Join(r.home, ".gitconfig"), []byte(text), 0o644))
}

func (r *repo) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatalf("%v (hint: %s)", err, kedge.HintOf(err))
	}
}

// git runs plain git in the work tree.
func (r *repo) git(args ...string) string {
	r.t.Helper()
	return r.gitIn(r.dir, args...)
}

func (r *repo) gitIn(dir string, args ...string) string {
	r.t.Helper()
	out, err := r.tryGit(dir, args...)
	if err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(out)
}

func (r *repo) tryGit(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, r.env()
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (r *repo) path(p string) string { return filepath.Join(r.dir, filepath.FromSlash(p)) }

func (r *repo) write(p, text string) {
	r.t.Helper()
	r.must(os.MkdirAll(filepath.Dir(r.path(p)), 0o755))
	r.must(os.WriteFile(r.path(p), []byte(text), 0o644))
}

func (r *repo) read(p string) string {
	r.t.Helper()
	b, err := os.ReadFile(r.path(p))
	r.must(err)
	return string(b)
}

// commit commits everything with plain git and gives the commit.
func (r *repo) commit(msg string) string {
	r.t.Helper()
	r.git("add", "-A")
	r.git("commit", "-q", "-m", msg)
	return r.git("rev-parse", "HEAD")
}

func (r *repo) open() *gitx.Repo {
	r.t.Helper()
	g, err := gitx.Open(r.t.Context(), r.dir, r.opt)
	r.must(err)
	return g
}

func (r *repo) tree() string {
	r.t.Helper()
	tree, err := r.open().Tree(r.t.Context())
	r.must(err)
	return tree
}

// attic is the attic folder of the repository's project.
func (r *repo) attic() string { return filepath.Join(r.home, "attic") }

func (r *repo) salvage(id kedge.SalvageID) kedge.Salvage {
	r.t.Helper()
	s, err := r.open().Salvage(r.t.Context(), gitx.SalvageRequest{ID: id, Reason: "test", Attic: r.attic(), Date: day})
	r.must(err)
	return s
}

func (r *repo) restore(id kedge.SalvageID) error {
	r.t.Helper()
	_, err := r.open().Restore(r.t.Context(), gitx.RestoreRequest{ID: id, Attic: r.attic()})
	return err
}

func newSalvageID() kedge.SalvageID { return kedge.SalvageID(kedge.NewID("sal", day)) }

// wantKind checks an error's kind and that it says what to do where it must.
func wantKind(t *testing.T, err error, kind kedge.Kind, text string) {
	t.Helper()
	if !kind.Is(err) {
		t.Fatalf("error %v is %q, want %q", err, kedge.KindOf(err), kind)
	}
	if !strings.Contains(err.Error(), text) {
		t.Fatalf("error %q does not say %q", err, text)
	}
}

func TestOpen(t *testing.T) {
	r := newRepo(t)
	r.write("sub/dir/x", "x")
	g, err := gitx.Open(t.Context(), r.path("sub/dir"), r.opt)
	r.must(err)
	if g.Root() != r.dir {
		t.Errorf("root of a subdirectory is %q, want %q", g.Root(), r.dir)
	}
	if g.CommonDir() != r.path(".git") || g.GitDir() != r.path(".git") {
		t.Errorf("git dirs %q, %q", g.CommonDir(), g.GitDir())
	}
	_, err = gitx.Open(t.Context(), r.home, r.opt)
	wantKind(t, err, kedge.NotFound, "not in a git repository")
	_, err = gitx.Open(t.Context(), r.path("nowhere"), r.opt)
	wantKind(t, err, kedge.NotFound, "no folder")
}

func TestOpenRefusesAWorkTreeElsewhere(t *testing.T) {
	r := newRepo(t)
	r.git("config", "core.worktree", r.home)
	_, err := gitx.Open(t.Context(), r.dir, r.opt)
	wantKind(t, err, kedge.Blocked, "elsewhere")
}

func TestOpenLinkedWorktree(t *testing.T) {
	r := newRepo(t)
	linked := filepath.Join(r.home, "linked")
	r.git("worktree", "add", "-q", linked)
	g, err := gitx.Open(t.Context(), linked, r.opt)
	r.must(err)
	if g.Root() != linked || g.CommonDir() != r.path(".git") || g.GitDir() != r.path(".git/worktrees/linked") {
		t.Errorf("root %q, common %q, git dir %q", g.Root(), g.CommonDir(), g.GitDir())
	}
}

// Tracked is about the work tree it is asked of, and what is only on the disk is not.
func TestTracked(t *testing.T) {
	r := newRepo(t)
	linked := filepath.Join(r.home, "linked")
	r.git("worktree", "add", "-q", linked)
	r.must(os.MkdirAll(filepath.Join(linked, "d"), 0o755))
	r.must(os.WriteFile(filepath.Join(linked, "d", "x"), []byte("x"), 0o644))
	g := r.open()
	for _, committed := range []bool{false, true} {
		if committed {
			r.git("-C", linked, "add", "d")
			r.git("-C", linked, "commit", "-q", "-m", "d")
		}
		for dir, want := range map[string]bool{linked: committed, g.Root(): false} {
			if got, err := g.Tracked(t.Context(), dir, "d"); err != nil || got != want {
				t.Errorf("%s, committed %t: %t, %v", dir, committed, got, err)
			}
		}
	}
	_, err := g.Tracked(t.Context(), t.TempDir(), "d")
	if err == nil {
		t.Error("of a folder that is no work tree of it")
	}
}

func TestBareCloneIsRefusedWhereFilesAreNeeded(t *testing.T) {
	r := newRepo(t)
	bare := filepath.Join(r.home, "bare.git")
	r.git("clone", "-q", "--bare", ".", bare)
	for _, dir := range []string{bare, r.path(".git")} {
		g, err := gitx.Open(t.Context(), dir, r.opt)
		r.must(err)
		if g.Root() != "" {
			t.Errorf("%s: root %q", dir, g.Root())
		}
		_, err = g.Tree(t.Context())
		wantKind(t, err, kedge.Invalid, "bare repository or a git dir")
		b, err := g.ReadFile(t.Context(), "HEAD", "a")
		r.must(err)
		if string(b) != "one\n" {
			t.Errorf("read %q from a bare clone", b)
		}
	}
}

func TestHead(t *testing.T) {
	r := emptyRepo(t)
	head := func() gitx.Head {
		h, err := r.open().Head(t.Context())
		r.must(err)
		return h
	}
	if h := head(); h != (gitx.Head{Branch: "main", Unborn: true}) {
		t.Errorf("unborn: %+v", h)
	}
	r.write("a", "one\n")
	sha := r.commit("first")
	if h := head(); h != (gitx.Head{Branch: "main", Commit: sha}) {
		t.Errorf("branch: %+v", h)
	}
	r.git("checkout", "-q", "--detach")
	if h := head(); h != (gitx.Head{Detached: true, Commit: sha}) {
		t.Errorf("detached: %+v", h)
	}
}

func TestTreeIsWhatGitAddWouldMake(t *testing.T) {
	r := newRepo(t)
	r.write(".gitignore", "*.log\n")
	r.write("tracked.log", "tracked\n")
	r.git("add", "-f", "tracked.log")
	r.write("gone", "x")
	r.write("becomes-dir", "x")
	r.write("becomes-file/x", "x")
	r.commit("second")
	r.must(os.Remove(r.path("gone")))
	r.must(os.Remove(r.path("becomes-dir")))
	r.write("becomes-dir/in/it", "y")
	r.must(os.RemoveAll(r.path("becomes-file")))
	r.write("becomes-file", "y")
	r.write("a", "two\n")
	r.write("tracked.log", "changed\n")
	r.write("ignored.log", "no")
	r.write("new dir/naïve \"file\"\n", "new")
	r.must(os.Chmod(r.path("a"), 0o755))
	r.must(os.Symlink("a", r.path("link")))
	r.write("staged", "staged\n")
	r.git("add", "staged")
	r.write("staged", "and changed\n")
	status := r.git("status", "--porcelain", "--ignored")

	got := r.tree()

	if after := r.git("status", "--porcelain", "--ignored"); after != status {
		t.Errorf("the user's index changed:\n%s\nbefore:\n%s", after, status)
	}
	r.git("add", "-A")
	if want := r.git("write-tree"); got != want {
		t.Errorf("tree %s, git says %s:\n%s", got, want, r.git("diff-tree", "-r", "--name-status", want, got))
	}
	if left, _ := filepath.Glob(r.path(".git/kedge-scratch-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestTreeSeesWhatTheIndexHides(t *testing.T) {
	r := newRepo(t)
	r.write("b", "one\n")
	r.commit("second")
	clean := r.tree()
	r.git("update-index", "--assume-unchanged", "a")
	r.git("update-index", "--skip-worktree", "b")
	r.write("a", "hidden\n")
	first := r.tree()
	r.write("b", "hidden\n")
	second := r.tree()
	if first == clean || second == first {
		t.Errorf("a hidden change was not seen: %s %s %s", clean, first, second)
	}
}

// TestTreeSeesAChangeInTheSameMoment: a file written again in the second in
// which the index was, with the same size, has changed. Git tells by the time of
// the index file, which must survive our copying it.
func TestTreeSeesAChangeInTheSameMoment(t *testing.T) {
	r := newRepo(t)
	moment := day.AddDate(-1, 0, 0)
	at := func(p string) { r.must(os.Chtimes(r.path(p), moment, moment)) }
	r.write("a", "two\n")
	at("a")
	r.commit("second")
	r.write("a", "six\n")
	at("a")
	at(".git/index")
	tree := r.tree()
	if got := r.git("cat-file", "blob", tree+":a"); got != "six" {
		t.Errorf("the tree holds %q", got)
	}
	if dirty, err := r.open().Dirty(t.Context()); err != nil || !dirty {
		t.Errorf("dirty: %v, %v", dirty, err)
	}
}

func TestTreeOfAMergeInConflict(t *testing.T) {
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
	tree := r.tree()
	if got := r.git("cat-file", "blob", tree+":a"); !strings.Contains(got, "<<<<<<<") {
		t.Errorf("a is %q", got)
	}
}

func TestTreeWithSplitIndexAndNoIndex(t *testing.T) {
	r := newRepo(t)
	r.write("b", "b\n")
	r.commit("second")
	want := r.tree()
	r.git("update-index", "--split-index")
	if got := r.tree(); got != want {
		t.Errorf("split index: %s, want %s", got, want)
	}
	r.must(os.Remove(r.path(".git/index")))
	if got := r.tree(); got != want {
		t.Errorf("no index: %s, want %s", got, want)
	}
}

func TestTreeNamesAFileThatGitCannotHold(t *testing.T) {
	r := newRepo(t)
	r.write("sub/.GIT/config", "x")
	_, err := r.open().Tree(t.Context())
	wantKind(t, err, kedge.Invalid, "sub/.GIT/config")
}

func TestTreeSHA256(t *testing.T) {
	r := emptyRepo(t)
	r.must(os.RemoveAll(r.path(".git")))
	if _, err := r.tryGit(r.dir, "init", "-q", "--object-format=sha256"); err != nil {
		t.Skip("this git makes no sha256 repositories")
	}
	r.write("a", "one\n")
	sha := r.commit("first")
	if got, want := r.tree(), r.git("rev-parse", sha+"^{tree}"); got != want || len(got) != 64 {
		t.Errorf("tree %s, want %s", got, want)
	}
	r.must(r.open().UpdateRef(t.Context(), "refs/heads/x", sha, ""))
}

func TestTreeWithout(t *testing.T) {
	r := newRepo(t)
	want := r.tree()
	r.write(".kedge/features.json", "{}")
	r.write("AGENT_CONTEXT.md", "x")
	r.write("deep/er/file", "x")
	tree := r.tree()
	got, err := r.open().TreeWithout(t.Context(), tree, ".kedge", "AGENT_CONTEXT.md", "deep/er/file", "not/there", "a/not")
	r.must(err)
	if got != want {
		t.Errorf("tree %s, want %s", got, want)
	}
	_, err = r.open().TreeWithout(t.Context(), tree, "../x")
	wantKind(t, err, kedge.Invalid, "../x")
}

func TestDiff(t *testing.T) {
	r := newRepo(t)
	r.write("gone", "1\n2\n")
	from := r.commit("second")
	r.must(os.Remove(r.path("gone")))
	r.write("a", "one\ntwo\nthree\n")
	r.write("bin", "\x00\x01")
	r.write("new\tfile", "x\n")
	to := r.tree()
	got, err := r.open().Diff(t.Context(), from, to)
	r.must(err)
	want := []gitx.Change{
		{Path: "a", Status: "M", Added: 2},
		{Path: "bin", Status: "A", Binary: true},
		{Path: "gone", Status: "D", Removed: 2},
		{Path: "new\tfile", Status: "A", Added: 1},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %+v", got)
	}
	_, err = r.open().Diff(t.Context(), from, strings.Repeat("ab", 20))
	wantKind(t, err, kedge.NotFound, "not in this repository")
	same, err := r.open().Diff(t.Context(), from, from)
	if err != nil || same == nil || len(same) != 0 {
		t.Errorf("same: %v, %v", same, err)
	}
}

func TestReading(t *testing.T) {
	r := newRepo(t)
	r.write("d/x", "x\n")
	r.write("d/y", "y\n")
	r.commit("second")
	g, ctx := r.open(), t.Context()
	b, err := g.ReadFile(ctx, "main", "d/x")
	if err != nil || string(b) != "x\n" {
		t.Errorf("read %q, %v", b, err)
	}
	_, err = g.ReadFile(ctx, "main", "d/z")
	wantKind(t, err, kedge.NotFound, `no file "d/z"`)
	_, err = g.ReadFile(ctx, "main", "d")
	wantKind(t, err, kedge.Invalid, "not a file")
	_, err = g.ReadFile(ctx, "nobranch", "d/x")
	wantKind(t, err, kedge.NotFound, "nobranch")
	for path, want := range map[string]bool{"a": true, "d": true, "d/y": true, "e": false} {
		if ok, err := g.Exists(ctx, "HEAD", path); err != nil || ok != want {
			t.Errorf("exists %q: %v, %v", path, ok, err)
		}
	}
	list, err := g.List(ctx, "HEAD", "d")
	if err != nil || len(list) != 2 || list[0].Path != "d/x" || list[0].Type != "blob" {
		t.Errorf("list: %+v, %v", list, err)
	}
	sha, err := g.Resolve(ctx, r.git("rev-parse", "--short", "HEAD"))
	if err != nil || sha != r.git("rev-parse", "HEAD") {
		t.Errorf("resolve: %q, %v", sha, err)
	}
}

func TestCancelledContextIsInterrupted(t *testing.T) {
	r := newRepo(t)
	g := r.open()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := g.Tree(ctx)
	wantKind(t, err, kedge.Interrupted, "git")
}
