package service

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"syscall"

	"kedge"
	"kedge/internal/atomicfile"
	"kedge/internal/store"
)

// maxFile bounds what is read of a file in the repository: none of the files
// Kedge writes comes near it.
const maxFile = 16 << 20

// put writes a file of the project, by its slash path from the project's folder:
// whole or not at all, only when it differs, and never outside the folder, even
// when a symbolic link points there.
func (p *project) put(name string, b []byte) error {
	old, ok, err := p.read(name)
	if err == nil && ok && bytes.Equal(old, b) {
		return nil
	}
	root, err := os.OpenRoot(p.Dir)
	if err != nil {
		return kedge.Errorf(kedge.Internal, "open the project's folder: %w", err)
	}
	defer func() { _ = root.Close() }()
	if err := atomicfile.WriteIn(root, name, b, 0o644); err != nil {
		return kedge.Errorf(kedge.Internal, "write %s: %w", name, err)
	}
	return nil
}

// read reads a file of the project; ok is false when there is none.
func (p *project) read(name string) (b []byte, ok bool, err error) {
	root, err := os.OpenRoot(p.Dir)
	if err != nil {
		return nil, false, kedge.Errorf(kedge.Internal, "open the project's folder: %w", err)
	}
	defer func() { _ = root.Close() }()
	fi, err := root.Stat(name)
	if isMissing(err) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, kedge.Errorf(kedge.Invalid, "read %s: %w", name, err)
	}
	if !fi.Mode().IsRegular() || fi.Size() > maxFile {
		return nil, false, kedge.Errorf(kedge.Invalid, "%s is not a file of at most %d bytes", name, maxFile)
	}
	b, err = root.ReadFile(name)
	if err != nil {
		return nil, false, kedge.Errorf(kedge.Invalid, "read %s: %w", name, err)
	}
	return b, true, nil
}

// isMissing tells that there is no such file, nor a folder that it could be in.
func isMissing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// isFolder tells whether a folder stands where a file should be: nobody wrote
// into it, and no file can take its place.
func (p *project) isFolder(name string) bool {
	fi, err := os.Lstat(p.path(name))
	return err == nil && fi.IsDir()
}

// list gives the names of the files in a folder of the project, sorted.
func (p *project) list(dir string) ([]string, error) {
	root, err := os.OpenRoot(p.Dir)
	if err != nil {
		return nil, kedge.Errorf(kedge.Internal, "open the project's folder: %w", err)
	}
	defer func() { _ = root.Close() }()
	entries, err := fs.ReadDir(root.FS(), dir)
	if isMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, kedge.Errorf(kedge.Invalid, "read %s: %w", dir, err)
	}
	var names []string
	for _, e := range entries {
		if e.Type().IsRegular() {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names, nil
}

// remove takes a projection away; one that is not there is fine.
func (p *project) remove(name string) error {
	root, err := os.OpenRoot(p.Dir)
	if err != nil {
		return kedge.Errorf(kedge.Internal, "open the project's folder: %w", err)
	}
	defer func() { _ = root.Close() }()
	if err := root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return kedge.Errorf(kedge.Internal, "remove %s: %w", name, err)
	}
	return nil
}

// all reads every document of a kind.
func all[T any](ctx context.Context, p *project, kind store.Kind) ([]T, error) {
	return store.All[T](ctx, p.store, kind)
}

// event makes an event by the caller; data that cannot be encoded is a defect.
func event(typ kedge.EventType, who Caller, data any) (kedge.Event, error) {
	return kedge.NewEvent(typ, who.Actor, data)
}
