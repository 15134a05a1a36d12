// Package spool owns what hooks left for the daemon: one small file each under
// $KEDGE_HOME/spool, whole or absent, named so that they sort by time. Whoever
// leaves one never waits for anybody, neither for a lock nor for the disk: a
// machine that loses its power may lose the last ones. It promises that there are
// never more than a bounded number of bounded size, that what is taken is taken in
// order, and that a file goes only when its taker is done with it. It knows
// nothing of what is in them.
package spool

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"kedge"
	"kedge/internal/atomicfile"
)

const (
	folder = "spool"
	prefix = "hok"
	ending = ".json"
	spoilt = ".bad" // behind the name of what nobody understands
)

// What is kept while nobody takes it.
const (
	MaxFiles = 2000
	MaxBytes = 64 << 10 // of one
)

// ErrFull says that what was to be left is lost: too much lies there already.
var ErrFull = errors.New("too many events of hooks wait for the daemon")

// ErrSpoilt is in the chain of the error of a taker that will never understand a
// file: it is set aside, and the next one is taken.
var ErrSpoilt = errors.New("not understood")

// Put leaves b, and gives its id.
func Put(home string, now time.Time, b []byte) (string, error) {
	if len(b) > MaxBytes {
		return "", kedge.Errorf(kedge.Invalid, "an event of %d bytes is larger than %d", len(b), MaxBytes)
	}
	dir := filepath.Join(home, folder)
	n, err := count(dir)
	if errors.Is(err, fs.ErrNotExist) {
		err = os.Mkdir(dir, 0o700)
		if errors.Is(err, fs.ErrExist) {
			err = nil
		}
	}
	if err != nil {
		return "", kedge.Errorf(kedge.Internal, "leave an event for the daemon: %w", err)
	}
	if n >= MaxFiles {
		return "", kedge.Errorf(kedge.Conflict, "%w", ErrFull).WithHint("kedge up")
	}
	id := kedge.NewID(prefix, now)
	return id, atomicfile.Swap(filepath.Join(dir, id+ending), b, 0o600)
}

// count is how many files lie in a folder, without sorting or looking at them.
func count(dir string) (int, error) {
	f, err := os.Open(dir)
	if err != nil {
		return 0, err
	}
	names, err := f.Readdirnames(MaxFiles + 1)
	_ = f.Close() // only read
	if errors.Is(err, io.EOF) {
		err = nil // it is empty
	}
	return len(names), err
}

// Waiting is how many wait.
func Waiting(home string) int {
	ids, _ := list(home) // a folder that cannot be read has none for us
	return len(ids)
}

// Take gives what waits to take, in order, and removes each when take is done with
// it. It ends at the first that take refuses, unless with ErrSpoilt.
func Take(home string, take func(id string, b []byte) error) (int, error) {
	ids, err := list(home)
	if err != nil {
		return 0, err
	}
	taken := 0
	for _, id := range ids {
		file := filepath.Join(home, folder, id+ending)
		b, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = take(id, b)
		}
		switch {
		case errors.Is(err, ErrSpoilt):
			err = os.Rename(file, file+spoilt)
		case err == nil:
			taken++
			err = os.Remove(file)
		}
		if err != nil {
			return taken, kedge.Errorf(kedge.KindOf(err), "take an event of a hook: %w", err)
		}
	}
	return taken, nil
}

// list are the ids that wait, the oldest first.
func list(home string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(home, folder)) // sorted by name
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, kedge.Errorf(kedge.Internal, "look for events of hooks: %w", err)
	}
	var ids []string
	for _, e := range entries {
		if id, ok := strings.CutSuffix(e.Name(), ending); ok && kedge.ValidID(prefix, id) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}
