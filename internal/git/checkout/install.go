package checkout

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/git/hardened"
	"kedge/internal/git/history"
	"kedge/internal/process/atomicfile"
	"kedge/internal/text/strict"
)

// Begun says which commit a branch is on its way to, from before it moves until the
// index has followed: what a crash leaves behind is finished by it.
type Begun struct {
	Version int      `json:"version"`
	Branch  string   `json:"branch"`
	Commit  string   `json:"commit"`
	From    string   `json:"from,omitempty"` // where the branch was; empty: at the commit's parent
	Paths   []string `json:"paths"`          // what differs between the two
}

func (r *Repo) begunFile() string { return filepath.Join(r.g.GitDir(), "kedge-commit.json") }

// indexFile is our own name for the file that is git's index.lock while we hold
// it. Being the same file, a lock that a crash left behind can be told from
// anybody else's.
func (r *Repo) indexFile() string { return filepath.Join(r.g.GitDir(), "kedge-index") }

func (r *Repo) indexLock() string { return filepath.Join(r.g.GitDir(), "index.lock") }

// install makes the scratch index the user's, the way git does: through
// index.lock, so that no other git writes it meanwhile. Under the lock prepare
// brings the scratch index to what it shall be; move is run when that is on the
// disk, and its error leaves the index as it was. The caller holds the
// repository.
func (s *Scratch) install(ctx context.Context, prepare, move func() error) error {
	f, err := s.r.lockIndex(ctx)
	if err != nil {
		return err
	}
	if err = prepare(); err == nil {
		err = s.fill(f)
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = move()
	}
	if err == nil {
		err = os.Rename(s.r.indexLock(), filepath.Join(s.r.g.GitDir(), "index"))
	}
	return errors.Join(err, s.r.freeIndex(), syncDir(s.r.g.GitDir()))
}

func nothing() error { return nil }

// lockIndex takes git's lock on the index.
func (r *Repo) lockIndex(ctx context.Context) (*os.File, error) {
	if err := r.freeIndex(); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(r.indexFile(), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, kedge.Errorf(kedge.Internal, "cannot lock the git index: %w", err)
	}
	err = r.g.Patiently(ctx, func() (string, error) {
		err := os.Link(r.indexFile(), r.indexLock())
		if errors.Is(err, fs.ErrExist) {
			return r.indexLock(), err
		}
		return "", err
	})
	if err != nil {
		return nil, errors.Join(err, f.Close(), r.freeIndex())
	}
	return f, nil
}

// freeIndex gives the lock on the index back where it is ours: our own, or that
// of a Kedge that is dead, since we hold the repository and it does not.
func (r *Repo) freeIndex() error {
	mine, err := os.Lstat(r.indexFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if lock, err := os.Lstat(r.indexLock()); err == nil && os.SameFile(mine, lock) {
		if err := os.Remove(r.indexLock()); err != nil {
			return err
		}
	}
	return os.Remove(r.indexFile())
}

// fill writes the scratch index to the lock file, and onto the disk.
func (s *Scratch) fill(lock *os.File) error {
	in, err := os.Open(s.index())
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	return errors.Join(copyTimed(in, lock), lock.Sync())
}

// begin writes down where a branch goes before it moves.
func (r *Repo) begin(b Begun) error {
	text, err := json.Marshal(b)
	if err != nil {
		return kedge.Errorf(kedge.Internal, "cannot save which commit Kedge is making in %q: %w", r.g.Root(), err)
	}
	return atomicfile.Write(r.begunFile(), append(text, '\n'), 0o600)
}

// finish does what a crash left undone in this worktree: a lock on the index
// that is ours, an index that stayed behind a commit of ours.
func (r *Repo) finish(ctx context.Context) error {
	if r.g.Root() == "" || !hardened.Exists(r.indexFile()) && !hardened.Exists(r.begunFile()) {
		return nil
	}
	return r.g.Exclusively(ctx, func(ctx context.Context) error {
		if err := r.freeIndex(); err != nil {
			return kedge.Errorf(kedge.Internal, "cannot unlock the git index: %w", err)
		}
		if !hardened.Exists(r.begunFile()) || hardened.Exists(r.indexLock()) {
			return nil // a git that is at work now; the next time, then
		}
		return r.withScratch(ctx, func(s *Scratch) error { return s.followBegun(ctx) })
	})
}

// followBegun brings the index up to a commit whose branch had moved already.
func (s *Scratch) followBegun(ctx context.Context) error {
	text, err := os.ReadFile(s.r.begunFile())
	if err != nil {
		return kedge.Errorf(kedge.Internal, "cannot read which commit Kedge began to make in %q: %w", s.r.g.Root(), err)
	}
	var b Begun
	if err := strict.Decode(s.r.begunFile(), text, &b); err != nil {
		return err
	}
	h, err := s.r.Head(ctx)
	if err != nil {
		return err
	}
	if h.Branch == b.Branch && h.Commit == b.Commit && !h.Unborn {
		if err := s.followFrom(ctx, h, b.From, b.Paths); err != nil {
			return err
		}
	}
	return os.Remove(s.r.begunFile())
}

// follow brings the paths in the user's index up to HEAD where they are as in
// the commit before it. What differs from both is somebody's staged work.
func (s *Scratch) follow(ctx context.Context, h history.Head, paths []string) error {
	return s.followFrom(ctx, h, "", paths)
}

// followFrom is follow with the commit that the branch was at; empty is the parent.
func (s *Scratch) followFrom(ctx context.Context, h history.Head, from string, paths []string) error {
	before, err := s.r.treeBefore(ctx, h.Commit)
	if from != "" {
		before, err = s.r.TreeOf(ctx, from)
	}
	if err != nil {
		return err
	}
	if err := s.useIndex(); err != nil {
		return err
	}
	changed, err := s.staged(ctx, h.Commit)
	if err != nil {
		return err
	}
	own, err := s.staged(ctx, before)
	if err != nil {
		return err
	}
	behind := slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return !changed[p] || own[p] })
	if len(behind) == 0 {
		return nil
	}
	return s.install(ctx, func() error { return s.IndexPlus(ctx, h.Commit, behind) }, nothing)
}

// treeBefore is the tree of a commit's first parent; the empty one for a root.
func (r *Repo) treeBefore(ctx context.Context, commit string) (string, error) {
	out, err := r.g.Do(ctx, "rev-list", "--parents", "-n", "1", "--end-of-options", commit)
	if err != nil {
		return "", err
	}
	f := strings.Fields(string(out))
	if len(f) < 2 {
		return history.BaseTree(ctx, r.g, "")
	}
	return r.TreeOf(ctx, f[1])
}

// staged is what differs between the scratch index and a revision.
func (s *Scratch) staged(ctx context.Context, rev string) (map[string]bool, error) {
	out, err := s.Do(ctx, nil, "diff-index", "--cached", "--name-only", "--no-renames", "-z", "--ignore-submodules=none", "--end-of-options", rev)
	found := map[string]bool{}
	for _, p := range hardened.Fields(out) {
		found[p] = true
	}
	return found, err
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
