package gitx

import (
	"context"
	"path/filepath"
	"slices"

	"kedge"
)

// ForwardRequest asks for a branch to be moved ahead to a commit.
type ForwardRequest struct {
	Branch string
	To     string
	// Ours tells whether a file of the checkout that differs from HEAD is one
	// that Kedge wrote: it does not keep the branch from moving. Nil: none is.
	Ours func(path string) bool
}

// Forward moves a branch ahead; where it is checked out, in this work tree, its
// files and the index go with it. Conflict when the branch has commits that To
// does not have, or when the checkout has changes; nothing is touched then. Done
// twice it is done once.
func (r *Repo) Forward(ctx context.Context, q ForwardRequest) error {
	if err := checkBranch(q.Branch); err != nil {
		return err
	}
	to, err := r.commitOf(ctx, q.To)
	if err != nil {
		return err
	}
	return r.exclusively(ctx, func(ctx context.Context) error {
		at, err := r.refValue(ctx, "refs/heads/"+q.Branch)
		if err != nil {
			return err
		}
		if at == "" {
			return kedge.Errorf(kedge.NotFound, "there is no branch %q", q.Branch).WithHint("git branch %s %s", quote(q.Branch), to)
		}
		if err := r.refuseBackward(ctx, q.Branch, at, to); err != nil {
			return err
		}
		return r.forward(ctx, q, at, to)
	})
}

func (r *Repo) refuseBackward(ctx context.Context, branch, at, to string) error {
	ahead, err := r.Descends(ctx, to, at)
	if err != nil || ahead {
		return err
	}
	return kedge.Errorf(kedge.Conflict, "the branch %q has moved on to %s", branch, orNone(at)).
		WithHint("git merge %s", to[:12])
}

func (r *Repo) forward(ctx context.Context, q ForwardRequest, at, to string) error {
	list, err := r.listWorktrees(ctx)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(list, func(w registered) bool { return w.branch == q.Branch })
	switch {
	case i < 0:
		return r.moveRef(ctx, "refs/heads/"+q.Branch, to, at)
	case list[i].path != r.root:
		return kedge.Errorf(kedge.Conflict, "the branch %q is checked out in %q", q.Branch, list[i].path).
			WithHint("git -C %s merge --ff-only %s", quote(list[i].path), to[:12])
	}
	if err := r.refuseBusy(); err != nil {
		return err
	}
	return r.withScratch(ctx, func(s *scratch) error { return s.forward(ctx, q, at, to) })
}

// busyFiles stand in a git dir while somebody merges, picks or bisects.
var busyFiles = []string{"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply", "BISECT_LOG", "sequencer"}

// Busy names what tells that a git command of the user's is unfinished in the
// work tree: a merge, a rebase, a bisection; empty when none is.
func (r *Repo) Busy() string {
	for _, name := range busyFiles {
		if exists(filepath.Join(r.gitDir, name)) {
			return name
		}
	}
	return ""
}

func (r *Repo) refuseBusy() error {
	if name := r.Busy(); name != "" {
		return kedge.Errorf(kedge.Conflict, "a git command is unfinished in %q (%s)", r.root, name).WithHint("git -C %s status", quote(r.root))
	}
	return nil
}

func (s *scratch) forward(ctx context.Context, q ForwardRequest, at, to string) error {
	now, err := s.workTree(ctx)
	if err != nil {
		return err
	}
	target, err := s.r.TreeOf(ctx, to)
	if err != nil {
		return err
	}
	if err := s.refuseChanged(ctx, [3]string{at, now, target}, q.Ours); err != nil {
		return err
	}
	changed, err := s.r.Diff(ctx, at, to)
	if err != nil {
		return err
	}
	if err := s.switchTo(ctx, now, target); err != nil {
		return err
	}
	b := begun{Version: 1, Branch: q.Branch, Commit: to, From: at, Paths: make([]string, len(changed))}
	for i, c := range changed {
		b.Paths[i] = c.Path
	}
	return s.move(ctx, b, at, nothing)
}

// refuseChanged is Conflict when the files or the index, which were those of the
// first tree, differ from it in more than what is ours. What is already as in
// the last one is what a crash left of the same move, or no loss.
func (s *scratch) refuseChanged(ctx context.Context, trees [3]string, ours func(string) bool) error {
	staged, err := s.r.stagedTree(ctx)
	if err != nil {
		return err
	}
	var changed []string
	for _, tree := range []string{trees[1], staged} {
		since, err := s.r.Diff(ctx, trees[0], tree)
		if err != nil {
			return err
		}
		ahead, err := s.r.Diff(ctx, tree, trees[2])
		if err != nil {
			return err
		}
		differs := map[string]bool{}
		for _, c := range ahead {
			differs[c.Path] = true
		}
		for _, c := range since {
			if differs[c.Path] && (ours == nil || !ours(c.Path)) {
				changed = append(changed, c.Path)
			}
		}
	}
	if len(changed) == 0 {
		return nil
	}
	slices.Sort(changed)
	return kedge.Errorf(kedge.Conflict, "%q has changes that are not committed: %s", s.r.root, some(slices.Compact(changed), 5)).
		WithHint("git -C %s stash, or commit them", quote(s.r.root))
}
