package worktree

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/git/hardened"
)

// AbortWorktree takes away what a git left that was killed while it made a worktree at a
// path: the link in the folder, the folder, and what git noted. A worktree that git
// finished stays, and so does a folder with anything else in it.
func (r *Repo) AbortWorktree(ctx context.Context, path string) error {
	return r.g.Exclusively(ctx, func(context.Context) error { // no git of ours is at it any more
		for _, admin := range r.adminDirs() {
			if err := abortAdmin(admin, path); err != nil {
				return kedge.Errorf(kedge.Internal, "cannot remove the unfinished worktree %q: %w", path, err)
			}
		}
		if r.adminDir(path) != "" || !onlyLink(path) {
			return nil
		}
		if err := errors.Join(removeFile(filepath.Join(path, ".git")), removeFile(path)); err != nil {
			return kedge.Errorf(kedge.Internal, "cannot remove the unfinished worktree %q: %w", path, err)
		}
		return nil
	})
}

// abortAdmin removes the git dir of a worktree at a path that git did not finish.
func abortAdmin(admin, path string) error {
	switch {
	case !unfinished(admin):
		return nil
	case hardened.RootBehind(filepath.Join(admin, "gitdir")) == path:
		return os.RemoveAll(admin)
	case filepath.Base(admin) == filepath.Base(path) && isShell(admin):
		return errors.Join(removeFile(filepath.Join(admin, "gitdir")), removeFile(filepath.Join(admin, "locked")), removeFile(admin))
	}
	return nil
}

// unfinished tells whether git was killed while it made the git dir of a worktree. Git
// locks it until it has made it, and our git writes no index meanwhile. A crash may have
// emptied the lock; one with another text is somebody's, and so is any with an index.
func unfinished(admin string) bool {
	why, err := os.ReadFile(filepath.Join(admin, "locked"))
	text := strings.TrimSpace(string(why))
	return err == nil && (text == "initializing" || text == "") && !hardened.Exists(filepath.Join(admin, "index"))
}

// isShell tells whether a git dir has nothing but its lock: git did not even note yet where
// the worktree is.
func isShell(admin string) bool {
	entries, err := os.ReadDir(admin)
	return err == nil && !slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		fi, err := e.Info()
		return err != nil || e.Name() != "locked" && (e.Name() != "gitdir" || fi.Size() > 0)
	})
}

// onlyLink tells whether a folder has nothing in it, or nothing but a link to a repository.
func onlyLink(path string) bool {
	entries, err := os.ReadDir(path)
	return err == nil && !slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() != ".git" || !e.Type().IsRegular() })
}

func removeFile(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
