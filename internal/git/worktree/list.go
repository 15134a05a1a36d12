package worktree

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"kedge"
	"kedge/internal/git/hardened"
	"kedge/internal/git/history"
)

// registered is a worktree as git lists it.
type registered struct {
	path, head, branch string
	bare               bool
}

func (r *Repo) listWorktrees(ctx context.Context) ([]registered, error) {
	out, err := r.g.Do(ctx, "worktree", "list", "--porcelain", "-z")
	if err != nil {
		return nil, err
	}
	var list []registered
	for _, f := range strings.Split(string(out), "\x00") {
		key, value, _ := strings.Cut(f, " ")
		switch {
		case key == "worktree":
			list = append(list, registered{path: value})
		case len(list) == 0:
		case key == "HEAD":
			list[len(list)-1].head = value
		case key == "branch":
			list[len(list)-1].branch = strings.TrimPrefix(value, "refs/heads/")
		case key == "bare":
			list[len(list)-1].bare = true
		}
	}
	return list, nil
}

// Worktrees lists the worktrees, the main one first. What cannot be found out
// is unknown: -1, or dirty, so that nobody takes it for free.
func (r *Repo) Worktrees(ctx context.Context) ([]kedge.Worktree, error) {
	list, err := r.listWorktrees(ctx)
	if err != nil {
		return nil, err
	}
	out := []kedge.Worktree{}
	for i, g := range list {
		if g.bare {
			continue
		}
		w := kedge.Worktree{Path: g.path, Branch: g.branch, Head: g.head, Bytes: -1, OwnerPID: -1, Dirty: true, Main: i == 0}
		if err := r.inspect(ctx, &w); err != nil {
			return nil, err
		}
		out = append(out, w)
	}
	return out, nil
}

// inspect fills in what git's list does not say. A worktree whose folder is gone
// or broken keeps its unknowns.
func (r *Repo) inspect(ctx context.Context, w *kedge.Worktree) error {
	at, err := r.at(ctx, w.Path)
	if err != nil {
		return ctx.Err()
	}
	m := measure(w.Path)
	w.Bytes, w.At = m.bytes, m.newest
	w.OwnerPID, w.Ours = at.owner()
	if dirty, err := at.Dirty(ctx); err == nil {
		w.Dirty = dirty
	}
	if !w.Main && strings.Trim(w.Head, "0") != "" {
		w.Merged, err = r.merged(ctx, w.Head, w.Branch)
	}
	return err
}

// merged tells whether a commit is on a branch, local or remote, besides its own.
func (r *Repo) merged(ctx context.Context, commit, branch string) (bool, error) {
	kept, err := history.KeptBy(ctx, r.g, commit, branch)
	return slices.ContainsFunc(kept, func(ref string) bool {
		return strings.HasPrefix(ref, "refs/heads/") || strings.HasPrefix(ref, "refs/remotes/")
	}), err
}

// measured is what a walk through a folder finds.
type measured struct {
	bytes  int64
	newest time.Time
	repo   string // a repository inside, if there is one
}

func measure(root string) measured {
	var m measured
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // what cannot be read is not counted
		}
		fi, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil && !d.IsDir() {
			m.bytes += fi.Size()
		}
		if err == nil && fi.ModTime().After(m.newest) {
			m.newest = fi.ModTime().UTC()
		}
		if d.Name() == ".git" && filepath.Dir(path) != root && m.repo == "" {
			m.repo, _ = filepath.Rel(root, filepath.Dir(path))
		}
		return nil
	})
	return m
}

// adminDir is the git dir of the worktree at path, whether its folder is there
// or aside or gone; "" for none.
func (r *Repo) adminDir(path string) string {
	for _, admin := range r.adminDirs() {
		if dir := hardened.RootBehind(filepath.Join(admin, "gitdir")); dir != "" && (dir == path || dir == asideOf(path)) {
			return admin
		}
	}
	return ""
}

// adminDirs are the git dirs of the worktrees. They are listed, not matched: the path of
// a repository may have any letter in it.
func (r *Repo) adminDirs() []string {
	dir := filepath.Join(r.g.CommonDir(), "worktrees")
	entries, _ := os.ReadDir(dir) // not there: none
	var out []string
	for _, e := range entries {
		if e.IsDir() {
			out = append(out, filepath.Join(dir, e.Name()))
		}
	}
	return out
}

// CheckedOut gives the worktree in which each branch is checked out, by branch.
func (r *Repo) CheckedOut(ctx context.Context) (map[string]string, error) {
	list, err := r.listWorktrees(ctx)
	out := map[string]string{}
	for _, w := range list {
		if w.branch != "" && !w.bare {
			out[w.branch] = w.path
		}
	}
	return out, err
}

// Registered tells whether git knows a worktree at a path, whether or not its folder is
// there.
func (r *Repo) Registered(path string) bool { return r.adminDir(path) != "" }
