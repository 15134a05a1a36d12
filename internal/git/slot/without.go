package slot

import (
	"context"
	"slices"
	"time"

	"kedge/internal/git"
)

// Without is a tip without the work of some commits, the newest taken out first: what came
// after them stays. Keep tells of a path whether a command makes the file where both changed it.
func Without(ctx context.Context, repo *git.Repo, tip string, commits []string, date time.Time, keep func(path string) bool) (git.Merged, error) {
	tree, err := repo.TreeWithout(ctx, tip, Kedges...)
	m := git.Merged{Tree: tree}
	var kept []string
	for _, sha := range slices.Backward(commits) {
		if err != nil || len(m.Conflicts) > 0 {
			return m, err
		}
		m, err = without(ctx, repo, m.Tree, sha, date, keep)
		kept = append(kept, m.Kept...)
	}
	slices.Sort(kept)
	m.Kept = slices.Compact(kept)
	return m, err
}

// without takes what one commit changed out of a tree.
func without(ctx context.Context, repo *git.Repo, tree, sha string, date time.Time, keep func(string) bool) (git.Merged, error) {
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
	return repo.Merge(ctx, git.MergeRequest{Base: after, Ours: tree, Theirs: before, Date: date, Keep: keep})
}
