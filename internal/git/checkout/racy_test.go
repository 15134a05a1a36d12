package checkout_test

import (
	"os"
	"testing"
	"time"

	"kedge/internal/git"
	"kedge/internal/testkit/gittest"
)

// TestRow41SameSizeSameTime: an edit that leaves a file's size and time as git's
// index knows them is still an edit: the index is as old as the file, so equal
// times prove nothing.
func TestRow41SameSizeSameTime(t *testing.T) {
	r := gittest.New(t)
	past := time.Now().Add(-time.Hour).Truncate(time.Second)
	touch := func(p string) { t.Helper(); r.Must(os.Chtimes(r.Path(p), past, past)) }
	touch("a")
	r.Git("update-index", "--refresh")
	touch(".git/index")
	g, err := git.Open(t.Context(), r.Dir, r.Opt)
	r.Must(err)
	before, err := g.Tree(t.Context())
	r.Must(err)
	r.Write("a", "two\n")
	touch("a")
	after, err := g.Tree(t.Context())
	r.Must(err)
	if before == after {
		t.Error("the edit is not seen")
	}
}
