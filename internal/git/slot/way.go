package slot

import (
	"context"
	"time"

	"kedge"
	"kedge/internal/git"
)

// Way is how a branch of the user's stands to what is to land.
type Way int

// The ways.
const (
	Behind     Way = iota // it can be moved ahead, or is there
	HasContent            // it has all of it in commits of its own: squashed, rebased or picked
	Diverged              // it has commits of its own, and not the work
)

// Meeting is work that is to land on a branch. Content: a branch whose merge with the work
// would change nothing has it. Where nobody asks, nothing is taken for that: an agent may
// have been on the branch.
type Meeting struct {
	Work, At string // the commits of the work and of the branch
	Content  bool
	Date     time.Time
}

// WayOf looks at what the branch has.
func WayOf(ctx context.Context, repo *git.Repo, m Meeting) (Way, error) {
	for _, of := range [][2]string{{m.Work, m.At}, {m.At, m.Work}} {
		if is, err := repo.Descends(ctx, of[0], of[1]); err != nil || is {
			return Behind, err
		}
	}
	if !m.Content {
		return Diverged, nil
	}
	common, err := repo.MergeBase(ctx, m.At, m.Work)
	if kedge.NotFound.Is(err) {
		return Diverged, nil
	}
	if err != nil {
		return Diverged, err
	}
	var trees [3]string
	for i, commit := range []string{common, m.At, m.Work} {
		if trees[i], err = repo.TreeWithout(ctx, commit, Kedges...); err != nil {
			return Diverged, err
		}
	}
	merged, err := repo.Merge(ctx, git.MergeRequest{Base: trees[0], Ours: trees[1], Theirs: trees[2], Date: m.Date})
	if err != nil || len(merged.Conflicts) > 0 || merged.Tree != trees[1] {
		return Diverged, err
	}
	return HasContent, nil
}
