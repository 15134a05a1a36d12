package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// However long the path of a home is, what is made of it for holders is a path
// that they take.
func TestSocketDirFitsHolders(t *testing.T) {
	root := t.TempDir()
	runtime := t.TempDir()
	for length := len(root) + 2; length < len(root)+120; length++ {
		home := filepath.Join(root, strings.Repeat("h", length-len(root)-1))
		dir, err := SocketDir(home, runtime, 12)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		if n := len(dir) + 1 + 12; n > 103 {
			t.Errorf("a home of %d bytes gives sockets of %d", len(home), n)
		}
	}
}
