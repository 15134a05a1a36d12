package gitx_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"kedge"
	"kedge/internal/gitx"
)

func (r *repo) copyOf(id kedge.SalvageID, at time.Time) gitx.Copy {
	r.t.Helper()
	c, err := r.open().KeepCopy(r.t.Context(), gitx.CopyRequest{ID: id, Reason: "on the way", Date: at})
	r.must(err)
	return c
}

// TestF17CopyLeavesTheWorkTreeAlone: a copy has the tree as it is, and neither a
// file nor the index changes; of one id the newest is kept, the others behind it.
func TestF17CopyLeavesTheWorkTreeAlone(t *testing.T) {
	r := newRepo(t)
	id := newSalvageID()
	if c := r.copyOf(id, day); c.Salvage.Ref != "" || c.Tree != r.tree() {
		t.Errorf("a clean tree gives %+v", c)
	}
	makeDirty(r)
	want, status := r.tree(), r.git("status", "--porcelain", "-z")
	first := r.copyOf(id, day)
	if first.Tree != want || first.Salvage.Tree != want || first.Salvage.Ref != "refs/kedge/salvage/"+string(id) {
		t.Errorf("copy %+v, want tree %s", first, want)
	}
	if r.tree() != want || r.git("status", "--porcelain", "-z") != status {
		t.Error("the work tree changed")
	}
	if again := r.copyOf(id, day.Add(time.Hour)); again.Salvage.Commit != first.Salvage.Commit {
		t.Errorf("nothing changed, and there is another copy: %+v", again)
	}
	r.write("a", "changed once more\n")
	second := r.copyOf(id, day.Add(time.Hour))
	if second.Salvage.Commit == first.Salvage.Commit || r.git("merge-base", first.Salvage.Commit, second.Salvage.Commit) != first.Salvage.Commit {
		t.Errorf("the first copy is not behind the second: %+v", second)
	}
	list, err := r.open().Salvages(t.Context())
	r.must(err)
	if len(list) != 1 || list[0].Commit != second.Salvage.Commit {
		t.Errorf("kept %+v", list)
	}
	for range 2 {
		r.must(r.open().DropCopy(t.Context(), id))
	}
	if list, err = r.open().Salvages(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("kept %+v (%v)", list, err)
	}
}

// What no commit can hold stays where it is and is not in the copy.
func TestCopyLeavesOutNestedRepositories(t *testing.T) {
	r := newRepo(t)
	r.write("a", "changed\n")
	r.git("init", "-q", "nested")
	r.write("nested/file", "x\n")
	c := r.copyOf(newSalvageID(), day)
	if got := r.git("ls-tree", "-r", "--name-only", c.Tree); got == "" || strings.Contains(got, "nested") {
		t.Errorf("the copy holds %q", got)
	}
	if _, err := os.Stat(r.path("nested/file")); err != nil || len(c.Salvage.Attic) != 0 {
		t.Errorf("the nested repository moved: %v, %v", err, c.Salvage.Attic)
	}
}

func TestReadCommit(t *testing.T) {
	r := newRepo(t)
	parent := r.git("rev-parse", "HEAD")
	r.write("a", "two\n")
	r.commit("a subject\n\nKedge-Feature: not-a-trailer\n\nKedge-Feature: orders\nKedge-Run: run-1")
	c, err := r.open().ReadCommit(t.Context(), "HEAD")
	r.must(err)
	if c.SHA != r.git("rev-parse", "HEAD") || c.Tree != r.git("rev-parse", "HEAD^{tree}") || !slices.Equal(c.Parents, []string{parent}) {
		t.Errorf("commit %+v", c)
	}
	if c.Trailer("Kedge-Feature") != "orders" || c.Trailer("Kedge-Run") != "run-1" || c.Trailer("Kedge-Ledger") != "" {
		t.Errorf("trailers of %q", c.Message)
	}
	if _, err := r.open().ReadCommit(t.Context(), "nowhere"); !kedge.NotFound.Is(err) {
		t.Errorf("a commit that is not there: %v", err)
	}
}

// A commit may be named by its place behind another one, and by nothing that git
// reads as more than that.
func TestReadCommitByItsPlace(t *testing.T) {
	r := newRepo(t)
	first := r.git("rev-parse", "HEAD")
	r.git("commit", "-q", "--allow-empty", "-m", "second")
	r.git("branch", "side")
	for _, rev := range []string{"HEAD~1", "HEAD~", "HEAD^", "HEAD^1", "side~1", "HEAD~0^", first[:8], first[:8] + "~0"} {
		if c, err := r.open().ReadCommit(t.Context(), rev); err != nil || c.SHA != first {
			t.Errorf("%s is %s: %v", rev, c.SHA, err)
		}
	}
	for _, rev := range []string{"~1", "^HEAD", "HEAD^{tree}", "HEAD^@", "HEAD^!", "HEAD~99999", "HEAD~-1", "HEAD~1..HEAD", "HEAD~1:a", "-x~1", "@{-1}~1", "HEAD^{/x}", ":/second"} {
		if _, err := r.open().ReadCommit(t.Context(), rev); !kedge.Invalid.Is(err) {
			t.Errorf("%s: %v", rev, err)
		}
	}
	if _, err := r.open().ReadCommit(t.Context(), "HEAD~999"); !kedge.NotFound.Is(err) {
		t.Errorf("behind the first: %v", err)
	}
}

func TestSince(t *testing.T) {
	r := newRepo(t)
	first := r.git("rev-parse", "HEAD")
	r.write("a", "two\n")
	r.commit("a subject\n\nand words\n\nKedge-Reverts: 1234,5678")
	second := r.git("rev-parse", "HEAD")
	r.git("switch", "-q", "-c", "side", first)
	r.write("b", "one\n")
	r.commit("beside")
	side := r.git("rev-parse", "HEAD")
	r.git("switch", "-q", "main")
	r.git("merge", "-q", "-m", "together", "side")
	tip := r.git("rev-parse", "HEAD")
	list, err := r.open().Since(t.Context(), first, tip)
	r.must(err)
	if len(list) != 2 || list[0].SHA != tip || list[1].SHA != second {
		t.Fatalf("%+v", list)
	}
	if !slices.Equal(list[0].Parents, []string{second, side}) || list[1].Tree != r.git("rev-parse", second+"^{tree}") || list[1].Trailer("Kedge-Reverts") != "1234,5678" {
		t.Errorf("%+v", list)
	}
	if all, err := r.open().Since(t.Context(), "", tip); err != nil || len(all) != len(list)+1 {
		t.Errorf("%v, %v", all, err)
	}
	if none, err := r.open().Since(t.Context(), tip, first); err != nil || len(none) != 0 {
		t.Errorf("%v, %v", none, err)
	}
	if _, err := r.open().Since(t.Context(), "--all", tip); !kedge.Invalid.Is(err) {
		t.Errorf("an option for a commit: %v", err)
	}
}
