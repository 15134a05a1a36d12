package checkout_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/testkit/gittest"
)

func TestTreeIsWhatGitAddWouldMake(t *testing.T) {
	r := gittest.New(t)
	r.Write(".gitignore", "*.log\n")
	r.Write("tracked.log", "tracked\n")
	r.Git("add", "-f", "tracked.log")
	r.Write("gone", "x")
	r.Write("becomes-dir", "x")
	r.Write("becomes-file/x", "x")
	r.Commit("second")
	r.Must(os.Remove(r.Path("gone")))
	r.Must(os.Remove(r.Path("becomes-dir")))
	r.Write("becomes-dir/in/it", "y")
	r.Must(os.RemoveAll(r.Path("becomes-file")))
	r.Write("becomes-file", "y")
	r.Write("a", "two\n")
	r.Write("tracked.log", "changed\n")
	r.Write("ignored.log", "no")
	r.Write("new dir/naïve \"file\"\n", "new")
	r.Must(os.Chmod(r.Path("a"), 0o755))
	r.Must(os.Symlink("a", r.Path("link")))
	r.Write("staged", "staged\n")
	r.Git("add", "staged")
	r.Write("staged", "and changed\n")
	status := r.Git("status", "--porcelain", "--ignored")

	got := r.Tree()

	if after := r.Git("status", "--porcelain", "--ignored"); after != status {
		t.Errorf("the user's index changed:\n%s\nbefore:\n%s", after, status)
	}
	r.Git("add", "-A")
	if want := r.Git("write-tree"); got != want {
		t.Errorf("tree %s, git says %s:\n%s", got, want, r.Git("diff-tree", "-r", "--name-status", want, got))
	}
	if left, _ := filepath.Glob(r.Path(".git/kedge-scratch-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestTreeSeesWhatTheIndexHides(t *testing.T) {
	r := gittest.New(t)
	r.Write("b", "one\n")
	r.Commit("second")
	clean := r.Tree()
	r.Git("update-index", "--assume-unchanged", "a")
	r.Git("update-index", "--skip-worktree", "b")
	r.Write("a", "hidden\n")
	first := r.Tree()
	r.Write("b", "hidden\n")
	second := r.Tree()
	if first == clean || second == first {
		t.Errorf("a hidden change was not seen: %s %s %s", clean, first, second)
	}
}

// TestTreeSeesAChangeInTheSameMoment: a file written again in the second in
// which the index was, with the same size, has changed. Git tells by the time of
// the index file, which must survive our copying it.
func TestTreeSeesAChangeInTheSameMoment(t *testing.T) {
	r := gittest.New(t)
	moment := gittest.Day.AddDate(-1, 0, 0)
	at := func(p string) { r.Must(os.Chtimes(r.Path(p), moment, moment)) }
	r.Write("a", "two\n")
	at("a")
	r.Commit("second")
	r.Write("a", "six\n")
	at("a")
	at(".git/index")
	tree := r.Tree()
	if got := r.Git("cat-file", "blob", tree+":a"); got != "six" {
		t.Errorf("the tree holds %q", got)
	}
	if dirty, err := r.Open().Dirty(t.Context()); err != nil || !dirty {
		t.Errorf("dirty: %v, %v", dirty, err)
	}
}

func TestTreeOfAMergeInConflict(t *testing.T) {
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
	tree := r.Tree()
	if got := r.Git("cat-file", "blob", tree+":a"); !strings.Contains(got, "<<<<<<<") {
		t.Errorf("a is %q", got)
	}
}

func TestTreeWithSplitIndexAndNoIndex(t *testing.T) {
	r := gittest.New(t)
	r.Write("b", "b\n")
	r.Commit("second")
	want := r.Tree()
	r.Git("update-index", "--split-index")
	if got := r.Tree(); got != want {
		t.Errorf("split index: %s, want %s", got, want)
	}
	r.Must(os.Remove(r.Path(".git/index")))
	if got := r.Tree(); got != want {
		t.Errorf("no index: %s, want %s", got, want)
	}
}

func TestTreeNamesAFileThatGitCannotHold(t *testing.T) {
	r := gittest.New(t)
	r.Write("sub/.GIT/config", "x")
	_, err := r.Open().Tree(t.Context())
	gittest.WantKind(t, err, kedge.Invalid, "sub/.GIT/config")
}

func TestTreeSHA256(t *testing.T) {
	r := gittest.Empty(t)
	r.Must(os.RemoveAll(r.Path(".git")))
	if _, err := r.TryGit(r.Dir, "init", "-q", "--object-format=sha256"); err != nil {
		t.Skip("this git makes no sha256 repositories")
	}
	r.Write("a", "one\n")
	sha := r.Commit("first")
	if got, want := r.Tree(), r.Git("rev-parse", sha+"^{tree}"); got != want || len(got) != 64 {
		t.Errorf("tree %s, want %s", got, want)
	}
	r.Must(r.Open().UpdateRef(t.Context(), "refs/heads/x", sha, ""))
}
