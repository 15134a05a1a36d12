package worktree

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"kedge"
)

// AbortWorktree takes away what a git left that was killed while it made a worktree at a
// path: the link in the folder, the folder, and what git noted. A worktree that git
// finished stays, and so does a folder with anything else in it.
func (r *Repo) AbortWorktree(ctx context.Context, path string) error {
	return r.g.Exclusively(ctx, func(context.Context) error { // no git of ours is at it any more
		begun := r.begunAt(path)
		if len(begun) == 0 && r.adminDir(path) != "" {
			return nil
		}
		for _, admin := range begun {
			if err := os.RemoveAll(admin); err != nil {
				return kedge.Errorf(kedge.Internal, "cannot take away a worktree that was begun: %w", err)
			}
		}
		entries, err := os.ReadDir(path)
		if err != nil || len(entries) > 1 || len(entries) == 1 && entries[0].Name() != ".git" {
			return nil //nolint:nilerr // not there, or not only git's
		}
		if err := errors.Join(removeFile(filepath.Join(path, ".git")), removeFile(path)); err != nil {
			return kedge.Errorf(kedge.Internal, "cannot take away a worktree that was begun: %w", err)
		}
		return nil
	})
}

// begunAt are the git dirs of a worktree at a path that git did not finish. It locks such
// a one until it has.
func (r *Repo) begunAt(path string) []string {
	marks, _ := filepath.Glob(filepath.Join(r.g.CommonDir(), "worktrees", filepath.Base(path)+"*", "locked"))
	var out []string
	for _, mark := range marks {
		admin := filepath.Dir(mark)
		why, err := os.ReadFile(mark)
		if text := strings.TrimSpace(string(why)); err != nil || text != "initializing" && text != "" {
			continue
		}
		to, err := os.ReadFile(filepath.Join(admin, "gitdir"))
		if err != nil || strings.TrimSpace(string(to)) == "" || filepath.Dir(strings.TrimSpace(string(to))) == path {
			out = append(out, admin)
		}
	}
	return out
}

func removeFile(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
