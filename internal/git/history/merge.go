package history

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"kedge"
	"kedge/internal/git/hardened"
)

// MergeRequest asks for the difference from Base to Theirs to be made to Ours;
// each is a tree or a commit. Date is that of the objects it needs on the way,
// so that the same request gives the same objects.
type MergeRequest struct {
	Base, Ours, Theirs string
	Date               time.Time
}

// Merged is the tree of a merge. In the files of Conflicts both sides stand
// between git's markers.
type Merged struct {
	Tree      string
	Conflicts []string
}

// Merge merges trees, without a worktree, an index, attributes or drivers.
func (r *Repo) Merge(ctx context.Context, q MergeRequest) (Merged, error) {
	var trees [3]string
	for i, rev := range []string{q.Base, q.Ours, q.Theirs} {
		tree, err := r.TreeOf(ctx, rev)
		if err != nil {
			return Merged{}, err
		}
		trees[i] = tree
	}
	switch base, ours, theirs := trees[0], trees[1], trees[2]; {
	case base == ours, ours == theirs:
		return Merged{Tree: theirs}, nil
	case base == theirs:
		return Merged{Tree: ours}, nil
	}
	return r.mergeTrees(ctx, trees, q.Date)
}

// mergeTrees merges three trees. The commits are only there because merge-tree
// wants commits.
func (r *Repo) mergeTrees(ctx context.Context, trees [3]string, at time.Time) (Merged, error) {
	var sides [3]string
	for i, tree := range trees {
		q := CommitRequest{Tree: tree, Message: fmt.Sprintf("side %d", i), Date: at, Author: hardened.Kedge}
		if i > 0 {
			q.Parents = []string{sides[0]}
		}
		var err error
		if sides[i], err = r.Commit(ctx, q); err != nil {
			return Merged{}, err
		}
	}
	out, err := r.g.OnObjects(ctx, "merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", "--end-of-options", sides[1], sides[2])
	f := hardened.Fields(out)
	if hardened.ExitCode(err) == 1 && len(f) > 0 {
		err = nil
	}
	if err != nil || len(f) == 0 {
		return Merged{}, kedge.Errorf(kedge.Internal, "merge: %w", err).WithHint("update git if this prints a version before 2.38: git --version")
	}
	paths := slices.DeleteFunc(f[1:], func(p string) bool { return strings.TrimSpace(p) == "" })
	slices.Sort(paths)
	return Merged{Tree: f[0], Conflicts: slices.Compact(paths)}, nil
}
