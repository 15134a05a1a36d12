// Package atomicfile owns the one way in which Kedge writes a whole file: a temporary
// file in the same folder, fsync, rename, fsync of the folder.
//
// It promises that a reader, also after a power loss, sees the complete old content or
// the complete new content, and that the new content is on disk when the call returns
// (Swap and Settle do these two steps separately). It never writes through a symbolic
// link: it replaces a link at the target, and with WriteIn no link in the path leads out
// of the root. Sweep removes what a killed writer left behind, and nothing else.
package atomicfile

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"kedge"
)

// TempPrefix starts the name of every temporary file, so that what a crash left
// behind can be told from what belongs to people.
const TempPrefix = kedge.TempPrefix

// Write makes b the content of the file at path, with exactly perm whatever the
// umask. The folder must exist; links among the folders of path are followed,
// so use WriteIn for paths that someone else may have shaped.
func Write(path string, b []byte, perm os.FileMode) error {
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return wrap(path, err)
	}
	defer func() { _ = root.Close() }()
	return WriteIn(root, filepath.Base(path), b, perm)
}

// WriteIn is Write for a name inside root: no link on the way can lead outside.
// Folders of name that are missing are made.
func WriteIn(root *os.Root, name string, b []byte, perm os.FileMode) error {
	full := filepath.Join(root.Name(), name)
	dir := filepath.Dir(name)
	if dir != "." {
		if err := root.MkdirAll(dir, 0o755); err != nil {
			return wrap(full, err)
		}
	}
	if err := replace(root, name, b, perm, (*os.File).Sync); err != nil {
		return wrap(full, err)
	}
	return wrap(full, syncDir(root, dir))
}

// Swap is Write that does not wait for the disk: every reader sees the old
// content or the new, whole, but a machine that loses its power may have
// neither. It is for what counts only as long as the machine runs; Settle puts
// it on disk.
func Swap(path string, b []byte, perm os.FileMode) error {
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return wrap(path, err)
	}
	defer func() { _ = root.Close() }()
	return wrap(path, replace(root, filepath.Base(path), b, perm, func(*os.File) error { return nil }))
}

// Settle puts on disk what Swap wrote.
func Settle(path string) error {
	for _, name := range []string{path, filepath.Dir(path)} {
		f, err := os.Open(name)
		if err != nil {
			return wrap(path, err)
		}
		if err := errors.Join(f.Sync(), f.Close()); err != nil {
			return wrap(path, err)
		}
	}
	return nil
}

// replace renames a new file, on which sync was called, to name.
func replace(root *os.Root, name string, b []byte, perm os.FileMode, sync func(*os.File) error) error {
	t, err := newTemp(root, filepath.Dir(name))
	if err != nil {
		return err
	}
	if err = t.fill(b, perm, sync); err == nil {
		err = root.Rename(t.name, name)
	}
	if err != nil {
		return errors.Join(err, t.file.Close(), root.Remove(t.name))
	}
	return t.file.Close()
}

// temporary is a file on its way. It is open, and locked, until it has its name:
// so that Sweep can tell it from one whose writer is dead.
type temporary struct {
	name string
	file *os.File
}

// newTemp makes a temporary file and locks it. A sweep in between may have taken
// it away again; then there is another.
func newTemp(root *os.Root, dir string) (temporary, error) {
	for {
		t := temporary{name: filepath.Join(dir, TempPrefix+rand.Text())}
		var err error
		if t.file, err = root.OpenFile(t.name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600); err != nil {
			return t, err
		}
		locked := lock(t.file, wait) == nil
		if !locked || t.there(root) {
			return t, nil // without locks here, a sweep takes nothing away
		}
		if err := t.file.Close(); err != nil {
			return t, err
		}
	}
}

func (t temporary) fill(b []byte, perm os.FileMode, sync func(*os.File) error) error {
	if _, err := t.file.Write(b); err != nil {
		return err
	}
	if err := t.file.Chmod(perm); err != nil {
		return err
	}
	return sync(t.file)
}

// there tells whether the file still has its name.
func (t temporary) there(root *os.Root) bool {
	named, err := root.Lstat(t.name)
	if err != nil {
		return false
	}
	open, err := t.file.Stat()
	return err == nil && os.SameFile(named, open)
}

func syncDir(root *os.Root, dir string) error {
	d, err := root.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// wrap names the file once; the cause keeps only its reason, since it would
// name the temporary file. A temporary file that was never made is no news.
func wrap(path string, err error) error {
	if err == nil {
		return nil
	}
	return kedge.Errorf(kedge.Internal, "cannot write %q: %w", path, first(err)).
		WithHint("make sure that %q is a folder that you may write to, on a disk with room", filepath.Dir(path))
}

func first(err error) error {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		return first(many.Unwrap()[0])
	}
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	if le, ok := errors.AsType[*os.LinkError](err); ok {
		return le.Err
	}
	return err
}
