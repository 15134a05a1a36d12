package daemon

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"kedge"
)

// Lock is the right to be the daemon of a home. The kernel takes it back when
// the process ends in whatever way, so what is written in the lock file is only
// information and its presence means nothing.
type Lock struct {
	f *os.File
}

// flocker is flock(2), a parameter so that a filesystem whose locks do not
// exclude can be shown in a test.
type flocker func(fd, how int) error

// TakeLock takes the lock of home, or gives a Conflict that names the holder.
// The file is never removed: a second file would be a second lock.
func TakeLock(home string) (*Lock, error) { return takeLock(home, unix.Flock) }

func takeLock(home string, flock flocker) (*Lock, error) {
	f, err := openLock(home)
	if err != nil {
		return nil, err
	}
	if err := exclusive(f, flock); err != nil {
		return nil, closing(err, f)
	}
	if err := probe(f, flock); err != nil {
		return nil, closing(err, f)
	}
	if err := sign(f); err != nil {
		return nil, closing(err, f)
	}
	return &Lock{f: f}, nil
}

// Close gives the lock back. The pid is taken out first, so that nobody is told
// of a holder that is gone.
func (l *Lock) Close() error { return errors.Join(l.f.Truncate(0), l.f.Close()) }

// Held tells whether a daemon holds the lock of home. It asks with a shared
// lock, which exclusive knows how to tell from another daemon.
func Held(home string) (bool, error) {
	f, err := openLock(home)
	if err != nil {
		return false, err
	}
	defer func() { _ = f.Close() }()
	switch err := unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB); {
	case err == nil:
		return false, nil
	case errors.Is(err, unix.EWOULDBLOCK):
		return true, nil
	default:
		return false, noFlock(f.Name(), err)
	}
}

func openLock(home string) (*os.File, error) {
	dir, err := daemonDir(home)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "lock")
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, kedge.Errorf(kedge.Invalid, "cannot open the lock file %q: %w", path, cause(err)).
			WithHint("set KEDGE_HOME to a folder that you may write to")
	}
	return f, nil
}

// exclusive takes the lock without waiting for its holder. Where a shared lock
// can be had, only somebody who asks (Held) stands in the way, for a moment.
func exclusive(f *os.File, flock flocker) error {
	fd := int(f.Fd())
	const tries, pause = 5000, 2 * time.Millisecond
	for range tries {
		err := flock(fd, unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return nil
		}
		if !errors.Is(err, unix.EWOULDBLOCK) {
			return noFlock(f.Name(), err)
		}
		if flock(fd, unix.LOCK_SH|unix.LOCK_NB) != nil {
			return taken(f)
		}
		if err := flock(fd, unix.LOCK_UN); err != nil {
			return noFlock(f.Name(), err)
		}
		<-time.After(pause)
	}
	return taken(f)
}

// probe makes sure that the lock excludes: a second file description of the
// same file must be refused. Some network filesystems grant both.
func probe(f *os.File, flock flocker) error {
	second, err := os.OpenFile(f.Name(), os.O_RDWR|unix.O_NOFOLLOW, 0)
	if err != nil {
		return kedge.Errorf(kedge.Internal, "Kedge cannot test whether the lock file %q works: %w", f.Name(), cause(err))
	}
	defer func() { _ = second.Close() }()
	if flock(int(second.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil {
		return noFlock(f.Name(), errors.New("two programs held the same lock at the same time"))
	}
	return nil
}

func noFlock(path string, err error) error {
	return kedge.Errorf(kedge.Invalid, "locks do not work on the filesystem of %q: %w", path, err).
		WithHint("set KEDGE_HOME to a folder on a local disk")
}

func taken(f *os.File) error {
	err := kedge.Errorf(kedge.Conflict, "another daemon is just starting and holds the lock file %q", f.Name())
	if pid := holder(f); pid != 0 {
		err = kedge.Errorf(kedge.Conflict, "the daemon with pid %d is already running and holds the lock file %q", pid, f.Name())
	}
	return err.WithHint("stop that daemon: kedge down")
}

// holder reads who signed the lock; 0 when nobody living did, which happens in
// the instant between taking and signing.
func holder(f *os.File) int {
	b := make([]byte, 32)
	n, _ := f.ReadAt(b, 0)
	pid, err := strconv.Atoi(string(bytes.TrimSpace(b[:n])))
	if err != nil || pid <= 0 || errors.Is(unix.Kill(pid, 0), unix.ESRCH) {
		return 0
	}
	return pid
}

func sign(f *os.File) error {
	if err := f.Truncate(0); err != nil {
		return kedge.Errorf(kedge.Internal, "cannot write the process id into the lock file %q: %w", f.Name(), cause(err))
	}
	if _, err := f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0); err != nil {
		return kedge.Errorf(kedge.Internal, "cannot write the process id into the lock file %q: %w", f.Name(), cause(err))
	}
	return nil
}
