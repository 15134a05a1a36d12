// Package salvage is work that was set aside instead of thrown away. It owns the
// commits under refs/kedge/salvage/ and which work goes to the attic instead.
//
// It promises that everything of a worktree that is in no commit is in a salvage, or
// that nothing was done; that what a salvage is can be read from the repository and the
// attic alone; and that it comes back without a loss to what stands there by then.
//
// It never deletes work: a salvage goes when a person drops it. Nothing outside
// internal/git may import it.
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
