package slot

import (
	"context"

	"kedge"
	"kedge/internal/git"
)

// CommitGenerated commits what changed since a base of the files that Kedge generates;
// empty when nothing did. Its author is whoever owns the checkout.
func CommitGenerated(ctx context.Context, repo *git.Repo, base string, checkout *git.Repo, q git.CommitPathsRequest) (string, error) {
	tree, err := repo.Tree(ctx)
	if err != nil {
		return "", err
	}
	changes, err := repo.Diff(ctx, base, tree)
	if err != nil {
		return "", err
	}
	for _, ch := range changes {
		if kedge.IsGenerated(ch.Path) && !kedge.IsTemporary(ch.Path) {
			q.Paths = append(q.Paths, ch.Path)
		}
	}
	if len(q.Paths) == 0 {
		return "", nil
	}
	if q.Author, err = checkout.Identity(ctx); err != nil {
		return "", err
	}
	return repo.CommitPaths(ctx, q)
}
