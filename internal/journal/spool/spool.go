// Package spool owns the events that hooks store for the daemon: one file of lines for
// each owner under $KEDGE_HOME/spool. A hook appends a line and waits for nothing,
// neither for a lock nor for the disk, so a power loss may lose the last lines. It
// promises that each owner has a bounded room, so that one owner never takes the room of
// the others. The daemon gets the lines of an owner in the order in which they were
// written, and no owner delays another. A line is removed only after its reader has
// finished with it. The package does not know what the lines mean.
package spool

import (
	"bytes"
	"errors"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"kedge"
)

const (
	folder = "spool"
	prefix = "hok"
	left   = ".left"   // behind an owner's mark: what hooks append to
	taking = ".taking" // what the daemon has begun to take
	spoilt = "spoilt"  // what nobody understands
)

// What is kept while nobody takes it, and of what nobody understands.
const (
	MaxBytes  = 64 << 10 // of one event
	MaxOwned  = 2 << 20  // of one owner, and once more of what is being taken
	MaxOwners = 200
	MaxSpoilt = 1 << 20
)

// ErrFull says that what was to be left is lost: too much lies there already.
var ErrFull = errors.New("Kedge did not store the event of an agent's hook: too many events already wait for the daemon")

// ErrSpoilt is in the chain of the error of a taker that will never understand an
// event: it is set aside, and the next one is taken.
var ErrSpoilt = errors.New("Kedge does not understand the event that an agent's hook stored")

// ErrBusy says that a hook has its file open and does not go on.
var ErrBusy = errors.New("an agent's hook is still writing its event")

// Put leaves b, which has no line ends, for an owner, and gives its id.
func Put(home, owner string, now time.Time, b []byte) (string, error) {
	if len(b) > MaxBytes || bytes.IndexByte(b, '\n') >= 0 {
		return "", kedge.Errorf(kedge.Invalid, "an event of an agent's hook must be one line of at most %[2]d bytes; this one has %[1]d bytes", len(b), MaxBytes)
	}
	file := filepath.Join(home, folder, mark(owner)+left)
	id := kedge.NewID(prefix, now)
	// The line end before it ends what another could not write to the end.
	line := []byte("\n" + id + " " + string(b) + "\n")
	for range reopened {
		done, err := appendTo(file, line)
		if errors.Is(err, fs.ErrNotExist) {
			err = makeRoom(file)
		}
		switch {
		case errors.Is(err, ErrFull):
			return "", kedge.Errorf(kedge.Conflict, "%w", ErrFull).WithHint("start the daemon, which reads them: kedge up")
		case err != nil:
			return "", kedge.Errorf(kedge.Internal, "Kedge cannot store the event of an agent's hook: %w", err)
		case done:
			return id, nil
		}
	}
	return "", kedge.Errorf(kedge.Internal, "Kedge cannot store the event of an agent's hook: the daemon removed the file %[1]q at each of %[2]d tries", file, reopened).WithHint("try again")
}

// reopened is how often a file is opened anew that the daemon has just taken.
const reopened = 100

// mark is what stands for an owner in the names of files.
func mark(owner string) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(owner)) // it never fails
	return strconv.FormatUint(h.Sum64(), 36)
}

// appendTo tells whether the line is in the file that the name stands for. While it
// is written the daemon waits with taking the file; a file that it has begun to take
// is not written to.
func appendTo(file string, line []byte) (bool, error) {
	fd, err := syscall.Open(file, syscall.O_WRONLY|syscall.O_APPEND|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0)
	if err != nil {
		return false, err
	}
	defer func() { _ = syscall.Close(fd) }() // and with it the lock
	if err := syscall.Flock(fd, syscall.LOCK_SH|syscall.LOCK_NB); errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	var st syscall.Stat_t
	if err := syscall.Fstat(fd, &st); err != nil {
		return false, err
	}
	switch {
	case st.Nlink == 0:
		return false, nil // it was taken
	case st.Size+int64(len(line)) > MaxOwned:
		return false, ErrFull
	}
	n, err := syscall.Write(fd, line)
	if err == nil && n < len(line) {
		err = syscall.ENOSPC
	}
	return err == nil, err
}

// makeRoom makes the file of an owner.
func makeRoom(file string) error {
	dir := filepath.Dir(file)
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	files, err := named(filepath.Dir(dir), left)
	if err != nil {
		return err
	}
	if len(files) >= MaxOwners {
		return ErrFull
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}
