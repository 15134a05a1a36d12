package gitx_test

import (
	"os"
	"testing"
	"time"

	"kedge/internal/gitx"
)

// TestRow41SameSizeSameTime: an edit that leaves a file's size and time as git's
// index knows them is still an edit: the index is as old as the file, so equal
// times prove nothing.
func TestRow41SameSizeSameTime(t *testing.T) {
	r := newRepo(t)
	past := time.Now().Add(-time.Hour).Truncate(time.Second)
	touch := func(p string) { t.Helper(); r.must(os.Chtimes(r.path(p), past, past)) }
	touch("a")
	r.git("update-index", "--refresh")
	touch(".git/index")
	g, err := gitx.Open(t.Context(), r.dir, r.opt)
	r.must(err)
	before, err := g.Tree(t.Context())
	r.must(err)
	r.write("a", "two\n")
	touch("a")
	after, err := g.Tree(t.Context())
	r.must(err)
	if before == after {
		t.Error("the edit is not seen")
	}
}
