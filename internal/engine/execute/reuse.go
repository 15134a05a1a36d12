package execute

import (
	"context"
	"strconv"

	"kedge"
	"kedge/internal/core/run"
	"kedge/internal/engine/gate"
	"kedge/internal/git/slot"
)

// cleanSlot is the slot of the clean worktree.
const cleanSlot = "clean"

// reuse is what a gate of the command in a slot takes from earlier ones of the run. One
// that is asked for because verdicts contradict each other takes nothing. What is Kedge's
// makes no other tree: the ledger moves on, and no check is about it.
func (x *Executor) reuse(ctx context.Context, c run.Command, place, env string, from kedge.EvidenceID) *gate.Reuse {
	u := &gate.Reuse{All: &x.seen, Of: string(c.Run) + "\x00" + env, From: from}
	if u.Keeps, u.Reads = reach(c, place); c.Flaky {
		u.Reads = nil
	}
	was, is := "", ""
	u.Bare = func(tree string) string {
		if tree != was {
			bare, err := x.cfg.Repo.TreeWithout(ctx, tree, slot.Kedges...)
			if err != nil {
				bare = tree // nothing but this very tree is the same then
			}
			was, is = tree, bare
		}
		return is
	}
	return u
}

// reach says where the results of a gate count, and whose it may reuse. In the clean
// worktree no agent ever wrote: its results count everywhere, and it reuses none but its
// own. Before the work a slot has what the base has. After it, what git ignores may
// differ: such results count for the job alone.
func reach(c run.Command, place string) (keeps string, reads []string) {
	const fresh = "fresh"
	switch {
	case place == cleanSlot:
		return cleanSlot, []string{cleanSlot}
	case c.Kind == run.Prove || c.Tree != "":
		return fresh, []string{cleanSlot, fresh}
	default:
		own := "job-" + strconv.Itoa(c.Job)
		return own, []string{own, cleanSlot, fresh}
	}
}
