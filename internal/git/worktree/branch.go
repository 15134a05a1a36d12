package worktree

import (
	"context"
	"fmt"
	"slices"

	"kedge/internal/git/hardened"
	"kedge/internal/git/history"
)

// DropBranch removes a branch that has nothing of its own: holder, another branch,
// has all its commits, and no worktree stands on it. It says why it stays. Gone
// tells whether this call removed it: one that is not there was removed by others.
func (r *Repo) DropBranch(ctx context.Context, name, holder string) (gone bool, stays string, err error) {
	err = r.g.Exclusively(ctx, func(ctx context.Context) error {
		at, why, err := r.whyBranchStays(ctx, name, holder, nil)
		if stays = why; err != nil || at == "" || why != "" {
			return err
		}
		err = history.MoveRef(ctx, r.g, "refs/heads/"+name, "", at)
		gone = err == nil
		return err
	})
	return gone, stays, err
}

// BranchStays says why DropBranch would let a branch stay once the worktrees at
// these paths are gone; empty when it would not. It changes nothing.
func (r *Repo) BranchStays(ctx context.Context, name, holder string, going []string) (string, error) {
	_, stays, err := r.whyBranchStays(ctx, name, holder, going)
	return stays, err
}

// whyBranchStays gives where the branch is, too; empty when it is not there.
func (r *Repo) whyBranchStays(ctx context.Context, name, holder string, going []string) (at, stays string, err error) {
	for _, b := range []string{name, holder} {
		if err := hardened.CheckBranch(b); err != nil {
			return "", "", err
		}
	}
	if at, err = history.RefValue(ctx, r.g, "refs/heads/"+name); err != nil || at == "" {
		return at, "", err
	}
	if name == holder {
		return at, "it is the branch that its commits go to", nil
	}
	has, err := history.RefValue(ctx, r.g, "refs/heads/"+holder)
	if err != nil {
		return at, "", err
	}
	if has != "" {
		if in, err := r.Descends(ctx, has, at); err != nil || !in {
			return at, fmt.Sprintf("its commits are not on branch %q", holder), err
		}
	}
	list, err := r.listWorktrees(ctx)
	for _, w := range list {
		if w.branch == name && !slices.Contains(going, w.path) {
			return at, fmt.Sprintf("it is checked out in %q", w.path), err
		}
	}
	if has == "" {
		return at, fmt.Sprintf("its commits may be nowhere else: there is no branch %q", holder), err
	}
	return at, "", err
}
