// Package worktree handles the worktrees of a repository and the branches that are
// checked out in them. It makes, marks, lists, repairs and removes worktrees, fills them
// with submodules, and moves a branch ahead where it is checked out.
//
// It promises that the same request, repeated, finishes what a crash interrupted, and
// that it never removes a worktree with content that exists nowhere else.
//
// It never talks to a network. Nothing outside internal/git may import it.
package worktree

import (
	"context"

	"kedge/internal/git/checkout"
	"kedge/internal/git/hardened"
	"kedge/internal/git/salvage"
)

// lower keeps the field that is embedded out of what others see.
type lower = salvage.Repo

// Repo is a repository with all its worktrees.
type Repo struct {
	*lower
	g *hardened.Git
}

// Of is the repository with all its worktrees.
func Of(g *hardened.Git) *Repo { return &Repo{lower: salvage.Of(g), g: g} }

// at is another worktree of the same repository by its root.
func (r *Repo) at(ctx context.Context, dir string) (*Repo, error) {
	g, err := r.g.At(ctx, dir)
	if err != nil {
		return nil, err
	}
	return Of(g), nil
}

// scratch is a scratch git dir of a Repo.
type scratch struct {
	*checkout.Scratch
	r *Repo
}

func (r *Repo) withScratch(ctx context.Context, do func(*scratch) error) error {
	return checkout.WithScratch(ctx, r.g, func(s *checkout.Scratch) error { return do(&scratch{s, r}) })
}
