package slot

import (
	"context"
	"slices"
	"time"

	"kedge/internal/git"
)

// Without is a tip without the work of some commits, the newest taken out first: what came
// after them stays.
func Without(ctx context.Context, repo *git.Repo, tip string, commits []string, date time.Time) (git.Merged, error) {
	tree, err := repo.TreeWithout(ctx, tip, Kedges...)
	m := git.Merged{Tree: tree}
	for _, sha := range slices.Backward(commits) {
		if err != nil || len(m.Conflicts) > 0 {
			return m, err
		}
		m, err = without(ctx, repo, m.Tree, sha, date)
	}
	return m, err
}

// without takes what one commit changed out of a tree.
func without(ctx context.Context, repo *git.Repo, tree, sha string, date time.Time) (git.Merged, error) {
	work, err := repo.ReadCommit(ctx, sha)
	if err != nil {
		return git.Merged{}, err
	}
	after, err := repo.TreeWithout(ctx, work.SHA, Kedges...)
	if err != nil {
		return git.Merged{}, err
	}
	before, err := repo.TreeWithout(ctx, work.Parents[0], Kedges...) // it is on the tip of a run: it has one
	if err != nil {
		return git.Merged{}, err
	}
	return repo.Merge(ctx, git.MergeRequest{Base: after, Ours: tree, Theirs: before, Date: date})
}
