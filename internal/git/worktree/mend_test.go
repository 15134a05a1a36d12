package worktree_test

import (
	"os"
	"path/filepath"
	"testing"

	"kedge"
	"kedge/internal/testkit/gittest"
)

// A link in the place of a worktree is not followed: the checkout that it leads
// to keeps its repository.
func TestMendWorktreeFollowsNoLink(t *testing.T) {
	for name, put := range map[string]func(target, path string) error{
		"link": os.Symlink,
		"file": func(_, path string) error { return os.WriteFile(path, nil, 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			r := gittest.New(t)
			dir, aside := r.AddWorktree("slot", "slot"), filepath.Join(r.Home, "aside")
			r.Must(os.Rename(dir, dir+".old"))
			r.Must(put(r.Dir, dir))
			if mended, err := r.Open().MendWorktree(t.Context(), dir, aside, nil); mended || !kedge.Conflict.Is(err) {
				t.Errorf("mended %v, %v", mended, err)
			}
			if _, err := os.Lstat(aside); err == nil {
				t.Error("something was moved away")
			}
			if fi, err := os.Lstat(r.Path(".git")); err != nil || !fi.IsDir() {
				t.Errorf("the checkout's repository: %v, %v", fi, err)
			}
		})
	}
}
