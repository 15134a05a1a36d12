package gate

import (
	"context"
	"slices"

	"kedge"
	"kedge/internal/git"
	"kedge/internal/git/slot"
)

// ClearAway takes out of a slot what the checks of a verdict left there as evidence,
// which has been copied: it is no agent's work, and would be in its commit. Where
// anything else changed, it is not known whose that is, and all of it stays.
func ClearAway(ctx context.Context, tree *git.Repo, q Request, v kedge.Verdict) error {
	evidence := evidenceOf(q)
	if v.Tree == "" || len(evidence) == 0 {
		return nil
	}
	now, err := tree.Tree(ctx)
	if err != nil {
		return err
	}
	judged, err := tree.TreeWith(ctx, v.Tree, now, slot.Kedges...)
	if err != nil || judged == now {
		return err
	}
	left, err := tree.Diff(ctx, judged, now)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(left, func(c git.Change) bool { return !matchAny(evidence, c.Path) }) {
		return nil
	}
	return tree.PutTree(ctx, git.PutRequest{Dir: tree.Root(), Tree: judged, Expect: []string{now}})
}

// evidenceOf are the patterns of what the checks may leave.
func evidenceOf(q Request) []string {
	var out []string
	for _, c := range slices.Concat(q.Checks, q.Own) {
		out = append(out, c.Evidence...)
	}
	return out
}
