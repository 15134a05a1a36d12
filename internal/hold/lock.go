package hold

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"kedge"
)

// A session's folder has a lock, which its holder has for life. Whoever starts a
// holder takes it first and hands it over, so that at no moment, whoever dies, a
// session that will run looks like one that will not, or is started twice.

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
		return nil, kedge.Errorf(kedge.Internal, "open the lock of a session: %w", err)
	}
	pause := time.NewTicker(lockPause)
	defer pause.Stop()
	for range lockTries {
		if err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err == nil {
			return f, nil
		}
		<-pause.C
	}
	return nil, errors.Join(kedge.Errorf(kedge.Conflict, "the session in %q is held already: %w", dir, err), f.Close())
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
// is nothing in it but what every launch begins with, and nobody has its lock.
func Sweep(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if e.Name() != filepath.Base(lockPath(dir)) && e.Name() != filepath.Base(messagesPath(dir)) {
			return
		}
	}
	f, err := os.Open(lockPath(dir))
	if err != nil {
		return
	}
	defer func() { _ = f.Close() }()
	if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		return // its holder is on its way, or goes
	}
	for _, path := range []string{messagesPath(dir), lockPath(dir), dir} {
		_ = os.Remove(path) // what is left over harms nobody
	}
}

// messagesPath is where a holder says why it could not start.
func messagesPath(dir string) string { return filepath.Join(dir, "holder.err") }
