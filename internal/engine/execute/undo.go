package execute

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"kedge/internal/core/run"
	"kedge/internal/engine/gate"
	"kedge/internal/git"
	"kedge/internal/git/slot"
)

// withoutWork is the tip without the work of the command's commits, the newest
// taken out first: what came after them stays.
func (x *Executor) withoutWork(ctx context.Context, c run.Command, clean *git.Repo) (git.Merged, error) {
	tree, err := clean.TreeWithout(ctx, c.Base, slot.Kedges...)
	m := git.Merged{Tree: tree}
	for _, sha := range slices.Backward(strings.Split(c.Commit, ",")) {
		if err != nil || len(m.Conflicts) > 0 {
			return m, err
		}
		m, err = x.without(ctx, c, clean, m.Tree, sha)
	}
	return m, err
}

// without takes what one commit changed out of a tree.
func (x *Executor) without(ctx context.Context, c run.Command, clean *git.Repo, tree, sha string) (git.Merged, error) {
	work, err := clean.ReadCommit(ctx, sha)
	if err != nil {
		return git.Merged{}, err
	}
	after, err := clean.TreeWithout(ctx, work.SHA, slot.Kedges...)
	if err != nil {
		return git.Merged{}, err
	}
	before, err := clean.TreeWithout(ctx, work.Parents[0], slot.Kedges...) // it is on the tip of a run: it has one
	if err != nil {
		return git.Merged{}, err
	}
	return clean.Merge(ctx, git.MergeRequest{Base: after, Ours: tree, Theirs: before, Date: c.At})
}

// takenBack is the gate of what is left when work was taken back. A person wants
// it gone: that its tests go with it weakens nothing, and its own checks are none
// of what is left.
func takenBack(q gate.Request, tree string) gate.Request {
	q.Own, q.Later, q.Protect, q.Base = nil, nil, nil, tree
	return q
}

// undoMessage is that of a commit which takes work back.
func (x *Executor) undoMessage(ctx context.Context, c run.Command, tree string) (string, error) {
	f, err := x.cfg.Ledger.Feature(ctx, c.Feature, "")
	if err != nil {
		return "", err
	}
	name := f.Name
	if name == "" {
		name = string(c.Feature)
	}
	trailers := "Kedge-Reverts: " + c.Commit
	if v := validated(c, tree); v != "" {
		trailers += "\nKedge-Validated: " + v
	}
	return fmt.Sprintf("%s\n\n%s\n\n%s\nKedge-Run: %s", subject("Take back "+name), strings.Join(strings.Fields(c.Reason), " "), trailers, c.Run), nil
}
