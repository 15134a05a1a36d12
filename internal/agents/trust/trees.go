package trust

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"kedge"
)

// ScanDir is Scan of a folder. What programs put beside their settings is passed over
// there unless tracked says that git has it, or something below it: then it came with
// the repository.
func (r Rules) ScanDir(dir string, tracked func(name string) (bool, error)) (Found, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return Found{}, kedge.Errorf(kedge.Internal, "cannot search %q for files that steer agents: %w", dir, err)
	}
	defer func() { _ = root.Close() }() // only read
	return r.Scan(&disk{root: root, tracked: tracked})
}

// disk is a folder as a tree; no link leads its reader out of it.
type disk struct {
	root    *os.Root
	tracked func(name string) (bool, error)
}

// unseen refuses what cannot be looked at: it might hold anything.
func unseen(name string, err error) error {
	return kedge.Errorf(kedge.Blocked, "agents obey the file %q, and Kedge cannot read it: %w", name, err).WithStep(kedge.Step("ls", "-ld", name))
}

// Kind implements Tree.
func (d *disk) Kind(name string) (Kind, error) {
	fi, err := d.root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Absent, nil
	case err != nil:
		return Absent, unseen(name, err)
	case fi.Mode().IsRegular():
		return Plain, nil
	case fi.IsDir():
		return Folder, nil
	case fi.Mode()&fs.ModeSymlink != 0:
		return Link, nil
	default:
		return Other, nil
	}
}

// List implements Tree.
func (d *disk) List(name string) ([]string, error) {
	f, err := d.root.Open(name)
	if err != nil {
		return nil, unseen(name, err)
	}
	defer func() { _ = f.Close() }() // only read
	names, err := f.Readdirnames(-1)
	if err != nil {
		return nil, unseen(name, err)
	}
	return names, nil
}

// Read implements Tree.
func (d *disk) Read(name string) ([]byte, error) {
	fi, err := d.root.Lstat(name)
	if err == nil && fi.Mode()&fs.ModeSymlink != 0 {
		to, err := d.root.Readlink(name)
		if err != nil {
			return nil, unseen(name, err)
		}
		return []byte(to), nil
	}
	if err == nil && fi.Size() > maxBytes {
		return nil, tooMuch(name)
	}
	var b []byte
	if err == nil {
		b, err = d.root.ReadFile(name)
	}
	if err != nil {
		return nil, unseen(name, err)
	}
	return b, nil
}

// Installed implements Tree.
func (d *disk) Installed(name string) (bool, error) {
	tracked, err := d.tracked(name)
	return !tracked, err
}

// Entry is a file of a commit.
type Entry struct {
	Path string
	Kind Kind // Plain, Program, Link or Other
}

// Commit is the tree of a commit.
type Commit struct {
	entries []Entry
	read    func(name string) ([]byte, error)
}

// OfCommit makes a tree of the files of a commit, and of how one is read.
func OfCommit(entries []Entry, read func(name string) ([]byte, error)) *Commit {
	return &Commit{entries: entries, read: read}
}

// Kind implements Tree.
func (c *Commit) Kind(name string) (Kind, error) {
	for _, e := range c.entries {
		switch {
		case e.Path == name:
			return e.Kind, nil
		case name == ".", strings.HasPrefix(e.Path, name+"/"):
			return Folder, nil
		}
	}
	return Absent, nil
}

// List implements Tree.
func (c *Commit) List(name string) ([]string, error) {
	var out []string
	for _, e := range c.entries {
		below, ok := e.Path, true
		if name != "." {
			below, ok = strings.CutPrefix(e.Path, name+"/")
		}
		first, _, _ := strings.Cut(below, "/")
		if ok && (len(out) == 0 || out[len(out)-1] != first) {
			out = append(out, first)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// Read implements Tree.
func (c *Commit) Read(name string) ([]byte, error) { return c.read(path.Clean(name)) }

// Installed implements Tree: who commits a thing brings it along.
func (c *Commit) Installed(string) (bool, error) { return false, nil }
