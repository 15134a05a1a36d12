package hardened

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"kedge"
	"kedge/internal/process"
	"kedge/internal/text/lazyre"
)

// How long a live lock file is waited for, and how old one must be before
// anybody may say that it was forgotten.
const (
	lockPatience = 10 * time.Second
	lockStale    = 10 * time.Minute
)

// lockText finds the lock file that git could not create in what it said.
var lockText = []*lazyre.Regexp{
	lazyre.New(`Unable to create '([^'\n]+\.lock)': File exists`),
	lazyre.New(`could not lock config file ([^\n]+): File exists`),
}

// Run starts git, again and again while somebody else holds a lock file. A lock
// that is provably forgotten is moved aside.
func (g *Git) Run(ctx context.Context, c Call) ([]byte, error) {
	var out []byte
	err := g.Patiently(ctx, func() (string, error) {
		var err error
		out, err = g.once(ctx, c)
		return g.lockFile(c, err), err
	})
	return out, err
}

// Patiently tries until try no longer names a lock file in its way.
func (g *Git) Patiently(ctx context.Context, try func() (lock string, err error)) error {
	pause := 20 * time.Millisecond
	for spent := time.Duration(0); ; {
		lock, err := try()
		if lock == "" {
			return err
		}
		if g.moveStale(lock) {
			continue
		}
		if spent >= lockPatience {
			return kedge.Errorf(kedge.Conflict, "another git command works in this repository and holds the lock file %q", lock).
				WithHint("wait until that git command ends; if no git command is running: mv %s %s", Quote(lock), Quote(lock+".old"))
		}
		if err := g.opt.Wait(ctx, pause); err != nil {
			return err
		}
		spent += pause
		pause = min(2*pause, time.Second)
	}
}

// wait waits for d, or until the context ends.
func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return kedge.Errorf(kedge.Interrupted, "Kedge was interrupted while it waited for another git command to end: %w", ctx.Err())
	}
}

// lockFile is the lock file that made a call fail; empty for other failures.
func (g *Git) lockFile(c Call, err error) string {
	f, ok := errors.AsType[*failure](err)
	if !ok {
		return ""
	}
	for i, re := range lockText {
		m := re.FindStringSubmatch(f.stderr)
		if m == nil {
			continue
		}
		path := m[1]
		if i == 1 {
			path += ".lock"
		}
		switch {
		case filepath.IsAbs(path):
			return path
		case c.Dir != "":
			return filepath.Join(c.Dir, path)
		}
		return filepath.Join(g.workDir(), path)
	}
	return ""
}

// moveStale moves a lock file aside when it is old, or in a worktree of Kedge's
// own in which nobody works, and its holder is gone; it tells whether the way is
// now free.
func (g *Git) moveStale(lock string) bool {
	fi, err := os.Lstat(lock)
	if err != nil || g.opt.Now().Sub(fi.ModTime()) < lockStale && !g.ownTree(lock) {
		return false
	}
	return process.LockIsFree(lock, g.folders()...) && g.moveAway(lock, fi)
}

// Exclusively runs do while no other Kedge, nor another goroutine of this one,
// writes refs or worktrees of the repository. A git that is run with the context
// which do gets has the lock too: it may outlive a Kedge that is killed, and the
// next one must not begin before it has ended.
func (g *Git) Exclusively(ctx context.Context, do func(ctx context.Context) error) error {
	f, err := os.OpenFile(filepath.Join(g.common, "kedge.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return kedge.Errorf(kedge.Internal, "Kedge cannot make its lock file in the repository: %w", err)
	}
	locked := make(chan error, 1)
	go func() { locked <- flock(f) }()
	select {
	case <-ctx.Done():
		go func() { <-locked; _ = f.Close() }() // the lock comes late and is given back
		return kedge.Errorf(kedge.Interrupted, "Kedge was interrupted while it waited for another Kedge command in this repository: %w", ctx.Err())
	case err := <-locked:
		defer release(f)
		if err != nil {
			return kedge.Errorf(kedge.Internal, "cannot lock %q: %w", f.Name(), err)
		}
		return g.section(f, func() error { return do(context.WithValue(ctx, holding{}, f)) })
	}
}

// holding is the key of the repository's lock, in a context.
type holding struct{}

// release gives the lock back, whoever else still has the file open: a git that
// this Kedge saw end may have left something in the background, a filter's cache
// say, which writes to no repository.
func release(f *os.File) {
	_ = unix.Flock(int(f.Fd()), unix.LOCK_UN) // closing gives it back too, when nobody else has it
	_ = f.Close()
}

// held are the files that a git has to have open while it runs.
func held(ctx context.Context) []*os.File {
	if f, ok := ctx.Value(holding{}).(*os.File); ok {
		return []*os.File{f}
	}
	return nil
}

func flock(f *os.File) error {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
