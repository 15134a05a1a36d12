package salvage_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"kedge"
	"kedge/internal/git"
	"kedge/internal/testkit/gittest"
)

func copyOf(r *gittest.Repo, id kedge.SalvageID, at time.Time) git.Copy {
	r.T.Helper()
	c, err := r.Open().KeepCopy(r.T.Context(), git.CopyRequest{ID: id, Reason: "on the way", Date: at})
	r.Must(err)
	return c
}

// TestF17CopyLeavesTheWorkTreeAlone: a copy has the tree as it is, and neither a
// file nor the index changes; of one id the newest is kept, the others behind it.
func TestF17CopyLeavesTheWorkTreeAlone(t *testing.T) {
	r := gittest.New(t)
	id := gittest.NewSalvageID()
	if c := copyOf(r, id, gittest.Day); c.Salvage.Ref != "" || c.Tree != r.Tree() {
		t.Errorf("a clean tree gives %+v", c)
	}
	gittest.MakeDirty(r)
	want, status := r.Tree(), r.Git("status", "--porcelain", "-z")
	first := copyOf(r, id, gittest.Day)
	if first.Tree != want || first.Salvage.Tree != want || first.Salvage.Ref != "refs/kedge/salvage/"+string(id) {
		t.Errorf("copy %+v, want tree %s", first, want)
	}
	if r.Tree() != want || r.Git("status", "--porcelain", "-z") != status {
		t.Error("the worktree changed")
	}
	if again := copyOf(r, id, gittest.Day.Add(time.Hour)); again.Salvage.Commit != first.Salvage.Commit {
		t.Errorf("nothing changed, and there is another copy: %+v", again)
	}
	r.Write("a", "changed once more\n")
	second := copyOf(r, id, gittest.Day.Add(time.Hour))
	if second.Salvage.Commit == first.Salvage.Commit || r.Git("merge-base", first.Salvage.Commit, second.Salvage.Commit) != first.Salvage.Commit {
		t.Errorf("the first copy is not behind the second: %+v", second)
	}
	list, err := r.Open().Salvages(t.Context())
	r.Must(err)
	if len(list) != 1 || list[0].Commit != second.Salvage.Commit {
		t.Errorf("kept %+v", list)
	}
	for range 2 {
		r.Must(r.Open().DropCopy(t.Context(), id))
	}
	if list, err = r.Open().Salvages(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("kept %+v (%v)", list, err)
	}
}

// What no commit can hold stays where it is and is not in the copy.
func TestCopyLeavesOutNestedRepositories(t *testing.T) {
	r := gittest.New(t)
	r.Write("a", "changed\n")
	r.Git("init", "-q", "nested")
	r.Write("nested/file", "x\n")
	c := copyOf(r, gittest.NewSalvageID(), gittest.Day)
	if got := r.Git("ls-tree", "-r", "--name-only", c.Tree); got == "" || strings.Contains(got, "nested") {
		t.Errorf("the copy holds %q", got)
	}
	if _, err := os.Stat(r.Path("nested/file")); err != nil || len(c.Salvage.Attic) != 0 {
		t.Errorf("the nested repository moved: %v, %v", err, c.Salvage.Attic)
	}
}
