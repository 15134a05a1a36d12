package gitx

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"kedge"
	"kedge/internal/atomicfile"
	"kedge/internal/strictjson"
)

// attic is the folder of one salvage: a manifest, written before anything is
// moved, and the things themselves under files/.
type attic struct{ dir string }

// thing is a file or folder that cannot go into a commit.
type thing struct {
	Path string `json:"path"`
	Kind string `json:"kind"`
	Size int64  `json:"size"`
}

// The kinds of thing.
const (
	kindRepository = "repository"
	kindFiltered   = "filtered"
	kindBig        = "big"
	kindOdd        = "odd" // git cannot hold its path
)

// manifest says where the things came from.
type manifest struct {
	Version int             `json:"version"`
	ID      kedge.SalvageID `json:"id"`
	Root    string          `json:"root"`
	Things  []thing         `json:"things"`
}

func (a attic) path(p string) string { return filepath.Join(a.dir, "files", filepath.FromSlash(p)) }

func (a attic) manifestFile() string { return filepath.Join(a.dir, "manifest.json") }

// plan writes the manifest; with no things there is no attic folder at all.
func (a attic) plan(id kedge.SalvageID, root string, things []thing) error {
	if len(things) == 0 {
		return nil
	}
	if !filepath.IsAbs(a.dir) {
		return kedge.Errorf(kedge.Invalid, "the attic %q is not an absolute path", a.dir)
	}
	if err := os.MkdirAll(filepath.Join(a.dir, "files"), 0o700); err != nil {
		return kedge.Errorf(kedge.Internal, "make the attic: %w", err)
	}
	b, err := json.MarshalIndent(manifest{Version: 1, ID: id, Root: root, Things: things}, "", "  ")
	if err != nil {
		return kedge.Errorf(kedge.Internal, "encode the manifest: %w", err)
	}
	return atomicfile.Write(a.manifestFile(), append(b, '\n'), 0o600)
}

// check refuses an attic whose manifest does not name the paths.
func (a attic) check(paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	b, err := os.ReadFile(a.manifestFile())
	if err != nil {
		return kedge.Errorf(kedge.NotFound, "the attic of this salvage is gone: %w", err).WithHint("look for %q in a backup", a.dir)
	}
	var m manifest
	if err := strictjson.Decode(a.manifestFile(), b, &m); err != nil {
		return err
	}
	named := map[string]bool{}
	for _, t := range m.Things {
		named[t.Path] = true
	}
	for _, p := range paths {
		if !named[p] {
			return kedge.Errorf(kedge.Invalid, "%s: no entry for %q", a.manifestFile(), p)
		}
	}
	return nil
}

// takeIn moves the paths from root into the attic. What is there already was
// moved by an earlier try.
func (a attic) takeIn(root string, paths []string) error {
	for _, p := range paths {
		if err := refuseLinks(root, p); err != nil {
			return err
		}
		from, to := filepath.Join(root, filepath.FromSlash(p)), a.path(p)
		if _, err := os.Lstat(from); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := move(from, to); err != nil {
			return kedge.Errorf(kedge.Internal, "move %q to the attic: %w", p, err)
		}
	}
	return nil
}

// giveBack moves the paths from the attic to root.
func (a attic) giveBack(root string, paths []string) error {
	for _, p := range paths {
		from, to := a.path(p), filepath.Join(root, filepath.FromSlash(p))
		if _, err := os.Lstat(from); errors.Is(err, fs.ErrNotExist) {
			continue // given back by an earlier try: refuseTaken looked
		}
		if err := move(from, to); err != nil {
			return kedge.Errorf(kedge.Internal, "move %q back from the attic: %w", p, err)
		}
	}
	return nil
}

// refuseTaken gives the paths that cannot come back because something else is
// there, and refuses when one is in neither place. may lists the paths whose
// present content is in a commit, and may be replaced.
func (a attic) refuseTaken(root string, paths []string, may func(string) bool) (taken []string, err error) {
	for _, p := range paths {
		if err := refuseLinks(root, p); err != nil {
			return nil, err
		}
		_, here := os.Lstat(filepath.Join(root, filepath.FromSlash(p)))
		_, kept := os.Lstat(a.path(p))
		switch {
		case kept != nil && here != nil:
			return nil, kedge.Errorf(kedge.NotFound, "%q is no longer in the attic: it was given back elsewhere, or removed", p).
				WithHint("look for it in %q, or in a backup", a.dir)
		case kept == nil && here == nil && !may(p):
			taken = append(taken, p)
		}
	}
	return taken, nil
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
			return kedge.Errorf(kedge.Conflict, "%q is not a folder, so %q cannot be there", dir, p)
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
	if err := os.RemoveAll(temp); err != nil {
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
	return os.RemoveAll(from)
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
	return kedge.Errorf(kedge.Invalid, "%q is neither a file nor a folder nor a link", from)
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
