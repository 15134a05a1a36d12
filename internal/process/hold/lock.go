package hold

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"kedge"
	"kedge/internal/process/atomicfile"
	"kedge/internal/process/tape"
)

// A session's folder has a lock, which its holder has for life. Whoever starts a
// holder takes it first and hands it over, so that at no moment, whoever dies, a
// session that will run looks like one that will not, or is started twice. What the
// holder says when it cannot go on is in the same file: to make one costs a system
// that has just removed many a good part of what a session costs.

func lockPath(dir string) string { return filepath.Join(dir, "lock") }

// lockFD is where a holder finds the lock: the first descriptor after the three
// that every process has.
const lockFD = 3

// How often, and how far apart, a taken lock is tried: somebody who only looks
// has it for a moment.
const (
	lockTries = 40
	lockPause = 5 * time.Millisecond
)

// lockFolder takes the lock of a session that is to be started.
func lockFolder(dir string) (*os.File, error) {
	f, err := os.OpenFile(lockPath(dir), os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, kedge.Errorf(kedge.Internal, "cannot open the lock file of a session: %w", err)
	}
	pause := time.NewTicker(lockPause)
	defer pause.Stop()
	for range lockTries {
		if err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err == nil {
			_ = f.Truncate(0) // what an earlier holder said; left over it harms nobody
			return f, nil
		}
		<-pause.C
	}
	return nil, errors.Join(kedge.Errorf(kedge.Conflict, "the session in the folder %q already runs in another process: %w", dir, err), f.Close())
}

// locked tells whether somebody has, or is about to hold, the session in dir.
func locked(dir string) bool {
	f, err := os.Open(lockPath(dir))
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // and with it the lock, if we got it
	return errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}

// Sweep takes a folder away that was made for a session and never held one: there
// is nothing in it but what every launch begins with, which are the lock, an empty
// tape and the files named, and nobody has its lock. It is for who knows that no
// other launches anything. It tells whether it did.
func Sweep(dir string, begins ...string) bool {
	begins = append(begins, tape.IndexName, filepath.Base(lockPath(dir)))
	if _, ok := fresh(dir, begins); !ok {
		return false
	}
	f, err := os.Open(lockPath(dir))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return false
	}
	if err == nil {
		defer func() { _ = f.Close() }()
		if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
			return false // its holder is on its way, or goes
		}
	}
	names, ok := fresh(dir, begins) // it may have gone while it was looked at
	for _, name := range names {
		ok = ok && os.Remove(filepath.Join(dir, name)) == nil
	}
	return ok && os.Remove(dir) == nil
}

// fresh gives what is in a folder, and tells whether that is files of these names or
// what was being made of one, and nothing on the tape.
func fresh(dir string, names []string) (found []string, ok bool) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, false
	}
	for _, e := range entries {
		fi, err := e.Info()
		if err != nil || e.Name() == tape.IndexName && fi.Size() > 0 {
			return nil, false
		}
		if !slices.Contains(names, e.Name()) && !strings.HasPrefix(e.Name(), atomicfile.TempPrefix) {
			return nil, false
		}
		found = append(found, e.Name())
	}
	return found, true
}
