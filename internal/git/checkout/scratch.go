package checkout

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"kedge"
	"kedge/internal/git/hardened"
	"kedge/internal/git/history"
)

// Scratch is a git dir that shares everything with the repository but its
// configuration, its hooks and its index. In it git converts content by our
// settings alone, and index operations leave the user's index as it is.
type Scratch struct {
	r    *Repo
	dir  string
	conf []string
	set  hardened.Settings
	lfs  bool // this program is the filter of Git LFS

	user   []entry  // what the user's index tracks, once the scratch one is seeded
	kept   []entry  // what Kedge knew then
	afresh bool     // nothing that was kept is used
	hashed []string // what Kedge did not know before
}

// withScratch runs do with a scratch git dir that is gone afterwards.
func (r *Repo) withScratch(ctx context.Context, do func(*Scratch) error) error {
	if err := r.g.NeedRoot(); err != nil {
		return err
	}
	set, err := r.g.Settings(ctx)
	if err != nil {
		return err
	}
	s := &Scratch{r: r}
	s.set, s.lfs = r.g.WithLFS(set)
	s.conf = append(s.set.Content[:len(s.set.Content):len(s.set.Content)], r.g.ApprovedFilters(s.set)...)
	s.conf = append(s.conf, "core.protectNTFS=false", "core.protectHFS=false")
	if err := s.make(); err != nil {
		return kedge.Errorf(kedge.Internal, "cannot make a temporary folder for git: %w", err).WithHint("make sure that you may write to %q", r.g.CommonDir())
	}
	err, closed := do(s), s.close()
	if err != nil {
		return err
	}
	return closed
}

func (s *Scratch) make() (err error) {
	s.sweep()
	if s.dir, err = os.MkdirTemp(s.r.g.CommonDir(), hardened.ScratchPrefix); err != nil {
		return err
	}
	head, err := os.ReadFile(filepath.Join(s.r.g.GitDir(), "HEAD"))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(s.dir, "config"), s.r.g.OwnConfig("false", s.set.Refs), 0o600); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(s.dir, "HEAD"), head, 0o600); err != nil {
		return err
	}
	if err := s.makeInfo(); err != nil {
		return err
	}
	return errors.Join(s.link("", s.r.g.CommonDir(), shared), s.link("", s.r.g.GitDir(), splitIndex))
}

// rawIdent overrides every other attribute file: with "ident" the text between
// two dollars, which may be code to a compiler, would not be in the tree.
const rawIdent = "* -ident\n"

// makeInfo takes over what is ignored, but not the attributes: unlike those in
// .gitattributes they are in no tree, so that nobody would ever see why a tree
// differs from the files.
func (s *Scratch) makeInfo() error {
	if err := os.Mkdir(filepath.Join(s.dir, "info"), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(s.dir, "info", "attributes"), []byte(rawIdent), 0o600); err != nil {
		return err
	}
	err := s.link("info", filepath.Join(s.r.g.CommonDir(), "info"), func(name string) bool { return name != "attributes" })
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// shared tells which entries of the common git dir the scratch one links to.
// Whatever a filter keeps there (lfs, git-crypt) is among them.
func shared(name string) bool {
	switch name {
	case "config", "config.worktree", "hooks", "HEAD", "index", "commondir", "gitdir", "info":
		return false
	case "branches", "description", "logs", "worktrees", "COMMIT_EDITMSG": // nothing that is run in it reads them, and links are dear
		return false
	}
	return !strings.HasPrefix(name, "kedge") && !strings.HasSuffix(name, ".lock") && !strings.HasSuffix(name, "_HEAD")
}

func splitIndex(name string) bool { return strings.HasPrefix(name, "sharedindex.") }

// link links to the wanted entries of a folder, in the folder under.
func (s *Scratch) link(under, from string, want func(string) bool) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !want(e.Name()) {
			continue
		}
		err := os.Symlink(filepath.Join(from, e.Name()), filepath.Join(s.dir, under, e.Name()))
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return nil
}

// close removes the scratch git dir. A folder that an approved filter made in
// it belongs to the repository, and goes there.
func (s *Scratch) close() error {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() && shared(e.Name()) {
			_ = os.Rename(filepath.Join(s.dir, e.Name()), filepath.Join(s.r.g.CommonDir(), e.Name()))
		}
	}
	return os.RemoveAll(s.dir)
}

// sweep removes scratch git dirs that a crash left behind: they hold nothing
// that is not elsewhere.
func (s *Scratch) sweep() {
	old, _ := filepath.Glob(filepath.Join(s.r.g.CommonDir(), hardened.ScratchPrefix+"*"))
	for _, dir := range old {
		if fi, err := os.Lstat(dir); err == nil && fi.IsDir() && s.r.g.Now().Sub(fi.ModTime()) > 24*time.Hour {
			_ = os.RemoveAll(dir)
		}
	}
}

func (s *Scratch) index() string { return filepath.Join(s.dir, "index") }

// Do runs one command in the scratch git dir, on the worktree.
func (s *Scratch) Do(ctx context.Context, stdin []byte, args ...string) ([]byte, error) {
	return s.onIndex(ctx, s.index(), stdin, args...)
}

// onIndex is git with another index than the scratch one.
func (s *Scratch) onIndex(ctx context.Context, index string, stdin []byte, args ...string) ([]byte, error) {
	conf := append(s.conf[:len(s.conf):len(s.conf)], "core.fsync=all,-index") // install and keepAs do that, where it is to stay
	conf = append(conf, s.lfsConf()...)
	return s.r.g.Run(ctx, hardened.Call{Mode: hardened.InScratch, Stdin: stdin, Args: args, Conf: conf, Env: []string{
		"GIT_DIR=" + s.dir, "GIT_WORK_TREE=" + s.r.g.Root(), "GIT_INDEX_FILE=" + index,
	}})
}

// List is git with a -z list of paths on its standard input.
func (s *Scratch) List(ctx context.Context, paths []string, args ...string) ([]byte, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	return s.Do(ctx, []byte(strings.Join(paths, "\x00")+"\x00"), args...)
}

// Tree writes the scratch index as a tree.
func (s *Scratch) Tree(ctx context.Context) (string, error) {
	out, err := s.r.g.OfIndex(s.index(), "tree", s.r.g.Written, func() ([]byte, error) { return s.Do(ctx, nil, "write-tree") })
	return strings.TrimSpace(string(out)), err
}

func (s *Scratch) seedFrom(ctx context.Context, h history.Head) error {
	if h.Unborn {
		return nil
	}
	_, err := s.Do(ctx, nil, "read-tree", h.Commit)
	return err
}

// useIndex makes the scratch index a copy of the user's; empty when there is
// none. It tells what is staged and tracked, not what the files are.
func (s *Scratch) useIndex() error {
	if err := os.Remove(s.index()); err != nil && !os.IsNotExist(err) {
		return err
	}
	if err := copyIndex(filepath.Join(s.r.g.GitDir(), "index"), s.index()); err != nil && !os.IsNotExist(err) {
		return err
	}
	return nil
}

// UseTracked is useIndex, with HEAD where the user has no index.
func (s *Scratch) UseTracked(ctx context.Context) error {
	if hardened.Exists(filepath.Join(s.r.g.GitDir(), "index")) {
		return s.useIndex()
	}
	h, err := s.r.Head(ctx)
	if err != nil {
		return err
	}
	return s.seedFrom(ctx, h)
}

// copyIndex makes a copy of an index that git takes for the same.
func copyIndex(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	return errors.Join(copyTimed(in, out), out.Close())
}

// copyTimed copies an index with its time: git takes an entry that is as young
// as the index file for one that it must look into, and misses changes if the
// copy is younger.
func copyTimed(in, out *os.File) error {
	fi, err := in.Stat()
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		return err
	}
	return os.Chtimes(out.Name(), fi.ModTime(), fi.ModTime())
}
