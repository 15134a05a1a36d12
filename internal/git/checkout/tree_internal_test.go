package checkout

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// A file that cannot be read is named, so that the message says what to do. The tests
// run as root, who can read all: opening is passed in.
func TestUnreadable(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"open.txt", "secret.key"} {
		if err := os.WriteFile(filepath.Join(root, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	denied := func(file string) error {
		if filepath.Base(file) == "secret.key" {
			return fs.ErrPermission
		}
		return tryOpen(file)
	}
	if got := unreadable(root, []string{"gone.txt", "open.txt", "secret.key"}, denied); got != "secret.key" {
		t.Errorf("unreadable is %q", got)
	}
	if got := unreadable(root, []string{"open.txt", "gone.txt"}, denied); got != "" {
		t.Errorf("unreadable is %q among readable files", got)
	}
}
