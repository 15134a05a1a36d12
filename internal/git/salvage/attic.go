package salvage

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"kedge"
	"kedge/internal/process/atomicfile"
	"kedge/internal/text/strict"
)

// Attic is the folder of one salvage.
type Attic struct{ Dir string }

// Thing is a file or folder, by its path in the worktree with slashes.
type Thing struct {
	Path string `json:"path"`
	Kind Kind   `json:"kind"`
	Size int64  `json:"size"`
}

// Kind says why a thing is here.
type Kind string

// The kinds of thing.
const (
	Repository Kind = "repository"
	Filtered   Kind = "filtered"
	Big        Kind = "big"
	Odd        Kind = "odd" // git cannot hold its path
)

// manifest says where the things came from.
type manifest struct {
	Version int             `json:"version"`
	ID      kedge.SalvageID `json:"id"`
	Root    string          `json:"root"`
	Things  []Thing         `json:"things"`
}

// Path is where a thing of the worktree lies in the attic.
func (a Attic) Path(p string) string { return filepath.Join(a.Dir, "files", filepath.FromSlash(p)) }

func (a Attic) manifestFile() string { return filepath.Join(a.Dir, "manifest.json") }

// Plan writes the manifest; with no things there is no attic folder at all.
func (a Attic) Plan(id kedge.SalvageID, root string, things []Thing) error {
	if len(things) == 0 {
		return nil
	}
	if !filepath.IsAbs(a.Dir) {
		return kedge.Errorf(kedge.Invalid, "the folder for work that Kedge sets aside must be an absolute path, not %q", a.Dir)
	}
	if err := os.MkdirAll(filepath.Join(a.Dir, "files"), 0o700); err != nil {
		return kedge.Errorf(kedge.Internal, "cannot make the folder for work that Kedge sets aside: %w", err)
	}
	b, err := json.MarshalIndent(manifest{Version: 1, ID: id, Root: root, Things: things}, "", "  ")
	if err != nil {
		return kedge.Errorf(kedge.Internal, "cannot save the list of the files in salvage %s: %w", id, err)
	}
	return atomicfile.Write(a.manifestFile(), append(b, '\n'), 0o600)
}

// Check refuses an attic whose manifest does not name the paths.
func (a Attic) Check(paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	b, err := os.ReadFile(a.manifestFile())
	if err != nil {
		return kedge.Errorf(kedge.NotFound, "cannot read the list of the files that Kedge set aside (the salvage): %w", err).WithHint("look for %q in a backup", a.Dir)
	}
	var m manifest
	if err := strict.Decode(a.manifestFile(), b, &m); err != nil {
		return err
	}
	named := map[string]bool{}
	for _, t := range m.Things {
		named[t.Path] = true
	}
	for _, p := range paths {
		if !named[p] {
			return kedge.Errorf(kedge.Invalid, "the file %q is not in %q, the list of files that Kedge set aside", p, a.manifestFile())
		}
	}
	return nil
}

// TakeIn moves the paths from root into the attic. What is there already was
// moved by an earlier try; whatever stands in its old place by now is newer, and
// stays.
func (a Attic) TakeIn(root string, paths []string) error {
	for _, p := range paths {
		if err := refuseLinks(root, p); err != nil {
			return err
		}
		from, to := filepath.Join(root, filepath.FromSlash(p)), a.Path(p)
		if missing(from) || !missing(to) {
			continue
		}
		if err := move(from, to); err != nil {
			return kedge.Errorf(kedge.Internal, "cannot set %q aside: %w", p, err)
		}
	}
	return nil
}

// GiveBack moves the paths from the attic to root.
func (a Attic) GiveBack(root string, paths []string) error {
	for _, p := range paths {
		from, to := a.Path(p), filepath.Join(root, filepath.FromSlash(p))
		if missing(from) {
			continue // given back by an earlier try: Taken looked
		}
		if err := move(from, to); err != nil {
			return kedge.Errorf(kedge.Internal, "cannot restore %q from the set-aside work (the salvage): %w", p, err)
		}
	}
	return nil
}

// Taken gives the paths that cannot come back because something else is
// there, and refuses when one is in neither place. may lists the paths whose
// present content is in a commit, and may be replaced.
func (a Attic) Taken(root string, paths []string, may func(string) bool) (taken []string, err error) {
	for _, p := range paths {
		if err := refuseLinks(root, p); err != nil {
			return nil, err
		}
		_, here := os.Lstat(filepath.Join(root, filepath.FromSlash(p)))
		_, kept := os.Lstat(a.Path(p))
		switch {
		case kept != nil && here != nil:
			return nil, kedge.Errorf(kedge.NotFound, "the file %q is no longer in the salvage: it was restored into another worktree, or somebody removed it", p).
				WithHint("look for it in the worktree into which you restored this salvage, or in a backup of %q", a.Dir)
		case kept == nil && here == nil && !may(p):
			taken = append(taken, p)
		}
	}
	return taken, nil
}

func missing(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// refuseLinks refuses a path that is not below root, or that a symbolic link
// leads out of it.
func refuseLinks(root, p string) error {
	if !filepath.IsLocal(filepath.FromSlash(p)) {
		return kedge.Errorf(kedge.Invalid, "%q is not a path inside the repository", p)
	}
	dir := root
	parts := strings.Split(p, "/")
	for _, part := range parts[:len(parts)-1] {
		dir = filepath.Join(dir, part)
		if fi, err := os.Lstat(dir); err == nil && !fi.IsDir() {
			return kedge.Errorf(kedge.Conflict, "%q is not a folder, so it cannot contain %q", dir, p)
		}
	}
	return nil
}

// move renames, or copies, syncs and only then deletes where the disk is another
// one. A file at to is replaced; a folder is not.
func move(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	err := os.Rename(from, to)
	if errors.Is(err, syscall.EXDEV) {
		err = moveFar(from, to)
	}
	if err != nil {
		return err
	}
	return errors.Join(syncDir(filepath.Dir(to)), syncDir(filepath.Dir(from)))
}

// moveFar copies to a temporary name first, so that to is whole or absent.
func moveFar(from, to string) error {
	temp := to + ".kedge-moving"
	if err := RemoveAll(temp); err != nil {
		return err
	}
	if err := copyAll(from, temp); err != nil {
		return err
	}
	if err := os.Rename(temp, to); err != nil {
		return err
	}
	if err := syncDir(filepath.Dir(to)); err != nil {
		return err
	}
	return RemoveAll(from)
}

// RemoveAll is os.RemoveAll for folders that may not be written to as well, in
// which it would stop half-way. It follows no link.
func RemoveAll(path string) error {
	_ = filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			_ = os.Chmod(p, 0o700)
		}
		return nil
	})
	return os.RemoveAll(path)
}

// copyAll copies files, folders and symbolic links with modes and times.
// Anything else (a socket, a pipe) is refused, so that nothing is lost.
func copyAll(from, to string) error {
	fi, err := os.Lstat(from)
	if err != nil {
		return err
	}
	switch {
	case fi.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(from)
		if err != nil {
			return err
		}
		return os.Symlink(target, to)
	case fi.IsDir():
		return copyDir(from, to, fi)
	case fi.Mode().IsRegular():
		if err := copyFile(from, to, fi.Mode().Perm()); err != nil {
			return err
		}
		return finish(to, fi)
	}
	return kedge.Errorf(kedge.Invalid, "Kedge cannot set %q aside: it is a pipe or another special file", from)
}

func copyDir(from, to string, fi fs.FileInfo) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	if err := os.Mkdir(to, 0o700); err != nil {
		return err
	}
	for _, e := range entries {
		if err := copyAll(filepath.Join(from, e.Name()), filepath.Join(to, e.Name())); err != nil {
			return err
		}
	}
	return errors.Join(syncDir(to), finish(to, fi))
}

// finish sets mode and time as they were, whatever the umask.
func finish(path string, fi fs.FileInfo) error {
	return errors.Join(os.Chmod(path, fi.Mode().Perm()), os.Chtimes(path, fi.ModTime(), fi.ModTime()))
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// copyFile copies one regular file, on disk when it returns.
func copyFile(from, to string, perm os.FileMode) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, perm)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Sync(), out.Close())
}
