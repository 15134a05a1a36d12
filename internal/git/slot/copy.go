package slot

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"kedge"
	"kedge/internal/git"
)

// CopyFiles brings files of the user's checkout that are in no commit into a
// worktree, as they are there: links, hard links, modes and times. Only what git ignores
// there is copied: anything else would become part of the work. A file that the checkout
// does not have is left out. The reason says why a file cannot be copied.
func CopyFiles(ctx context.Context, checkout string, w *git.Repo, names []string) (reason string, err error) {
	var all []original
	for _, name := range names {
		found, err := originalsBelow(checkout, name)
		if err != nil {
			return "", err
		}
		all = append(all, found...)
	}
	if len(all) == 0 {
		return "", nil
	}
	free, err := w.NotIgnored(ctx, filesOf(all))
	if err != nil {
		return "", err
	}
	if len(free) > 0 {
		return fmt.Sprintf("Kedge copied no files into the worktree, because git does not ignore %s (next: echo '/%s' >> .gitignore && git add .gitignore && git commit -m 'ignore it' .gitignore)", free[0], free[0]), nil
	}
	to, err := os.OpenRoot(w.Root()) // an agent's link does not lead out of it
	if err != nil {
		return "", kedge.Errorf(kedge.Internal, "cannot open the worktree to copy files into it: %w", err)
	}
	defer func() { _ = to.Close() }()
	c := copier{from: checkout, to: to, marks: filepath.Join(w.GitDir(), "kedge-copied"), first: map[inode]string{}}
	return "", c.copyAll(all)
}

// original is a file, a link or a folder of the checkout, by its path with slashes.
type original struct {
	path string
	info fs.FileInfo
}

// filesOf are the paths of those that git could track.
func filesOf(all []original) []string {
	var out []string
	for _, o := range all {
		if !o.info.IsDir() {
			out = append(out, o.path)
		}
	}
	return out
}

// originalsBelow lists what is at or below a path, a folder before what is in it.
// Repositories stay out: what is in them is somebody's work. A link that is named itself is
// what it leads to; sockets and the like are nobody's files.
func originalsBelow(root, name string) ([]original, error) {
	name = path.Clean(filepath.ToSlash(name))
	if !fs.ValidPath(name) || name == "." {
		return nil, kedge.Errorf(kedge.Invalid, "Kedge cannot copy %q into worktrees: it is not inside the project's folder", name).WithHint("correct \"copy\" under [worktree] in .kedge/config.toml: list only files below the project's folder")
	}
	var out []original
	err := fs.WalkDir(os.DirFS(root), name, func(p string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case d.Name() == ".git" && d.IsDir():
			return fs.SkipDir
		case d.Name() == ".git":
			return nil
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) { // somebody installs there now
			return nil
		}
		if err == nil && (info.IsDir() || info.Mode().IsRegular() || info.Mode()&fs.ModeSymlink != 0) {
			out = append(out, original{p, info})
		}
		return err
	})
	if err != nil {
		return nil, kedge.Errorf(kedge.Internal, "cannot read %q: %w", name, err)
	}
	return out, nil
}

// copier copies into one worktree.
type copier struct {
	from  string // the checkout
	to    *os.Root
	marks string           // the file that says which copies are as they were made
	first map[inode]string // where the first name of a file with several names was copied to
	known map[string]mark
}

func (c *copier) copyAll(all []original) error {
	c.known = readMarks(c.marks)
	for _, o := range all {
		if err := c.copy(o); err != nil && !errors.Is(err, errGone) {
			return kedge.Errorf(kedge.Internal, "cannot copy %q into the worktree: %w", o.path, err)
		}
	}
	for _, o := range slices.Backward(all) { // one that may not be written to is closed when all is in it
		if o.info.IsDir() {
			if err := c.to.Chmod(o.path, o.info.Mode().Perm()|0o700); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return kedge.Errorf(kedge.Internal, "cannot copy %q into the worktree: %w", o.path, err)
			}
		}
	}
	return c.writeMarks(all)
}

func (c *copier) copy(o original) error {
	if c.isCopied(o) {
		c.remember(o)
		return nil
	}
	if o.info.IsDir() {
		return c.folder(o.path)
	}
	if err := c.folder(path.Dir(o.path)); err != nil {
		return err
	}
	if err := c.to.RemoveAll(o.path); err != nil {
		return err
	}
	if o.info.Mode()&fs.ModeSymlink != 0 {
		return c.link(o.path)
	}
	if first, is := c.first[inodeOf(o.info)]; is {
		if err := c.to.Link(first, o.path); err == nil {
			return nil // a disk without hard links has copies
		}
	}
	if err := c.file(o); err != nil {
		return err
	}
	c.remember(o)
	return nil
}

// remember is told of every copy: the other names of the same file are links to it. Names
// outside of what is copied are not: a store that many projects share is nobody's to write to.
func (c *copier) remember(o original) {
	if o.info.Mode().IsRegular() && linksOf(o.info) > 1 {
		if _, is := c.first[inodeOf(o.info)]; !is {
			c.first[inodeOf(o.info)] = o.path
		}
	}
}

// folder makes a folder, also where an agent put something else.
func (c *copier) folder(name string) error {
	if name == "." {
		return nil
	}
	if info, err := c.to.Lstat(name); err == nil && info.IsDir() {
		return nil
	}
	if err := c.folder(path.Dir(name)); err != nil {
		return err
	}
	if err := c.to.RemoveAll(name); err != nil {
		return err
	}
	return c.to.Mkdir(name, 0o755)
}

// link copies a link. One that leads into the checkout leads to the same place in the
// worktree; one that leads out of it leads where it did.
func (c *copier) link(name string) error {
	target, err := os.Readlink(filepath.Join(c.from, filepath.FromSlash(name)))
	if errors.Is(err, fs.ErrNotExist) {
		return errGone
	}
	if err != nil {
		return err
	}
	return c.to.Symlink(retarget(c.from, c.to.Name(), name, target), name)
}

// retarget is where the copy of a link leads that is called name.
func retarget(from, to, name, target string) string {
	if target == "" {
		return target
	}
	if !filepath.IsAbs(target) {
		whole := filepath.Join(from, filepath.Dir(filepath.FromSlash(name)), target)
		if within(from, whole) {
			return target
		}
		return whole
	}
	if rel, err := filepath.Rel(from, target); err == nil && within(from, target) {
		return filepath.Join(to, rel)
	}
	return target
}

func within(root, path string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && filepath.IsLocal(rel)
}

// errGone says that a file went while it was to be copied: somebody installs there now.
var errGone = errors.New("the file is gone")

// file copies one file: its blocks are shared where the disk can.
func (c *copier) file(o original) error {
	in, err := os.Open(filepath.Join(c.from, filepath.FromSlash(o.path)))
	if errors.Is(err, fs.ErrNotExist) {
		return errGone
	}
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := c.to.OpenFile(o.path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	err = fill(out, in)
	if err = errors.Join(err, out.Chmod(o.info.Mode().Perm()), out.Close()); err != nil {
		return err
	}
	return c.to.Chtimes(o.path, o.info.ModTime(), o.info.ModTime())
}
