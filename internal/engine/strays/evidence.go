package strays

import (
	"context"
	"slices"

	"kedge"
	"kedge/internal/git"
	"kedge/internal/git/slot"
	"kedge/internal/text/glob"
)

// ClearAway takes out of a slot, which held a tree when it was judged, what the checks left
// there as evidence, which has been copied: it is no agent's work, and would be in its
// commit. Where anything else changed, it is not known whose that is, and all of it stays.
func ClearAway(ctx context.Context, repo, work *git.Repo, tree string, checks []kedge.Check) error {
	var evidence []string
	for _, c := range checks {
		evidence = append(evidence, c.Evidence...)
	}
	if tree == "" || len(evidence) == 0 {
		return nil
	}
	now, err := work.Tree(ctx)
	if err != nil {
		return err
	}
	judged, err := work.TreeWith(ctx, tree, now, slot.Kedges...)
	if err != nil || judged == now {
		return err
	}
	left, err := work.Diff(ctx, judged, now)
	if err != nil {
		return err
	}
	for _, c := range left {
		if !slices.ContainsFunc(evidence, func(g string) bool { return glob.Match(g, c.Path) }) {
			return nil
		}
	}
	return repo.PutTree(ctx, git.PutRequest{Dir: work.Root(), Tree: judged, Expect: []string{now}})
}
