package projects

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"kedge"
	"kedge/internal/process/atomicfile"
)

// maxFile bounds what is read of a file in the repository: none of the files
// Kedge writes comes near it.
const maxFile = 16 << 20

// Put writes a file of the project, by its slash path from the project's folder: whole
// or not at all, only if it differs, and never outside the folder, even if a symbolic
// link leads there.
func (p *Project) Put(name string, b []byte) error {
	old, ok, err := p.Read(name)
	if err == nil && ok && bytes.Equal(old, b) {
		return nil
	}
	root, err := os.OpenRoot(p.Dir)
	if err != nil {
		return kedge.Errorf(kedge.Internal, "cannot open the project's folder: %w", err)
	}
	defer func() { _ = root.Close() }()
	if err := atomicfile.WriteIn(root, name, b, 0o644); err != nil {
		return kedge.Errorf(kedge.Internal, "cannot write %s: %w", name, err)
	}
	return nil
}

// Read reads a file of the project. OK is false when it does not exist.
func (p *Project) Read(name string) (b []byte, ok bool, err error) {
	root, err := os.OpenRoot(p.Dir)
	if err != nil {
		return nil, false, kedge.Errorf(kedge.Internal, "cannot open the project's folder: %w", err)
	}
	defer func() { _ = root.Close() }()
	fi, err := root.Stat(name)
	if isMissing(err) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, kedge.Errorf(kedge.Invalid, "cannot read %s: %w", name, err)
	}
	switch {
	case !fi.Mode().IsRegular():
		return nil, false, kedge.Errorf(kedge.Invalid, "Kedge cannot read %s, because it is not a plain file; it may be a folder or a link", name)
	case fi.Size() > maxFile:
		return nil, false, kedge.Errorf(kedge.Invalid, "%s is too large: it has %d bytes, and Kedge reads at most %d", name, fi.Size(), maxFile)
	}
	b, err = root.ReadFile(name)
	if err != nil {
		return nil, false, kedge.Errorf(kedge.Invalid, "cannot read %s: %w", name, err)
	}
	return b, true, nil
}

// isMissing tells that there is no such file, nor a folder that it could be in.
func isMissing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// IsFolder tells whether a folder is in the place of a file, so that the file cannot be
// written.
func (p *Project) IsFolder(name string) bool {
	fi, err := os.Lstat(p.Path(name))
	return err == nil && fi.IsDir()
}

// List gives the names of the files in a folder of the project, sorted.
func (p *Project) List(dir string) ([]string, error) {
	root, err := os.OpenRoot(p.Dir)
	if err != nil {
		return nil, kedge.Errorf(kedge.Internal, "cannot open the project's folder: %w", err)
	}
	defer func() { _ = root.Close() }()
	entries, err := fs.ReadDir(root.FS(), dir)
	if isMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, kedge.Errorf(kedge.Invalid, "cannot read %s: %w", dir, err)
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

// Remove removes a generated file. A missing file is no error.
func (p *Project) Remove(name string) error {
	root, err := os.OpenRoot(p.Dir)
	if err != nil {
		return kedge.Errorf(kedge.Internal, "cannot open the project's folder: %w", err)
	}
	defer func() { _ = root.Close() }()
	if err := root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return kedge.Errorf(kedge.Internal, "cannot remove %s: %w", name, err)
	}
	return nil
}

// Holds tells whether a file of the project has exactly this text.
func (p *Project) Holds(name, text string) bool {
	b, ok, err := p.Read(name)
	return err == nil && ok && string(b) == text
}

// Sum gives the SHA-256 of a text, in hex.
func Sum(b []byte) string {
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

// Sweep removes, once per worktree, the temporary files that killed writers left in
// these folders. Errors do no harm and are ignored. It needs the project's lock.
func (h *Home) Sweep(p *Project, dirs ...string) {
	if p.swept[p.Dir] {
		return
	}
	p.swept[p.Dir] = true
	root, err := os.OpenRoot(p.Dir)
	if err != nil {
		return
	}
	defer func() { _ = root.Close() }()
	for _, dir := range dirs {
		if n, err := atomicfile.Sweep(root, dir); err != nil || n > 0 {
			h.Log.Info("removed temporary files that a killed program left", "folder", filepath.Join(p.Dir, dir), "removed", n)
		}
	}
}
