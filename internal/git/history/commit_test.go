package history_test

import (
	"slices"
	"testing"
	"time"

	"kedge"
	"kedge/internal/git"
	"kedge/internal/testkit/gittest"
)

// TestInvariant10SameRequestSameCommit: executing it twice has the effect of once.
func TestInvariant10SameRequestSameCommit(t *testing.T) {
	r := gittest.New(t)
	g, ctx := r.Open(), t.Context()
	head := r.Git("rev-parse", "HEAD")
	r.Write("a", "two\n")
	q := git.CommitRequest{
		Tree: r.Tree(), Parents: []string{head}, Message: "work\n\nKedge-Feature: x\n",
		Date: gittest.Day.In(time.FixedZone("", 3600)), Author: gittest.Someone,
	}
	first, err := g.Commit(ctx, q)
	r.Must(err)
	second, err := g.Commit(ctx, q)
	r.Must(err)
	if first != second {
		t.Errorf("the same request gave %s and %s", first, second)
	}
	for range 2 {
		r.Must(g.UpdateRef(ctx, "refs/heads/main", first, head))
	}
	want := "Ada <ada@example.com> 1772600767 +0100 Ada <ada@example.com> work"
	if got := r.Git("log", "-1", "--date=raw", "--format=%an <%ae> %ad %cn <%ce> %s", first); got != want {
		t.Errorf("commit is %q, want %q", got, want)
	}
	if got := r.Git("rev-list", "--count", "main"); got != "2" {
		t.Errorf("%s commits on main", got)
	}
}

func TestCommitRefuses(t *testing.T) {
	r := gittest.New(t)
	g := r.Open()
	good := git.CommitRequest{Tree: r.Tree(), Message: "m", Date: gittest.Day, Author: gittest.Someone}
	for name, spoil := range map[string]func(*git.CommitRequest){
		"no tree":     func(q *git.CommitRequest) { q.Tree = "HEAD" },
		"bad parent":  func(q *git.CommitRequest) { q.Parents = []string{"--output=x"} },
		"no message":  func(q *git.CommitRequest) { q.Message = " \n" },
		"NUL":         func(q *git.CommitRequest) { q.Message = "a\x00b" },
		"no author":   func(q *git.CommitRequest) { q.Author = git.Person{} },
		"no date":     func(q *git.CommitRequest) { q.Date = time.Time{} },
		"short a sha": func(q *git.CommitRequest) { q.Tree = q.Tree[:39] },
	} {
		q := good
		spoil(&q)
		if _, err := g.Commit(t.Context(), q); !kedge.Invalid.Is(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestUpdateRefIsCompareAndSet(t *testing.T) {
	r := gittest.New(t)
	g, ctx := r.Open(), t.Context()
	one := r.Git("rev-parse", "HEAD")
	r.Write("a", "two\n")
	two := r.Commit("second")
	const ref = "refs/kedge/test"
	r.Must(g.UpdateRef(ctx, ref, one, ""))
	gittest.WantKind(t, g.UpdateRef(ctx, ref, two, ""), kedge.Conflict, "something moved")
	gittest.WantKind(t, g.UpdateRef(ctx, ref, two, two[:38]+"00"), kedge.Conflict, one[:12])
	r.Must(g.UpdateRef(ctx, ref, two, one))
	gittest.WantKind(t, g.UpdateRef(ctx, ref, "", one), kedge.Conflict, "something moved")
	r.Must(g.UpdateRef(ctx, ref, "", two))
	r.Must(g.UpdateRef(ctx, ref, "", two)) // gone already
	gittest.WantKind(t, g.UpdateRef(ctx, ref, one, two), kedge.Conflict, "is at no commit now")
}

func TestReadCommit(t *testing.T) {
	r := gittest.New(t)
	parent := r.Git("rev-parse", "HEAD")
	r.Write("a", "two\n")
	r.Commit("a subject\n\nKedge-Feature: not-a-trailer\n\nKedge-Feature: orders\nKedge-Run: run-1")
	c, err := r.Open().ReadCommit(t.Context(), "HEAD")
	r.Must(err)
	if c.SHA != r.Git("rev-parse", "HEAD") || c.Tree != r.Git("rev-parse", "HEAD^{tree}") || !slices.Equal(c.Parents, []string{parent}) {
		t.Errorf("commit %+v", c)
	}
	if c.Trailer("Kedge-Feature") != "orders" || c.Trailer("Kedge-Run") != "run-1" || c.Trailer("Kedge-Ledger") != "" {
		t.Errorf("trailers of %q", c.Message)
	}
	if _, err := r.Open().ReadCommit(t.Context(), "nowhere"); !kedge.NotFound.Is(err) {
		t.Errorf("a commit that is not there: %v", err)
	}
}

// A commit may be named by its place behind another one, and by nothing that git
// reads as more than that.
func TestReadCommitByItsPlace(t *testing.T) {
	r := gittest.New(t)
	first := r.Git("rev-parse", "HEAD")
	r.Git("commit", "-q", "--allow-empty", "-m", "second")
	r.Git("branch", "side")
	for _, rev := range []string{"HEAD~1", "HEAD~", "HEAD^", "HEAD^1", "side~1", "HEAD~0^", first[:8], first[:8] + "~0"} {
		if c, err := r.Open().ReadCommit(t.Context(), rev); err != nil || c.SHA != first {
			t.Errorf("%s is %s: %v", rev, c.SHA, err)
		}
	}
	for _, rev := range []string{"~1", "^HEAD", "HEAD^{tree}", "HEAD^@", "HEAD^!", "HEAD~99999", "HEAD~-1", "HEAD~1..HEAD", "HEAD~1:a", "-x~1", "@{-1}~1", "HEAD^{/x}", ":/second"} {
		if _, err := r.Open().ReadCommit(t.Context(), rev); !kedge.Invalid.Is(err) {
			t.Errorf("%s: %v", rev, err)
		}
	}
	if _, err := r.Open().ReadCommit(t.Context(), "HEAD~999"); !kedge.NotFound.Is(err) {
		t.Errorf("behind the first: %v", err)
	}
}

func TestSince(t *testing.T) {
	r := gittest.New(t)
	first := r.Git("rev-parse", "HEAD")
	r.Write("a", "two\n")
	r.Commit("a subject\n\nand words\n\nKedge-Reverts: 1234,5678")
	second := r.Git("rev-parse", "HEAD")
	r.Git("switch", "-q", "-c", "side", first)
	r.Write("b", "one\n")
	r.Commit("beside")
	side := r.Git("rev-parse", "HEAD")
	r.Git("switch", "-q", "main")
	r.Git("merge", "-q", "-m", "together", "side")
	tip := r.Git("rev-parse", "HEAD")
	list, err := r.Open().Since(t.Context(), first, tip)
	r.Must(err)
	if len(list) != 2 || list[0].SHA != tip || list[1].SHA != second {
		t.Fatalf("%+v", list)
	}
	if !slices.Equal(list[0].Parents, []string{second, side}) || list[1].Tree != r.Git("rev-parse", second+"^{tree}") || list[1].Trailer("Kedge-Reverts") != "1234,5678" {
		t.Errorf("%+v", list)
	}
	if all, err := r.Open().Since(t.Context(), "", tip); err != nil || len(all) != len(list)+1 {
		t.Errorf("%v, %v", all, err)
	}
	if none, err := r.Open().Since(t.Context(), tip, first); err != nil || len(none) != 0 {
		t.Errorf("%v, %v", none, err)
	}
	if _, err := r.Open().Since(t.Context(), "--all", tip); !kedge.Invalid.Is(err) {
		t.Errorf("an option for a commit: %v", err)
	}
}
