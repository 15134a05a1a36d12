package checkout

import (
	"context"
	"maps"
	"slices"

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

// Uncommitted lists the files of a worktree that differ from HEAD or are staged, and those
// that nobody tracks, repositories among them. It writes no object.
func Uncommitted(ctx context.Context, g *hardened.Git) (changed, untracked []string, err error) {
	r := Of(g)
	err = r.withScratch(ctx, func(s *Scratch) error {
		c, err := s.sinceIndex(ctx)
		if err != nil {
			return err
		}
		untracked = append(c.untracked, s.Foreign(c.Nested)...)
		if err := s.UseTracked(ctx); err != nil {
			return err
		}
		staged, err := s.staged(ctx, "HEAD")
		if err != nil {
			return err
		}
		for _, p := range c.changed {
			staged[p] = true
		}
		changed = slices.Sorted(maps.Keys(staged))
		return nil
	})
	return changed, untracked, err
}

// Without leaves out the paths that a caller handles by itself.
func (c Changes) Without(paths map[string]bool) Changes {
	drop := func(list []string) []string {
		return slices.DeleteFunc(slices.Clone(list), func(p string) bool { return paths[p] })
	}
	return Changes{changed: drop(c.changed), untracked: drop(c.untracked), Nested: drop(c.Nested)}
}
