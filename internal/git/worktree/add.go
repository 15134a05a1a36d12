package worktree

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"kedge"
	"kedge/internal/git/hardened"
	"kedge/internal/git/history"
)

// AddRequest asks for a worktree at Path, whose last element must be a
// valid name, on Branch (made at Base when it does not exist; empty is a
// detached HEAD), for the process Owner (0 is none).
type AddRequest struct {
	Path   string
	Branch string
	Base   string
	Owner  int
}

// AddWorktree makes a worktree with the files of its base. The same request
// made twice finds it made. Conflict when the path or the branch is in other
// use; Blocked when its files need a filter that nobody approved.
func (r *Repo) AddWorktree(ctx context.Context, q AddRequest) error {
	if err := q.check(); err != nil {
		return err
	}
	base, err := history.CommitOf(ctx, r.g, q.Base)
	if err != nil {
		return err
	}
	if err := r.refuseTree(ctx, base); err != nil {
		return err
	}
	if q.Path, err = realPath(q.Path); err != nil {
		return kedge.Errorf(kedge.Internal, "cannot make the folder for worktrees: %w", err)
	}
	return r.g.Exclusively(ctx, func(ctx context.Context) error {
		if err := r.ensureWorktree(ctx, q, base); err != nil {
			return err
		}
		w, err := r.at(ctx, q.Path)
		if err != nil {
			return err
		}
		return w.fillWorktree(ctx, base)
	})
}

// realPath makes the folder that path is in and resolves links in it, since git
// lists worktrees so.
func realPath(path string) (string, error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	dir, err := filepath.EvalSymlinks(dir)
	return filepath.Join(dir, filepath.Base(path)), err
}

func (q AddRequest) check() error {
	if !filepath.IsAbs(q.Path) || filepath.Clean(q.Path) != q.Path {
		return kedge.Errorf(kedge.Invalid, "the path of the new worktree, %q, is not absolute", q.Path)
	}
	if name := filepath.Base(q.Path); !kedge.ValidName(name) {
		return kedge.Errorf(kedge.Invalid, "%q is not a valid worktree name", name).
			WithHint("use a-z, 0-9, dot, dash and underscore, at most 64 characters")
	}
	if q.Branch == "" {
		return nil
	}
	return hardened.CheckBranch(q.Branch)
}

// ensureWorktree registers the worktree, without files.
func (r *Repo) ensureWorktree(ctx context.Context, q AddRequest, base string) error {
	list, err := r.listWorktrees(ctx)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(list, func(w registered) bool { return w.path == q.Path })
	if i >= 0 {
		if err := list[i].matches(q, base); err != nil {
			return err
		}
		return r.markAgain(ctx, q)
	}
	args := []string{"worktree", "add", "--no-checkout", "--detach", "--end-of-options", q.Path, base}
	if q.Branch != "" {
		if err := r.ensureBranch(ctx, q.Branch, base); err != nil {
			return err
		}
		args = []string{"worktree", "add", "--no-checkout", "--end-of-options", q.Path, q.Branch}
	}
	if _, err := r.g.Do(ctx, args...); hardened.StderrHas(err, "already") {
		return kedge.Errorf(kedge.Conflict, "cannot make the worktree %q: %w", q.Path, err).WithHint("see the worktrees: kedge worktree ls")
	} else if err != nil {
		return err
	}
	return r.markOwner(ctx, q)
}

func (w registered) matches(q AddRequest, base string) error {
	if w.head != base || w.branch != q.Branch {
		return kedge.Errorf(kedge.Conflict, "the worktree %q exists already, on branch %q at %s", q.Path, w.branch, hardened.OrNone(w.head)).
			WithHint("see the worktrees: kedge worktree ls")
	}
	return nil
}

func (r *Repo) ensureBranch(ctx context.Context, name, base string) error {
	ref := "refs/heads/" + name
	at, err := history.RefValue(ctx, r.g, ref)
	if err != nil || at == base {
		return err
	}
	if at != "" {
		return kedge.Errorf(kedge.Conflict, "the branch %q exists already, at %s", name, hardened.OrNone(at)).WithHint("see its newest commits: git log --oneline -5 %s", hardened.Quote(name))
	}
	return history.MoveRef(ctx, r.g, ref, base, "")
}

// fillWorktree writes the files of a worktree that has none yet. Its index is
// written last, so that what a crash interrupted is done again. A file that is
// there already stays as it is: it may be somebody's.
func (r *Repo) fillWorktree(ctx context.Context, commit string) error {
	if _, err := os.Lstat(filepath.Join(r.g.GitDir(), "index")); err == nil {
		return nil
	}
	return r.withScratch(ctx, func(s *scratch) error {
		if _, err := s.Do(ctx, nil, "read-tree", commit); err != nil {
			return err
		}
		if _, err := s.Do(ctx, nil, "update-index", "-q", "--refresh"); hardened.ExitCode(err) > 1 {
			return err
		}
		missing, err := s.Do(ctx, nil, "ls-files", "-d", "-z")
		if err != nil {
			return err
		}
		_, err = s.List(ctx, hardened.Fields(missing), "checkout-index", "-q", "-u", "-z", "--stdin")
		if hardened.ExitCode(err) != 0 {
			return kedge.Errorf(kedge.Conflict, "cannot write the files of the worktree %q: %w", r.g.Root(), err).WithHint("see what is there: ls -la %s", hardened.Quote(r.g.Root()))
		}
		if err == nil {
			err = s.Age(ctx)
		}
		if err != nil {
			return err
		}
		return s.Install(ctx)
	})
}

// refuseTree is Blocked when the files of a commit need a filter that nobody
// approved.
func (r *Repo) refuseTree(ctx context.Context, commit string) error {
	return r.withScratch(ctx, func(s *scratch) error {
		if !s.HasFilters() {
			return nil
		}
		if _, err := s.Do(ctx, nil, "read-tree", commit); err != nil {
			return err
		}
		out, err := s.Do(ctx, nil, "ls-files", "-z")
		if err != nil {
			return err
		}
		return s.RefuseWriting(ctx, hardened.Fields(out))
	})
}
