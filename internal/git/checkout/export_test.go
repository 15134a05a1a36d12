package checkout

import "context"

// LeaveCommit leaves what a commit of paths leaves that crashes right after its
// branch has moved: the lock on the index, and the word of what was begun.
func LeaveCommit(ctx context.Context, r *Repo, branch, commit string, paths []string) error {
	return LeaveForward(ctx, r, branch, "", commit, paths)
}

// LeaveForward is LeaveCommit for a branch that moves over more than one commit.
func LeaveForward(ctx context.Context, r *Repo, branch, from, commit string, paths []string) error {
	if err := r.begin(Begun{Version: 1, Branch: branch, Commit: commit, From: from, Paths: paths}); err != nil {
		return err
	}
	f, err := r.lockIndex(ctx)
	if err != nil {
		return err
	}
	return f.Close()
}
