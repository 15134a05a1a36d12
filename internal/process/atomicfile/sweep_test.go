package atomicfile_test

import (
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"kedge/internal/process/atomicfile"
)

const left = atomicfile.TempPrefix + "ABCDEFGHIJKLMNOPQRSTUVWXY2"

// TestF1SweepRemovesWhatTheDeadLeft, and nothing of anybody else's.
func TestF1SweepRemovesWhatTheDeadLeft(t *testing.T) {
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	must(t, err)
	defer root.Close()
	must(t, os.Mkdir(filepath.Join(dir, "d"), 0o755))
	theirs := []string{
		"d/mine", "d/" + atomicfile.TempPrefix, "d/" + atomicfile.TempPrefix + "notes", "d/" + atomicfile.TempPrefix + "1234567890",
		"d/x" + left, left,
	}
	for _, name := range append(theirs, "d/"+left) {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600))
	}
	must(t, os.Symlink("mine", filepath.Join(dir, "d", left[:len(left)-1]+"3")))
	must(t, os.Mkdir(filepath.Join(dir, "d", left[:len(left)-1]+"4"), 0o700))
	must(t, syscall.Mkfifo(filepath.Join(dir, "d", left[:len(left)-1]+"5"), 0o600))
	if n, err := atomicfile.Sweep(root, "d"); n != 1 || err != nil {
		t.Errorf("%d removed, %v", n, err)
	}
	if _, err := os.Lstat(filepath.Join(dir, "d", left)); err == nil {
		t.Error("it is still there")
	}
	for _, name := range append(theirs, "d/"+left[:len(left)-1]+"3", "d/"+left[:len(left)-1]+"4", "d/"+left[:len(left)-1]+"5") {
		if _, err := os.Lstat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	if n, err := atomicfile.Sweep(root, "nowhere"); n != 0 || err != nil {
		t.Errorf("no folder: %d, %v", n, err)
	}
}

// TestSweepLeavesWhatIsBeingWritten: a file that somebody holds a lock on stays.
func TestSweepLeavesWhatIsBeingWritten(t *testing.T) {
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	must(t, err)
	defer root.Close()
	f, err := os.Create(filepath.Join(dir, left))
	must(t, err)
	must(t, syscall.Flock(int(f.Fd()), syscall.LOCK_EX))
	if n, err := atomicfile.Sweep(root, "."); n != 0 || err != nil {
		t.Errorf("%d removed, %v", n, err)
	}
	must(t, f.Close())
	if n, err := atomicfile.Sweep(root, "."); n != 1 || err != nil {
		t.Errorf("after its writer went: %d removed, %v", n, err)
	}
}

// TestWritersAmongSweeps: whoever sweeps meanwhile, every write arrives.
func TestWritersAmongSweeps(t *testing.T) {
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	must(t, err)
	defer root.Close()
	var writers, sweepers sync.WaitGroup
	done := make(chan struct{})
	for range 2 {
		sweepers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					if _, err := atomicfile.Sweep(root, "."); err != nil {
						t.Error(err)
						return
					}
				}
			}
		})
	}
	for i := range 4 {
		writers.Go(func() {
			name := string(rune('a' + i))
			for range 25 {
				if err := atomicfile.WriteIn(root, name, []byte(name), 0o600); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	close(done)
	sweepers.Wait()
	onlyNames(t, dir, "a", "b", "c", "d")
}
