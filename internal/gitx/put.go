package gitx

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"kedge"
	"kedge/internal/atomicfile"
	"kedge/internal/gitx/holder"
)

// PutRequest asks for the files and the index of a work tree of Kedge's own to
// be those of Tree; HEAD stays. Expect is its tree as it stands, or those that it may
// be.
type PutRequest struct {
	Dir    string
	Tree   string
	Expect []string
}

// PutTree brings a work tree to a tree, ignored files kept. Conflict when it is
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
	return r.exclusively(ctx, func(ctx context.Context) error {
		return w.withScratch(ctx, func(s *scratch) error {
			now, err := s.workTree(ctx)
			if err != nil {
				return err
			}
			if !slices.Contains(q.Expect, now) && now != target {
				return kedge.Errorf(kedge.Conflict, "%q has changes that are not saved", w.root).WithHint("git -C %s status", quote(w.root))
			}
			if err := s.switchTo(ctx, now, target); err != nil {
				return err
			}
			return s.install(ctx, nothing, nothing)
		})
	})
}

// Detach takes the HEAD of a work tree off its branch, which stays where it is.
func (r *Repo) Detach(ctx context.Context) error {
	return r.exclusively(ctx, func(ctx context.Context) error {
		h, err := r.Head(ctx)
		if err != nil || h.Detached {
			return err
		}
		if h.Unborn {
			return kedge.Errorf(kedge.Conflict, "the branch %q of %q is gone", h.Branch, r.root).WithHint("git -C %s status", quote(r.root))
		}
		_, err = r.git(ctx, "update-ref", "--no-deref", "--end-of-options", "HEAD", h.Commit)
		return err
	})
}

// ForgetWorktree makes git forget a worktree whose folder somebody removed; one
// that is there, or that git does not know, stays as it is. Commits that only
// its HEAD held go under the salvage ref of the request.
func (r *Repo) ForgetWorktree(ctx context.Context, path string, q SalvageRequest) (kedge.Salvage, error) {
	var out kedge.Salvage
	err := r.exclusively(ctx, func(ctx context.Context) error {
		list, err := r.listWorktrees(ctx)
		if err != nil {
			return err
		}
		for _, g := range list {
			if g.path != path || exists(path) || exists(asideOf(path)) {
				continue
			}
			if out, err = r.saveLonely(ctx, g.head, q); err != nil {
				return err
			}
			return r.unregister(ctx, path)
		}
		return nil
	})
	return out, err
}

// saveLonely puts a commit that is on no ref under a salvage ref.
func (r *Repo) saveLonely(ctx context.Context, commit string, q SalvageRequest) (kedge.Salvage, error) {
	done, ok, err := r.salvage(ctx, q.ID)
	if err != nil || ok || checkSHA("commit", commit) != nil {
		return done, err
	}
	if _, err := r.commitOf(ctx, commit); err != nil {
		return done, nil //nolint:nilerr // there is nothing left of it that could be kept
	}
	kept, err := r.keptBy(ctx, commit, "")
	if err != nil || len(kept) > 0 {
		return done, err
	}
	tree, err := r.TreeOf(ctx, commit)
	if err != nil {
		return done, err
	}
	s := kedge.Salvage{ID: q.ID, Base: commit, Tree: tree, Reason: oneLine(q.Reason), At: q.Date, Attic: []string{}}
	return s, r.keep(ctx, "", &s)
}

// Own marks a worktree that Kedge made as in use by a process.
func (r *Repo) Own(pid int) error {
	line := fmt.Sprintf("%d %s\n", pid, holder.StartTime(pid))
	return atomicfile.Write(filepath.Join(r.gitDir, ownerFile), []byte(line), 0o644)
}

// Lonely tells whether a commit is on no ref. Likely is one that it is probably on:
// to ask every ref takes a walk through all that was done.
func (r *Repo) Lonely(ctx context.Context, commit, likely string) (bool, error) {
	if err := checkSHA("commit", commit); err != nil {
		return false, err
	}
	at, err := r.refValue(ctx, likely)
	if err != nil {
		return false, err
	}
	if at != "" {
		if on, err := r.Descends(ctx, at, commit); err != nil || on {
			return false, err
		}
	}
	kept, err := r.keptBy(ctx, commit, "")
	return len(kept) == 0, err
}
