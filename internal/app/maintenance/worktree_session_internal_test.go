package maintenance

import (
	"os"
	"path/filepath"
	"testing"

	"kedge"
)

// TestWorktreeOfASessionBehindALink: git names worktrees by their real path, and a
// session may have been started through a link.
func TestWorktreeOfASessionBehindALink(t *testing.T) {
	real, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	kept := []kedge.Session{{Name: "there", Dir: link}}
	if why := whoseWorktree(kedge.Worktree{Path: real}, kept); why == "" {
		t.Error("the worktree of a kept session may go")
	}
	if why := whoseWorktree(kedge.Worktree{Path: real + "x"}, kept); why != "" {
		t.Errorf("another one stays: %s", why)
	}
}
