package gitx_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kedge"
	"kedge/internal/gitx"
)

// TestInvariant10SameRequestSameCommit: executing it twice has the effect of once.
func TestInvariant10SameRequestSameCommit(t *testing.T) {
	r := newRepo(t)
	g, ctx := r.open(), t.Context()
	head := r.git("rev-parse", "HEAD")
	r.write("a", "two\n")
	q := gitx.CommitRequest{
		Tree: r.tree(), Parents: []string{head}, Message: "work\n\nKedge-Feature: x\n",
		Date: day.In(time.FixedZone("", 3600)), Author: someone,
	}
	first, err := g.Commit(ctx, q)
	r.must(err)
	second, err := g.Commit(ctx, q)
	r.must(err)
	if first != second {
		t.Errorf("the same request gave %s and %s", first, second)
	}
	for range 2 {
		r.must(g.UpdateRef(ctx, "refs/heads/main", first, head))
	}
	want := "Ada <ada@example.com> 1772600767 +0100 Ada <ada@example.com> work"
	if got := r.git("log", "-1", "--date=raw", "--format=%an <%ae> %ad %cn <%ce> %s", first); got != want {
		t.Errorf("commit is %q, want %q", got, want)
	}
	if got := r.git("rev-list", "--count", "main"); got != "2" {
		t.Errorf("%s commits on main", got)
	}
}

func TestCommitRefuses(t *testing.T) {
	r := newRepo(t)
	g := r.open()
	good := gitx.CommitRequest{Tree: r.tree(), Message: "m", Date: day, Author: someone}
	for name, spoil := range map[string]func(*gitx.CommitRequest){
		"no tree":     func(q *gitx.CommitRequest) { q.Tree = "HEAD" },
		"bad parent":  func(q *gitx.CommitRequest) { q.Parents = []string{"--output=x"} },
		"no message":  func(q *gitx.CommitRequest) { q.Message = " \n" },
		"NUL":         func(q *gitx.CommitRequest) { q.Message = "a\x00b" },
		"no author":   func(q *gitx.CommitRequest) { q.Author = gitx.Person{} },
		"no date":     func(q *gitx.CommitRequest) { q.Date = time.Time{} },
		"short a sha": func(q *gitx.CommitRequest) { q.Tree = q.Tree[:39] },
	} {
		q := good
		spoil(&q)
		if _, err := g.Commit(t.Context(), q); !kedge.Invalid.Is(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestUpdateRefIsCompareAndSet(t *testing.T) {
	r := newRepo(t)
	g, ctx := r.open(), t.Context()
	one := r.git("rev-parse", "HEAD")
	r.write("a", "two\n")
	two := r.commit("second")
	const ref = "refs/kedge/test"
	r.must(g.UpdateRef(ctx, ref, one, ""))
	wantKind(t, g.UpdateRef(ctx, ref, two, ""), kedge.Conflict, "moved meanwhile")
	wantKind(t, g.UpdateRef(ctx, ref, two, two[:38]+"00"), kedge.Conflict, one[:12])
	r.must(g.UpdateRef(ctx, ref, two, one))
	wantKind(t, g.UpdateRef(ctx, ref, "", one), kedge.Conflict, "moved meanwhile")
	r.must(g.UpdateRef(ctx, ref, "", two))
	r.must(g.UpdateRef(ctx, ref, "", two)) // gone already
	wantKind(t, g.UpdateRef(ctx, ref, one, two), kedge.Conflict, "stands at nothing")
}

func TestCommitPathsLeavesOtherStagedWorkStaged(t *testing.T) {
	r := newRepo(t)
	r.write("gone", "x\n")
	head := r.commit("second")
	r.write("other", "staged\n")
	r.git("add", "other")
	r.write("other", "staged and changed\n")
	r.write("a", "two\n")
	r.write(".kedge/config.toml", "version = 1\n")
	r.write("AGENTS.md", "staged version\n")
	r.git("add", "AGENTS.md")
	r.write("AGENTS.md", "version of the work tree\n")
	r.must(os.Remove(r.path("gone")))

	q := gitx.CommitPathsRequest{Paths: []string{".kedge/config.toml", "AGENTS.md", "gone", "never-was"}, Message: "kedge: init", Date: day, Author: someone}
	sha, err := r.open().CommitPaths(t.Context(), q)
	r.must(err)

	if got := r.git("rev-parse", "main"); got != sha || r.git("rev-parse", "main^") != head {
		t.Errorf("main is %s, want %s on %s", got, sha, head)
	}
	if got := r.git("show", "--format=", "--name-status", sha); got != "A\t.kedge/config.toml\nA\tAGENTS.md\nD\tgone" {
		t.Errorf("committed:\n%s", got)
	}
	if got := r.git("show", sha+":AGENTS.md"); got != "version of the work tree" {
		t.Errorf("AGENTS.md is %q", got)
	}
	if got := r.git("status", "--porcelain"); got != "M a\nAM other" {
		t.Errorf("status afterwards:\n%s", got)
	}
	if again, err := r.open().CommitPaths(t.Context(), q); again != "" || err != nil {
		t.Errorf("a second time: %q, %v", again, err)
	}
}

// crashed is a repository whose branch has a commit of Kedge's while the index
// is still the one before it, with staged work of the user's.
func crashed(t *testing.T) (r *repo, q gitx.CommitPathsRequest, sha string) {
	t.Helper()
	r = newRepo(t)
	r.write("gone", "x\n")
	r.write("mine", "x\n")
	r.commit("second")
	r.write("other", "staged\n")
	r.write("mine", "staged\n")
	r.git("add", "other", "mine")
	r.write("mine", "changed\n")
	r.write("d/new", "new\n")
	r.must(os.Remove(r.path("gone")))
	old, err := os.ReadFile(r.path(".git/index"))
	r.must(err)
	q = gitx.CommitPathsRequest{Paths: []string{"d/new", "gone", "mine"}, Message: "m", Date: day, Author: someone}
	sha, err = r.open().CommitPaths(t.Context(), q)
	r.must(err)
	r.must(os.WriteFile(r.path(".git/index"), old, 0o644))
	if got := r.git("status", "--porcelain"); !strings.Contains(got, "D  d/new") && !strings.Contains(got, "D d/new") {
		t.Fatalf("the index is not behind:\n%s", got)
	}
	return r, q, sha
}

// checkFollowed: the named paths are as in HEAD, but for what the user staged.
func (r *repo) checkFollowed() {
	r.t.Helper()
	if got := r.git("status", "--porcelain"); got != "MM mine\nA  other" {
		r.t.Errorf("status:\n%s", got)
	}
	left, err := filepath.Glob(r.path(".git/kedge-[ci]*"))
	if err != nil || len(left) > 0 {
		r.t.Errorf("left behind: %v, %v", left, err)
	}
	if _, err := os.Lstat(r.path(".git/index.lock")); err == nil {
		r.t.Error("the index is still locked")
	}
}

// TestF16IndexFollowsACommitThatCrashed: the same request again finds the commit
// made, and brings the index up to it.
func TestF16IndexFollowsACommitThatCrashed(t *testing.T) {
	r, q, sha := crashed(t)
	for range 2 {
		again, err := r.open().CommitPaths(t.Context(), q)
		if err != nil || again != "" || r.git("rev-parse", "HEAD") != sha {
			t.Errorf("again %q, %v", again, err)
		}
		r.checkFollowed()
	}
}

// TestF16OpeningFinishesACommitThatCrashed: so does whoever opens the
// repository next, and the lock that was left is known as Kedge's own.
func TestF16OpeningFinishesACommitThatCrashed(t *testing.T) {
	r, q, sha := crashed(t)
	r.must(gitx.LeaveCommit(t.Context(), r.open(), "main", sha, q.Paths))
	if _, err := r.tryGit(r.dir, "add", "other"); err == nil {
		t.Fatal("the index is not locked")
	}
	r.open()
	r.checkFollowed()
}

// TestF16OpeningFinishesAForwardThatCrashed: a branch that moved over several commits
// while the index stayed behind; what a person staged stays staged.
func TestF16OpeningFinishesAForwardThatCrashed(t *testing.T) {
	r := newRepo(t)
	from := r.git("rev-parse", "HEAD")
	for _, name := range []string{"one", "two"} {
		r.write(name, name+"\n")
		r.commit(name)
	}
	to := r.git("rev-parse", "HEAD")
	r.git("reset", "-q", "--hard", from)
	old, err := os.ReadFile(r.path(".git/index"))
	r.must(err)
	r.must(r.open().Forward(t.Context(), gitx.ForwardRequest{Branch: "main", To: to}))
	if got := r.git("status", "--porcelain"); got != "" {
		t.Fatalf("moved:\n%s", got)
	}
	r.must(os.WriteFile(r.path(".git/index"), old, 0o644))
	r.write("mine", "staged\n")
	r.git("add", "mine")
	r.must(gitx.LeaveForward(t.Context(), r.open(), "main", from, to, []string{"one", "two"}))
	r.open()
	if got := r.git("status", "--porcelain"); got != "A  mine" {
		t.Errorf("status:\n%s", got)
	}
	left, err := filepath.Glob(r.path(".git/kedge-[ci]*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestF16CommitThatCrashedBeforeItsBranchMoved changes nothing.
func TestF16CommitThatCrashedBeforeItsBranchMoved(t *testing.T) {
	r := newRepo(t)
	r.write("a", "staged\n")
	r.git("add", "a")
	r.must(gitx.LeaveCommit(t.Context(), r.open(), "main", strings.Repeat("ab", 20), []string{"a"}))
	r.open()
	if got := r.git("status", "--porcelain"); got != "M  a" {
		t.Errorf("status:\n%s", got)
	}
	r.git("add", "a") // and nothing is locked
}

// TestF15SomebodyElsesIndexLockStays: only the lock that is Kedge's own is taken
// away before its time.
func TestF15SomebodyElsesIndexLockStays(t *testing.T) {
	r, q, sha := crashed(t)
	r.must(gitx.LeaveCommit(t.Context(), r.open(), "main", sha, q.Paths))
	r.must(os.Remove(r.path(".git/index.lock")))
	r.must(os.WriteFile(r.path(".git/index.lock"), nil, 0o644))
	r.open()
	if _, err := os.Lstat(r.path(".git/index.lock")); err != nil {
		t.Fatal(err)
	}
	r.must(os.Remove(r.path(".git/index.lock")))
	r.open() // when it is free the index follows
	r.checkFollowed()
}

func TestCommitPathsOnUnbornAndDetachedHead(t *testing.T) {
	r := emptyRepo(t)
	r.write("x", "x\n")
	r.write("y", "y\n")
	q := gitx.CommitPathsRequest{Paths: []string{"x"}, Message: "first", Date: day, Author: someone}
	sha, err := r.open().CommitPaths(t.Context(), q)
	r.must(err)
	if r.git("rev-parse", "main") != sha || r.git("status", "--porcelain") != "?? y" {
		t.Errorf("status: %s", r.git("status", "--porcelain"))
	}
	r.git("checkout", "-q", "--detach")
	r.write("x", "changed\n")
	_, err = r.open().CommitPaths(t.Context(), q)
	wantKind(t, err, kedge.Blocked, "detached")
}

func TestNoUserName(t *testing.T) {
	r := newRepo(t)
	who, err := r.open().Identity(t.Context())
	if err != nil || who != someone {
		t.Errorf("identity %+v, %v", who, err)
	}
	r.userConfig("")
	_, err = r.open().Identity(t.Context())
	wantKind(t, err, kedge.Blocked, "user.name")
	if !strings.Contains(kedge.HintOf(err), "git config --global user.name") {
		t.Errorf("hint %q", kedge.HintOf(err))
	}
	// What Kedge saves on its own account needs nobody's name.
	r.write("a", "two\n")
	if s := r.salvage(newSalvageID()); r.git("log", "-1", "--format=%an <%ae>", s.Commit) != "Kedge <kedge@localhost>" {
		t.Errorf("salvage by %s", r.git("log", "-1", "--format=%an <%ae>", s.Commit))
	}
}

func TestProjectID(t *testing.T) {
	r := newRepo(t)
	g, ctx := r.open(), t.Context()
	if id, err := g.ProjectID(); id != "" || err != nil {
		t.Errorf("a fresh repository is %q, %v", id, err)
	}
	id := kedge.ProjectID(kedge.NewID("prj", day))
	r.must(g.SetProjectID(ctx, id))
	r.must(g.SetProjectID(ctx, id))
	if got, err := g.ProjectID(); got != id || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	wantKind(t, g.SetProjectID(ctx, kedge.ProjectID(kedge.NewID("prj", day))), kedge.Conflict, string(id))
	wantKind(t, g.SetProjectID(ctx, "prj-x"), kedge.Invalid, "prj-x")
	r.must(os.WriteFile(filepath.Join(g.CommonDir(), "kedge-id"), []byte("../x\n"), 0o644))
	_, err := g.ProjectID()
	wantKind(t, err, kedge.Invalid, "kedge-id:1")
}
