// Package checkout handles the files of a worktree, its index and its submodules. It
// makes trees and commits of the current files, and changes the files to those of another
// tree. It knows where the repository keeps fetched submodules, and what is in their
// folders.
//
// It promises that content goes through a scratch git dir with our own configuration, so
// git never reads what an agent writes into .git/config, even meanwhile. Filters run only
// if you approved exactly their commands. If a crash interrupted a commit, it finishes
// the commit. Nothing of a submodule comes over a network.
//
// It changes the user's index only where a function says so, and overwrites no file that
// differs from what the caller has seen. Nothing outside internal/git may import it.
package checkout

import (
	"context"
	"path/filepath"

	"kedge"
	"kedge/internal/git/hardened"
	"kedge/internal/git/history"
)

// lower keeps the field that is embedded out of what others see.
type lower = history.Repo

// Repo is a repository with the files of one of its worktrees.
type Repo struct {
	*lower
	g *hardened.Git
}

// Of is the repository with the files of its worktree.
func Of(g *hardened.Git) *Repo { return &Repo{lower: history.Of(g), g: g} }

// at is another worktree of the same repository by its root.
func (r *Repo) at(ctx context.Context, dir string) (*Repo, error) {
	g, err := r.g.At(ctx, dir)
	if err != nil {
		return nil, err
	}
	return Of(g), nil
}

// Dirty tells whether the worktree or its index differs from HEAD, nested
// repositories included. It writes no object.
func (r *Repo) Dirty(ctx context.Context) (bool, error) {
	h, err := r.Head(ctx)
	if err != nil {
		return false, err
	}
	dirty := false
	err = r.withScratch(ctx, func(s *Scratch) error {
		c, err := s.sinceIndex(ctx)
		if err != nil {
			return err
		}
		dirty = len(c.Paths())+len(s.Foreign(c.Nested)) > 0
		if dirty || h.Unborn {
			return nil
		}
		if dirty, err = s.differs(ctx, h.Commit); dirty || err != nil {
			return err
		}
		if err = s.UseTracked(ctx); err == nil { // what is staged only
			dirty, err = s.differs(ctx, h.Commit)
		}
		return err
	})
	return dirty, err
}

// differs tells whether the scratch index is another tree than a commit's.
func (s *Scratch) differs(ctx context.Context, commit string) (bool, error) {
	_, err := s.Do(ctx, nil, "diff-index", "--cached", "--quiet", "--ignore-submodules=none", "--end-of-options", commit)
	if hardened.ExitCode(err) == 1 {
		return true, nil
	}
	return false, err
}

// busyFiles stand in a git dir while somebody merges, picks or bisects.
var busyFiles = []string{"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply", "BISECT_LOG", "sequencer"}

// Busy names what tells that a git command of the user's is unfinished in the
// worktree: a merge, a rebase, a bisection; empty when none is.
func (r *Repo) Busy() string {
	for _, name := range busyFiles {
		if hardened.Exists(filepath.Join(r.g.GitDir(), name)) {
			return name
		}
	}
	return ""
}

// Detach takes the HEAD of a worktree off its branch, which stays where it is.
func (r *Repo) Detach(ctx context.Context) error {
	return r.g.Exclusively(ctx, func(ctx context.Context) error {
		h, err := r.Head(ctx)
		if err != nil || h.Detached {
			return err
		}
		if h.Unborn {
			return kedge.Errorf(kedge.Conflict, "the branch %q, which is checked out in %q, does not exist any more", h.Branch, r.g.Root()).WithHint("see what git says: git -C %s status", hardened.Quote(r.g.Root()))
		}
		_, err = r.g.Do(ctx, "update-ref", "--no-deref", "--end-of-options", "HEAD", h.Commit)
		return err
	})
}
