// Package spool owns what hooks left for the daemon: one small file each under
// $KEDGE_HOME/spool, whole or absent, named so that they sort by time. Whoever
// leaves one never waits for anybody, neither for a lock nor for the disk: a
// machine that loses its power may lose the last ones. It promises that there are
// never more than a bounded number of bounded size, in all and of one owner, so that
// what nobody can take of one leaves room for the others; that what is taken is taken
// in order, that one file holds no other up, and that a file goes only when its taker
// is done with it. It knows nothing of what is in them.
package spool

import (
	"errors"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
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

// What is kept while nobody takes it, and of what nobody understands.
const (
	MaxFiles  = 2000
	MaxOwned  = 500      // of one owner
	MaxBytes  = 64 << 10 // of one
	MaxSpoilt = 100
)

// ErrFull says that what was to be left is lost: too much lies there already.
var ErrFull = errors.New("too many events of hooks wait for the daemon")

// ErrSpoilt is in the chain of the error of a taker that will never understand a
// file: it is set aside, and the next one is taken.
var ErrSpoilt = errors.New("not understood")

// Put leaves b for an owner, and gives its id.
func Put(home, owner string, now time.Time, b []byte) (string, error) {
	if len(b) > MaxBytes {
		return "", kedge.Errorf(kedge.Invalid, "an event of %d bytes is larger than %d", len(b), MaxBytes)
	}
	dir, tail := filepath.Join(home, folder), mark(owner)+ending
	all, owned, err := count(dir, tail)
	if errors.Is(err, fs.ErrNotExist) {
		err = os.Mkdir(dir, 0o700)
		if errors.Is(err, fs.ErrExist) {
			err = nil
		}
	}
	if err != nil {
		return "", kedge.Errorf(kedge.Internal, "leave an event for the daemon: %w", err)
	}
	if all >= MaxFiles || owned >= MaxOwned {
		return "", kedge.Errorf(kedge.Conflict, "%w", ErrFull).WithHint("kedge up")
	}
	id := kedge.NewID(prefix, now)
	return id, atomicfile.Swap(filepath.Join(dir, id+tail), b, 0o600)
}

// mark is what stands for an owner in the names of files.
func mark(owner string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(owner)) // it never fails
	return "." + strconv.FormatUint(uint64(h.Sum32()), 36)
}

// count is how many files lie in a folder, and how many of them have this at the end
// of their names, without sorting or looking at them. What is set aside does not
// count: it takes nobody's place.
func count(dir, tail string) (all, owned int, err error) {
	f, err := os.Open(dir)
	if err != nil {
		return 0, 0, err
	}
	names, err := f.Readdirnames(MaxFiles + 2*MaxSpoilt)
	_ = f.Close() // only read
	if errors.Is(err, io.EOF) {
		err = nil // it is empty
	}
	for _, name := range names {
		if strings.HasSuffix(name, spoilt) {
			continue
		}
		all++
		if strings.HasSuffix(name, tail) {
			owned++
		}
	}
	return all, owned, err
}

// Waiting is how many wait.
func Waiting(home string) int {
	names, _ := list(home) // a folder that cannot be read has none for us
	return len(names)
}

// Take gives what waits to take, in order, and removes each when take is done with
// it. What take refuses stays, and the next one is taken: who wants an order kept
// refuses those that come after, too. The error is the first.
func Take(home string, take func(id string, b []byte) error) (int, error) {
	names, err := list(home)
	if err != nil {
		return 0, err
	}
	taken := 0
	var first error
	for _, name := range names {
		ok, err := takeOne(filepath.Join(home, folder, name), func(b []byte) error { return take(idOf(name), b) })
		if ok {
			taken++
		}
		if err != nil && first == nil {
			first = kedge.Errorf(kedge.KindOf(err), "take an event of a hook: %w", err)
		}
	}
	return taken, first
}

// takeOne tells whether a file was taken.
func takeOne(file string, take func([]byte) error) (bool, error) {
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err == nil {
		err = take(b)
	}
	switch {
	case errors.Is(err, ErrSpoilt):
		return false, setAside(file)
	case err != nil:
		return false, err
	default:
		return true, os.Remove(file)
	}
}

// setAside keeps a file that nobody understands; the oldest go.
func setAside(file string) error {
	if err := os.Rename(file, file+spoilt); err != nil {
		return err
	}
	old, err := filepath.Glob(filepath.Join(filepath.Dir(file), prefix+"-*"+ending+spoilt)) // sorted
	if err != nil || len(old) <= MaxSpoilt {
		return err
	}
	for _, name := range old[:len(old)-MaxSpoilt] {
		err = errors.Join(err, os.Remove(name))
	}
	return err
}

// list are the files that wait, the oldest first.
func list(home string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(home, folder)) // sorted by name
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, kedge.Errorf(kedge.Internal, "look for events of hooks: %w", err)
	}
	var names []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ending) && kedge.ValidID(prefix, idOf(e.Name())) {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// idOf is the id in the name of a file.
func idOf(name string) string {
	id, _, _ := strings.Cut(name, ".")
	return id
}
