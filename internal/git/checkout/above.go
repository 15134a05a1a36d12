package checkout

import (
	"context"

	"kedge/internal/git/hardened"
)

// What the packages above need besides the methods of a Repo. These are functions, so
// that whoever is given a repository has none of them.

// WithScratch runs do with a scratch git dir that is gone afterwards.
func WithScratch(ctx context.Context, g *hardened.Git, do func(*Scratch) error) error {
	return Of(g).withScratch(ctx, do)
}

// StagedTree is the user's index as a tree; paths in conflict are left out,
// since their versions are in commits.
func StagedTree(ctx context.Context, g *hardened.Git) (string, error) {
	return Of(g).stagedTree(ctx)
}

// Finish does what a crash left undone in this worktree: a lock on the index
// that is ours, an index that stayed behind a commit of ours.
func Finish(ctx context.Context, g *hardened.Git) error { return Of(g).finish(ctx) }

// Install makes the scratch index the user's. The caller holds the repository.
func (s *Scratch) Install(ctx context.Context) error { return s.install(ctx, nothing, nothing) }

// HasFilters tells whether the configuration defines any filter.
func (s *Scratch) HasFilters() bool { return len(s.set.Filters) > 0 }
