// Package salvage stores work that was set aside instead of deleted. It owns the commits
// under refs/kedge/salvage/, and the choice of the files that go to the attic instead.
//
// It promises that everything of a worktree that is in no commit is in a salvage, or that
// nothing was done. The repository and the attic alone say what a salvage contains.
// Restoring a salvage loses nothing of the files that are there by then.
//
// It never deletes work: only a user drops a salvage. Nothing outside internal/git may
// import it.
package salvage

import (
	"context"

	"kedge/internal/git/checkout"
	"kedge/internal/git/hardened"
)

// lower keeps the field that is embedded out of what others see.
type lower = checkout.Repo

// Repo is a repository with the salvage that it keeps.
type Repo struct {
	*lower
	g *hardened.Git
}

// Of is the repository with its salvage.
func Of(g *hardened.Git) *Repo { return &Repo{lower: checkout.Of(g), g: g} }

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
