package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// How lock takes a lock that somebody holds.
const (
	wait = syscall.LOCK_EX
	try  = syscall.LOCK_EX | syscall.LOCK_NB
)

func lock(f *os.File, how int) error {
	for {
		if err := syscall.Flock(int(f.Fd()), how); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// Sweep removes the temporary files in a folder of root whose writers are dead.
// What looks like one and is not a plain file stays, and so does one that is
// being written, by this process or another. A folder that is not there is fine.
func Sweep(root *os.Root, dir string) (removed int, err error) {
	entries, err := fs.ReadDir(root.FS(), filepath.ToSlash(dir))
	if err != nil {
		return 0, nil //nolint:nilerr // there is nothing to remove
	}
	for _, e := range entries {
		if !e.Type().IsRegular() || !isTemp(e.Name()) {
			continue
		}
		gone, err := removeDead(root, filepath.Join(dir, e.Name()))
		if err != nil {
			return removed, err
		}
		if gone {
			removed++
		}
	}
	return removed, nil
}

// isTemp tells whether a name is one that newTemp gives.
func isTemp(name string) bool {
	random, ok := strings.CutPrefix(name, TempPrefix)
	const alphabet, length = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 26
	return ok && len(random) == length && strings.Trim(random, alphabet) == ""
}

// removeDead removes a temporary file that nobody holds a lock on. It holds the
// lock while it does, so that a writer that is just beginning sees it go.
func removeDead(root *os.Root, name string) (bool, error) {
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return false, nil // it has its name by now, or is not ours to open
	}
	defer func() { _ = f.Close() }()
	if lock(f, try) != nil || !(temporary{name, f}).there(root) {
		return false, nil
	}
	if err := root.Remove(name); err != nil {
		return false, wrap(filepath.Join(root.Name(), name), err)
	}
	return true, nil
}
