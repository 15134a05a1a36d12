package spool

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"kedge"
	"kedge/internal/process/atomicfile"
)

// Waiting is how many wait.
func Waiting(home string) int {
	n := 0
	for _, ending := range []string{left, taking} {
		files, _ := named(home, ending) // a folder that cannot be read has none for us
		for _, file := range files {
			b, _ := os.ReadFile(file) // likewise
			n += len(lines(b))
		}
	}
	return n
}

// Mentions tells whether something that waits may have a text in it: where that cannot
// be seen it may.
func Mentions(home, text string) bool {
	for _, ending := range []string{left, taking} {
		files, err := named(home, ending)
		if err != nil {
			return true
		}
		for _, file := range files {
			b, err := os.ReadFile(file)
			if err == nil && bytes.Contains(b, []byte(text)) || err != nil && !errors.Is(err, fs.ErrNotExist) {
				return true
			}
		}
	}
	return false
}

// named are the files of the spool with this ending.
func named(home, ending string) ([]string, error) {
	dir := filepath.Join(home, folder)
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var files []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ending) {
			files = append(files, filepath.Join(dir, e.Name()))
		}
	}
	return files, nil
}

// Take gives what waits to take, of each owner in order. What take refuses stays, and
// the next one is taken: who wants an order kept refuses those that come after, too.
// The error is the first; where a hook is just at it, ErrBusy is in its chain as well.
// There is one taker.
func Take(home string, take func(id string, b []byte) error) (int, error) {
	taken := 0
	var first, busy error
	note := func(err error) {
		of := &first
		if errors.Is(err, ErrBusy) {
			of = &busy
		}
		if err != nil && *of == nil {
			*of = kedge.Errorf(kedge.KindOf(err), "Kedge cannot read the event of an agent's hook: %w", err)
		}
	}
	for _, step := range []struct {
		ending string
		open   func(string) (*os.File, error)
	}{{taking, os.Open}, {left, seize}} { // what an earlier taker could not do is older
		files, err := named(home, step.ending)
		note(err)
		for _, file := range files {
			n, err := takeFile(file, step.open, take)
			taken += n
			note(err)
		}
	}
	return taken, errors.Join(first, busy)
}

// seize makes a file one that is being taken, when nobody writes to it any more. It
// does not while an earlier one could not be taken: its events come first.
func seize(file string) (*os.File, error) {
	now := strings.TrimSuffix(file, left) + taking
	if _, err := os.Lstat(now); err == nil {
		return nil, fs.ErrNotExist
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	if err := os.Rename(file, now); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// How often, and how far apart, it is tried to be alone with a file: who writes to it
// is done in a moment, unless somebody has stopped it.
const (
	lockTries = 40
	lockPause = 5 * time.Millisecond
)

// alone waits until nobody writes to a file that is being taken. Who has opened it
// before that either has written then, or finds it locked, or gone.
func alone(f *os.File) error {
	pause := time.NewTicker(lockPause)
	defer pause.Stop()
	var err error
	for range lockTries {
		if err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err == nil {
			return nil
		}
		<-pause.C
	}
	return kedge.Errorf(kedge.Conflict, "%w: %q: %v", ErrBusy, f.Name(), err)
}

// takeFile takes the lines of a file, and leaves those that are refused.
func takeFile(file string, open func(string) (*os.File, error), take func(string, []byte) error) (int, error) {
	f, err := open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close() }() // and with it the lock
	if err := alone(f); err != nil {
		return 0, err
	}
	b, err := io.ReadAll(io.LimitReader(f, 2*MaxOwned))
	if err != nil {
		return 0, err
	}
	all := lines(b)
	taken, refused, first := takeLines(filepath.Dir(file), all, take)
	now := strings.TrimSuffix(strings.TrimSuffix(file, left), taking) + taking
	if len(refused) == 0 {
		return taken, errors.Join(first, os.Remove(now))
	}
	if len(refused) < len(all) {
		first = errors.Join(first, atomicfile.Swap(now, bytes.Join(refused, nil), 0o600))
	}
	return taken, first
}

func takeLines(dir string, all [][]byte, take func(string, []byte) error) (taken int, refused [][]byte, first error) {
	for _, line := range all {
		id, b, ok := bytes.Cut(bytes.TrimSuffix(line, []byte("\n")), []byte(" "))
		err := ErrSpoilt
		if ok && kedge.ValidID(prefix, string(id)) {
			err = take(string(id), b)
		}
		spoilt := errors.Is(err, ErrSpoilt)
		if spoilt {
			err = setAside(dir, line)
		}
		switch {
		case err != nil:
			refused = append(refused, line)
		case !spoilt:
			taken++
		}
		if first == nil {
			first = err
		}
	}
	return taken, refused, first
}

// lines are those that have something in them, each with its end.
func lines(b []byte) (out [][]byte) {
	for line := range bytes.Lines(b) {
		if len(bytes.TrimSpace(line)) > 0 {
			out = append(out, line)
		}
	}
	return out
}

// setAside keeps a line that nobody understands, as long as there is room: what came
// first shows most.
func setAside(dir string, line []byte) error {
	f, err := os.OpenFile(filepath.Join(dir, spoilt), os.O_WRONLY|os.O_APPEND|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	fi, err := f.Stat()
	if err == nil && fi.Size()+int64(len(line)) <= MaxSpoilt {
		_, err = f.Write(line)
	}
	return errors.Join(err, f.Close())
}
