package git

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"kedge"
)

// idFile names the project: in the repository's common git dir, where every
// worktree finds it and a move of the folder takes it along.
const idFile = "kedge-id"

// Place is where a folder belongs: the root of its worktree, and the folder
// that all worktrees of its repository share.
type Place struct {
	Root   string
	Common string // common git dir; empty for a plain folder
}

// IDPath is the file that names the project.
func (pl Place) IDPath() string {
	if pl.Common == "" {
		return filepath.Join(pl.Root, kedge.Dir, "id")
	}
	return filepath.Join(pl.Common, idFile)
}

// Locate finds the project folder that dir lies in, by reading files only: it
// runs on every call, and git would take longer than all the rest.
func Locate(dir string) (Place, bool) {
	if !filepath.IsAbs(dir) {
		return Place{}, false
	}
	for d := filepath.Clean(dir); ; d = filepath.Dir(d) {
		if common, ok := commonDir(d); ok {
			return Place{Root: d, Common: common}, true
		}
		if _, err := os.Lstat(filepath.Join(d, kedge.Dir, "id")); err == nil {
			return Place{Root: d}, true
		}
		if d == filepath.Dir(d) {
			return Place{}, false
		}
	}
}

// commonDir reads the common git dir of a worktree whose root is d.
func commonDir(d string) (string, bool) {
	dot := filepath.Join(d, ".git")
	fi, err := os.Stat(dot)
	if err != nil {
		return "", false
	}
	if fi.IsDir() {
		_, err := os.Stat(filepath.Join(dot, "HEAD"))
		return dot, err == nil
	}
	gitdir, ok := Pointer(dot, "gitdir:")
	if !ok {
		return "", false
	}
	common, ok := Pointer(filepath.Join(gitdir, "commondir"), "")
	if !ok {
		return gitdir, true // a submodule: its git dir is its own
	}
	return common, true
}

// Pointer reads a file that holds one path, relative to the file's folder.
func Pointer(file, prefix string) (string, bool) {
	b, err := readSmall(file)
	if err != nil {
		return "", false
	}
	path, ok := strings.CutPrefix(strings.TrimRight(string(b), "\r\n"), prefix)
	if !ok {
		return "", false
	}
	path = strings.TrimSpace(path)
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(file), path)
	}
	return filepath.Clean(path), true
}

// readSmall reads a file that holds one line. Anything else in its place, a pipe
// say, on which a reader would wait for ever, is an error.
func readSmall(file string) ([]byte, error) {
	const most = 8 << 10
	fi, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if !fi.Mode().IsRegular() || fi.Size() > most {
		return nil, kedge.Errorf(kedge.Invalid, "%q must be a plain file of at most 8 KB, because it holds the project's id", file)
	}
	return os.ReadFile(file)
}

// ReadID reads a project's id; NotFound when there is none.
func ReadID(pl Place) (kedge.ProjectID, error) {
	b, err := readSmall(pl.IDPath())
	if errors.Is(err, fs.ErrNotExist) {
		return "", kedge.Errorf(kedge.NotFound, "Kedge is not set up in %q", pl.Root).WithHint("kedge init")
	}
	if err != nil {
		return "", kedge.Errorf(kedge.Internal, "cannot read the project's id: %w", err)
	}
	id := strings.TrimSpace(string(b))
	if !kedge.ValidID("prj", id) {
		return "", kedge.Errorf(kedge.Invalid, "%s:1: %q is not a project id", pl.IDPath(), id).
			WithHint("restore the file from a backup; if you have no backup, remove the file, then run: kedge init")
	}
	return kedge.ProjectID(id), nil
}

// MainFolder is the main worktree of the repository that a worktree belongs
// to; a folder without one is its own.
func MainFolder(dir string) string {
	pl, ok := Locate(dir)
	if ok && filepath.Base(pl.Common) == ".git" {
		return filepath.Dir(pl.Common)
	}
	return dir
}

// IsProject tells whether the folder is the root of a worktree with this
// project's id.
func IsProject(dir string, id kedge.ProjectID) bool {
	pl, ok := Locate(dir)
	if !ok || pl.Root != filepath.Clean(dir) {
		return false
	}
	there, err := ReadID(pl)
	return err == nil && there == id
}
