package checkout_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/git"
	"kedge/internal/git/checkout"
	"kedge/internal/testkit/gittest"
)

func TestCommitPathsLeavesOtherStagedWorkStaged(t *testing.T) {
	r := gittest.New(t)
	r.Write("gone", "x\n")
	head := r.Commit("second")
	r.Write("other", "staged\n")
	r.Git("add", "other")
	r.Write("other", "staged and changed\n")
	r.Write("a", "two\n")
	r.Write(".kedge/config.toml", "version = 1\n")
	r.Write("AGENTS.md", "staged version\n")
	r.Git("add", "AGENTS.md")
	r.Write("AGENTS.md", "version of the worktree\n")
	r.Must(os.Remove(r.Path("gone")))

	q := git.CommitPathsRequest{Paths: []string{".kedge/config.toml", "AGENTS.md", "gone", "never-was"}, Message: "kedge: init", Date: gittest.Day, Author: gittest.Someone}
	sha, err := r.Open().CommitPaths(t.Context(), q)
	r.Must(err)

	if got := r.Git("rev-parse", "main"); got != sha || r.Git("rev-parse", "main^") != head {
		t.Errorf("main is %s, want %s on %s", got, sha, head)
	}
	if got := r.Git("show", "--format=", "--name-status", sha); got != "A\t.kedge/config.toml\nA\tAGENTS.md\nD\tgone" {
		t.Errorf("committed:\n%s", got)
	}
	if got := r.Git("show", sha+":AGENTS.md"); got != "version of the worktree" {
		t.Errorf("AGENTS.md is %q", got)
	}
	if got := r.Git("status", "--porcelain"); got != "M a\nAM other" {
		t.Errorf("status afterwards:\n%s", got)
	}
	if again, err := r.Open().CommitPaths(t.Context(), q); again != "" || err != nil {
		t.Errorf("a second time: %q, %v", again, err)
	}
}

// crashed is a repository whose branch has a commit of Kedge's while the index
// is still the one before it, with staged work of the user's.
func crashed(t *testing.T) (r *gittest.Repo, q git.CommitPathsRequest, sha string) {
	t.Helper()
	r = gittest.New(t)
	r.Write("gone", "x\n")
	r.Write("mine", "x\n")
	r.Commit("second")
	r.Write("other", "staged\n")
	r.Write("mine", "staged\n")
	r.Git("add", "other", "mine")
	r.Write("mine", "changed\n")
	r.Write("d/new", "new\n")
	r.Must(os.Remove(r.Path("gone")))
	old, err := os.ReadFile(r.Path(".git/index"))
	r.Must(err)
	q = git.CommitPathsRequest{Paths: []string{"d/new", "gone", "mine"}, Message: "m", Date: gittest.Day, Author: gittest.Someone}
	sha, err = r.Open().CommitPaths(t.Context(), q)
	r.Must(err)
	r.Must(os.WriteFile(r.Path(".git/index"), old, 0o644))
	if got := r.Git("status", "--porcelain"); !strings.Contains(got, "D  d/new") && !strings.Contains(got, "D d/new") {
		t.Fatalf("the index is not behind:\n%s", got)
	}
	return r, q, sha
}

// checkFollowed: the named paths are as in HEAD, but for what the user staged.
func checkFollowed(r *gittest.Repo) {
	r.T.Helper()
	if got := r.Git("status", "--porcelain"); got != "MM mine\nA  other" {
		r.T.Errorf("status:\n%s", got)
	}
	left, err := filepath.Glob(r.Path(".git/kedge-[ci]*"))
	if err != nil || len(left) > 0 {
		r.T.Errorf("left behind: %v, %v", left, err)
	}
	if _, err := os.Lstat(r.Path(".git/index.lock")); err == nil {
		r.T.Error("the index is still locked")
	}
}

// TestF16IndexFollowsACommitThatCrashed: the same request again finds the commit
// made, and brings the index up to it.
func TestF16IndexFollowsACommitThatCrashed(t *testing.T) {
	r, q, sha := crashed(t)
	for range 2 {
		again, err := r.Open().CommitPaths(t.Context(), q)
		if err != nil || again != "" || r.Git("rev-parse", "HEAD") != sha {
			t.Errorf("again %q, %v", again, err)
		}
		checkFollowed(r)
	}
}

// TestF16OpeningFinishesACommitThatCrashed: so does whoever opens the
// repository next, and the lock that was left is known as Kedge's own.
func TestF16OpeningFinishesACommitThatCrashed(t *testing.T) {
	r, q, sha := crashed(t)
	r.Must(checkout.LeaveCommit(t.Context(), checkout.Of(r.Hardened()), "main", sha, q.Paths))
	if _, err := r.TryGit(r.Dir, "add", "other"); err == nil {
		t.Fatal("the index is not locked")
	}
	r.Open()
	checkFollowed(r)
}

// TestF16OpeningFinishesAForwardThatCrashed: a branch that moved over several commits
// while the index stayed behind; what a person staged stays staged.
func TestF16OpeningFinishesAForwardThatCrashed(t *testing.T) {
	r := gittest.New(t)
	from := r.Git("rev-parse", "HEAD")
	for _, name := range []string{"one", "two"} {
		r.Write(name, name+"\n")
		r.Commit(name)
	}
	to := r.Git("rev-parse", "HEAD")
	r.Git("reset", "-q", "--hard", from)
	old, err := os.ReadFile(r.Path(".git/index"))
	r.Must(err)
	r.Must(r.Open().Forward(t.Context(), git.ForwardRequest{Branch: "main", To: to}))
	if got := r.Git("status", "--porcelain"); got != "" {
		t.Fatalf("moved:\n%s", got)
	}
	r.Must(os.WriteFile(r.Path(".git/index"), old, 0o644))
	r.Write("mine", "staged\n")
	r.Git("add", "mine")
	r.Must(checkout.LeaveForward(t.Context(), checkout.Of(r.Hardened()), "main", from, to, []string{"one", "two"}))
	r.Open()
	if got := r.Git("status", "--porcelain"); got != "A  mine" {
		t.Errorf("status:\n%s", got)
	}
	left, err := filepath.Glob(r.Path(".git/kedge-[ci]*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestF16CommitThatCrashedBeforeItsBranchMoved changes nothing.
func TestF16CommitThatCrashedBeforeItsBranchMoved(t *testing.T) {
	r := gittest.New(t)
	r.Write("a", "staged\n")
	r.Git("add", "a")
	r.Must(checkout.LeaveCommit(t.Context(), checkout.Of(r.Hardened()), "main", strings.Repeat("ab", 20), []string{"a"}))
	r.Open()
	if got := r.Git("status", "--porcelain"); got != "M  a" {
		t.Errorf("status:\n%s", got)
	}
	r.Git("add", "a") // and nothing is locked
}

// TestF15SomebodyElsesIndexLockStays: only the lock that is Kedge's own is taken
// away before its time.
func TestF15SomebodyElsesIndexLockStays(t *testing.T) {
	r, q, sha := crashed(t)
	r.Must(checkout.LeaveCommit(t.Context(), checkout.Of(r.Hardened()), "main", sha, q.Paths))
	r.Must(os.Remove(r.Path(".git/index.lock")))
	r.Must(os.WriteFile(r.Path(".git/index.lock"), nil, 0o644))
	r.Open()
	if _, err := os.Lstat(r.Path(".git/index.lock")); err != nil {
		t.Fatal(err)
	}
	r.Must(os.Remove(r.Path(".git/index.lock")))
	r.Open() // when it is free the index follows
	checkFollowed(r)
}

func TestCommitPathsOnUnbornAndDetachedHead(t *testing.T) {
	r := gittest.Empty(t)
	r.Write("x", "x\n")
	r.Write("y", "y\n")
	q := git.CommitPathsRequest{Paths: []string{"x"}, Message: "first", Date: gittest.Day, Author: gittest.Someone}
	sha, err := r.Open().CommitPaths(t.Context(), q)
	r.Must(err)
	if r.Git("rev-parse", "main") != sha || r.Git("status", "--porcelain") != "?? y" {
		t.Errorf("status: %s", r.Git("status", "--porcelain"))
	}
	r.Git("checkout", "-q", "--detach")
	r.Write("x", "changed\n")
	_, err = r.Open().CommitPaths(t.Context(), q)
	gittest.WantKind(t, err, kedge.Blocked, "detached")
}
