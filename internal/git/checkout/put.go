package checkout

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"kedge"
	"kedge/internal/git/hardened"
	"kedge/internal/git/history"
	"kedge/internal/text/words"
)

// PutRequest asks for the files and the index of a worktree of Kedge's own to
// be those of Tree; HEAD stays. Expect is its tree as it stands, or those that it may
// be.
type PutRequest struct {
	Dir    string
	Tree   string
	Expect []string
}

// PutTree brings a worktree to a tree, ignored files kept. Conflict when it is
// not as expected, or when an ignored file is in the way.
func (r *Repo) PutTree(ctx context.Context, q PutRequest) error {
	w, err := r.at(ctx, q.Dir)
	if err != nil {
		return err
	}
	target, err := r.TreeOf(ctx, q.Tree)
	if err != nil {
		return err
	}
	return r.g.Exclusively(ctx, func(ctx context.Context) error {
		return w.withScratch(ctx, func(s *Scratch) error {
			now, err := s.WorkTree(ctx)
			if err != nil {
				return err
			}
			if !slices.Contains(q.Expect, now) && now != target {
				return kedge.Errorf(kedge.Conflict, "files in %q changed while Kedge worked, so Kedge did not overwrite them", w.g.Root()).WithHint("see the changed files: git -C %s status", hardened.Quote(w.g.Root()))
			}
			if err := s.SwitchTo(ctx, now, target); err != nil {
				return err
			}
			return s.install(ctx, nothing, nothing)
		})
	})
}

// ResetRequest says what a worktree is expected to be, so that a reset can only
// throw away what the caller has seen and saved.
type ResetRequest struct {
	Dir    string // root of the worktree
	To     string // the commit it shall stand at
	Head   string // the commit it stands at
	Expect string // its tree as it stands: that of Head, or of a salvage
}

// ResetWorktree brings a worktree to a commit: tracked and untracked files as in
// it, ignored files kept, index and branch (or detached HEAD) moved to it.
// Conflict when the worktree is not as expected, when a file of the commit would
// replace an ignored one, or when commits would be on no ref any more.
func (r *Repo) ResetWorktree(ctx context.Context, q ResetRequest) error {
	to, err := history.CommitOf(ctx, r.g, q.To)
	if err != nil {
		return err
	}
	w, err := r.at(ctx, q.Dir)
	if err != nil {
		return err
	}
	return r.g.Exclusively(ctx, func(ctx context.Context) error {
		h, err := w.Head(ctx)
		if err != nil {
			return err
		}
		if h.Commit != q.Head && h.Commit != to {
			return kedge.Errorf(kedge.Conflict, "the checkout %q is at %s now, and Kedge expected %s", w.g.Root(), hardened.OrNone(h.Commit), hardened.OrNone(q.Head)).
				WithHint("see its newest commits: git -C %s log --oneline -5", hardened.Quote(w.g.Root()))
		}
		if err := w.refuseLosing(ctx, h, to); err != nil {
			return err
		}
		return w.withScratch(ctx, func(s *Scratch) error { return s.reset(ctx, q.Expect, to, h) })
	})
}

func (s *Scratch) reset(ctx context.Context, expect, to string, h history.Head) error {
	target, err := s.r.TreeOf(ctx, to)
	if err != nil {
		return err
	}
	now, err := s.WorkTree(ctx)
	if err != nil {
		return err
	}
	if now != expect && now != target {
		return kedge.Errorf(kedge.Conflict, "files in %q changed while Kedge worked, so Kedge did not overwrite them", s.r.g.Root()).
			WithHint("see the changed files: git -C %s status", hardened.Quote(s.r.g.Root()))
	}
	if err := s.SwitchTo(ctx, now, target); err != nil {
		return err
	}
	return s.install(ctx, nothing, func() error { return history.MoveRef(ctx, s.r.g, "HEAD", to, h.Commit) })
}

// refuseLosing refuses to move a HEAD away from commits that no other ref holds.
func (r *Repo) refuseLosing(ctx context.Context, h history.Head, to string) error {
	if h.Unborn || h.Commit == to {
		return nil
	}
	// Mostly it goes ahead; to ask every ref takes a walk through all that was done.
	if ahead, err := r.Descends(ctx, to, h.Commit); err != nil || ahead {
		return err
	}
	kept, err := history.KeptBy(ctx, r.g, h.Commit, h.Branch)
	if err != nil || len(kept) > 0 {
		return err
	}
	return kedge.Errorf(kedge.Conflict, "Kedge did not reset %q: the work up to %s would be lost, because no other branch has it", r.g.Root(), hardened.OrNone(h.Commit)).
		WithHint("first keep that work on a branch: git -C %s branch keep-%s %s", hardened.Quote(r.g.Root()), words.Hash(h.Commit), h.Commit)
}

// SwitchTo takes the worktree and the scratch index, which both hold the tree
// from, to the tree to. Nothing is written when it cannot be done whole.
func (s *Scratch) SwitchTo(ctx context.Context, from, to string) error {
	if err := s.RefuseSwitch(ctx, from, to); err != nil {
		return err
	}
	if err := s.look(ctx); err != nil || from == to { // files whose times changed but not their content would count as changed
		return err
	}
	_, err := s.Do(ctx, nil, "read-tree", "-m", "-u", from, to)
	if hardened.StderrHas(err, "not uptodate", "would be overwritten", "would be removed") {
		return kedge.Errorf(kedge.Conflict, "a file changed while Kedge worked, so Kedge did not overwrite it: %w", err).WithHint("see the changed files: git -C %s status", hardened.Quote(s.r.g.Root()))
	}
	return errors.Join(err, s.Age(ctx))
}

// RefuseSwitch says why SwitchTo cannot be done whole, as far as that is known before.
func (s *Scratch) RefuseSwitch(ctx context.Context, from, to string) error {
	diff, err := s.r.Diff(ctx, from, to)
	if err != nil || len(diff) == 0 {
		return err
	}
	if err := s.refuseCovering(diff); err != nil {
		return err
	}
	return s.refuseSmudge(ctx, to, diff)
}

// look has git read every file that the scratch index knows no times of: whoever works with it
// afterwards need not.
func (s *Scratch) look(ctx context.Context) error {
	if _, err := s.Do(ctx, nil, "update-index", "-q", "--refresh"); hardened.ExitCode(err) > 1 {
		return err
	}
	return nil
}

// refuseCovering refuses to write a new file where an ignored one is: git would
// replace it.
func (s *Scratch) refuseCovering(diff []history.Change) error {
	gone := map[string]bool{}
	for _, c := range diff {
		if c.Status == "D" {
			gone[c.Path] = true
		}
	}
	for _, c := range diff {
		if c.Status != "A" || UnderOne(gone, c.Path) {
			continue
		}
		if fi, err := os.Lstat(filepath.Join(s.r.g.Root(), c.Path)); err == nil && !fi.IsDir() {
			return kedge.Errorf(kedge.Conflict, "Kedge would overwrite the file %q, which git ignores", c.Path).
				WithStep(kedge.Step("mv", filepath.Join(s.r.g.Root(), c.Path), filepath.Join(s.r.g.Root(), c.Path)+".old"))
		}
	}
	return nil
}

// UnderOne tells whether a folder of path, as a file, is among the paths.
func UnderOne(paths map[string]bool, path string) bool {
	for d := filepath.Dir(path); d != "."; d = filepath.Dir(d) {
		if paths[d] {
			return true
		}
	}
	return false
}

// refuseSmudge is refuseWriting by the attributes of the tree to.
func (s *Scratch) refuseSmudge(ctx context.Context, to string, diff []history.Change) error {
	if !s.HasFilters() {
		return nil
	}
	var paths []string
	for _, c := range diff {
		if c.Status != "D" {
			paths = append(paths, c.Path)
		}
	}
	return s.r.withScratch(ctx, func(t *Scratch) error {
		if _, err := t.Do(ctx, nil, "read-tree", to); err != nil {
			return err
		}
		return t.RefuseWriting(ctx, paths)
	})
}
