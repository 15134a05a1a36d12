package gate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"kedge"
)

// lockPause is how often a taken name is tried again.
const lockPause = 20 * time.Millisecond

// lockExclusive holds the name against every other gate that shares the folder.
// The kernel lets go of it when we die. Waiting does not count as the check's
// time. A name that is not a plain one is refused: it would be a file elsewhere.
func (g *gate) lockExclusive(ctx context.Context, name string) (unlock func(), err error) {
	if name == "" {
		return func() {}, nil
	}
	if !kedge.ValidName(name) {
		return nil, kedge.Errorf(kedge.Invalid, "a check has exclusive = %q, which is not a valid name", name).WithHint("use small letters, digits and \"-\", such as: exclusive = \"db\"")
	}
	f, err := os.OpenFile(filepath.Join(g.LockDir, name+".lock"), os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, kedge.Errorf(kedge.Internal, "cannot open the lock file for checks with exclusive = %q: %w", name, err)
	}
	if err := flock(ctx, f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() { _ = f.Close() }, nil
}

func flock(ctx context.Context, f *os.File) error {
	tick := time.NewTicker(lockPause)
	defer tick.Stop()
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return kedge.Errorf(kedge.Internal, "cannot lock the file %q: %w", f.Name(), err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// portLocks is how many locks there are for all ports: so many services start at
// once at most.
const portLocks = 256

// lockPort holds a port against every other gate that shares the folder; nil when
// it, or one that shares its lock, is taken.
func (g *gate) lockPort(port int) (*os.File, error) {
	name := fmt.Sprintf("port-%d.lock", port%portLocks)
	f, err := os.OpenFile(filepath.Join(g.LockDir, name), os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, kedge.Errorf(kedge.Internal, "cannot open the lock file that reserves a port: %w", err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return f, nil
	}
	_ = f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) || errors.Is(err, syscall.EINTR) {
		return nil, nil
	}
	return nil, kedge.Errorf(kedge.Internal, "cannot lock the file %q: %w", f.Name(), err)
}
