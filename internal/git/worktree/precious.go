package worktree

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"kedge/internal/git/hardened"
	"kedge/internal/git/history"
	"kedge/internal/process"
)

// precious says what would be lost with the worktree; empty for nothing.
func (r *Repo) precious(ctx context.Context) string {
	if why := r.work(ctx); why != "" {
		return why
	}
	if n := measure(r.g.Root()); n.repo != "" {
		return fmt.Sprintf("it contains the repository %q", n.repo)
	}
	if ignored, err := r.ignored(ctx); err != nil {
		return err.Error()
	} else if len(ignored) > 0 {
		return "it has ignored files: " + hardened.Some(ignored, 3)
	}
	return ""
}

// inside says which worktree or submodule with work of its own is in the folder of a worktree;
// empty for none. Repositories that git ignores are of a set-up or of checks.
func (r *Repo) inside(ctx context.Context) string {
	list, err := r.listWorktrees(ctx)
	if err != nil {
		return err.Error()
	}
	for _, w := range list {
		if strings.HasPrefix(w.path, r.g.Root()+string(filepath.Separator)) && hardened.Exists(w.path) {
			return fmt.Sprintf("it contains the worktree %q", w.path)
		}
	}
	found, err := r.InSubmodules(ctx)
	if err != nil {
		return err.Error()
	}
	if len(found) > 0 {
		return fmt.Sprintf("its submodule %q has work that would be lost", found[0].Path)
	}
	return ""
}

// work is precious but for ignored files and repositories in it.
func (r *Repo) work(ctx context.Context) string {
	if r.g.GitDir() == r.g.CommonDir() {
		return "it is the main worktree"
	}
	if hardened.Exists(filepath.Join(r.g.GitDir(), "locked")) {
		return "it is locked"
	}
	if process.Occupant(r.g.Root()) > 0 {
		return "a process works in it"
	}
	if dirty, err := r.Dirty(ctx); err != nil {
		return err.Error()
	} else if dirty {
		return "it has changes that are not committed"
	}
	return r.lonely(ctx)
}

// lonely tells whether the commits of HEAD are on no ref.
func (r *Repo) lonely(ctx context.Context) string {
	h, err := r.Head(ctx)
	if err != nil {
		return err.Error()
	}
	kept, err := history.KeptBy(ctx, r.g, h.Commit, "")
	if err != nil {
		return err.Error()
	}
	if len(kept) == 0 {
		return "its commits are on no branch"
	}
	return ""
}
