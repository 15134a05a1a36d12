package worktree

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kedge"

	"kedge/internal/git/hardened"
	"kedge/internal/git/salvage"
	"kedge/internal/process/atomicfile"
)

// removingFile stands in the git dir of a worktree that is being removed, and
// says how far that is: asideState or goingState.
const removingFile = "kedge-removing"

const (
	asideState = "aside\n" // its folder has another name, and is looked at once more
	goingState = "going\n" // it holds nothing; parts of it are deleted already
)

// asideOf is where the folder of a worktree stands while it is removed.
func asideOf(path string) string { return path + ".kedge-removing" }

// Holds says what would be lost with a worktree: changes, untracked or ignored
// files, a nested repository or submodule, commits that are on no ref; or that
// somebody needs it. Empty is nothing: it can be removed.
func (r *Repo) Holds(ctx context.Context, path string) (string, error) {
	w, err := r.at(ctx, path)
	if err != nil {
		return "", err
	}
	return w.precious(ctx), nil
}

// RemoveWorktree removes a worktree that Holds nothing; else Conflict, and it
// stays. Its branch stays in any case. It is looked at again after its folder
// was moved aside, where nobody who knows its name can put anything into it. The
// same request finishes what a crash interrupted; NotFound when it is gone.
func (r *Repo) RemoveWorktree(ctx context.Context, path string) error {
	return r.removeWorktree(ctx, path, func() error {
		if err := salvage.RemoveAll(asideOf(path)); err != nil {
			return kedge.Errorf(kedge.Internal, "cannot remove the worktree %q: %w", path, err).WithHint("remove it yourself: rm -r %s", hardened.Quote(asideOf(path)))
		}
		return nil
	}, (*Repo).precious)
}

// DropWorktree is RemoveWorktree for a worktree that Kedge made for itself and
// nobody else works in: its ignored files, which setup and checks made, go too.
// Its folder is only moved, to a name that is free: Discard deletes it, which may
// take long and needs no lock.
func (r *Repo) DropWorktree(ctx context.Context, path, to string) error {
	move := func() error {
		if err := os.Rename(asideOf(path), to); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return kedge.Errorf(kedge.Internal, "cannot move the worktree %q away: %w", path, err)
		}
		return nil
	}
	return r.removeWorktree(ctx, path, move, func(w *Repo, ctx context.Context) string {
		if _, ours := w.owner(); !ours {
			return "Kedge did not make it"
		}
		return cmp.Or(w.work(ctx), w.inside(ctx))
	})
}

// Discard deletes a folder that DropWorktree moved, or what is left of it, until
// ctx ends.
func Discard(ctx context.Context, path string) error { return discard(ctx, path, 4) }

// discard looks at ctx in the upper levels of a folder.
func discard(ctx context.Context, path string, levels int) error {
	if levels > 0 {
		_ = os.Chmod(path, 0o700) // it may not be written to
		entries, _ := os.ReadDir(path)
		for _, e := range entries {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if !e.IsDir() {
				continue // the last call takes it
			}
			if err := discard(ctx, filepath.Join(path, e.Name()), levels-1); err != nil {
				return err
			}
		}
	}
	return salvage.RemoveAll(path)
}

// removeWorktree removes a worktree when precious names nothing in it; take takes
// its folder, which is aside then, away.
func (r *Repo) removeWorktree(ctx context.Context, path string, take func() error, precious func(*Repo, context.Context) string) error {
	return r.g.Exclusively(ctx, func(ctx context.Context) error {
		state := r.removing(path)
		if state == "" {
			if err := r.setAside(ctx, path, precious); err != nil {
				return err
			}
		}
		if state != goingState {
			if err := r.checkAside(ctx, path, precious); err != nil {
				return err
			}
		}
		if err := take(); err != nil {
			return err
		}
		return r.unregister(ctx, path)
	})
}

// Removing tells whether the removal of a worktree was begun and not finished:
// RemoveWorktree finishes it.
func (r *Repo) Removing(path string) bool { return r.removing(path) != "" }

// Unfinished lists the worktrees of which Removing tells.
func (r *Repo) Unfinished() []string {
	var out []string
	for _, admin := range r.adminDirs() {
		if !hardened.Exists(filepath.Join(admin, removingFile)) {
			continue
		}
		if root := hardened.RootBehind(filepath.Join(admin, "gitdir")); root != "" {
			out = append(out, strings.TrimSuffix(root, asideOf("")))
		}
	}
	return out
}

// removing is how far the removal of a worktree has come; empty is not begun.
func (r *Repo) removing(path string) string {
	b, err := os.ReadFile(filepath.Join(r.adminDir(path), removingFile))
	if err != nil {
		return ""
	}
	return string(b)
}

func (r *Repo) setAside(ctx context.Context, path string, precious func(*Repo, context.Context) string) error {
	w, err := r.at(ctx, path)
	if err != nil {
		return err
	}
	if w.g.Root() != path {
		return kedge.Errorf(kedge.Invalid, "%q is not the top folder of a worktree", path).WithHint("see the worktrees: kedge worktree ls")
	}
	if why := precious(w, ctx); why != "" {
		return stays(path, why)
	}
	if err := w.setRemoving(asideState); err != nil {
		return err
	}
	if err := os.Rename(path, asideOf(path)); err != nil {
		return kedge.Errorf(kedge.Internal, "cannot move the worktree %q aside: %w", path, errors.Join(err, os.Remove(filepath.Join(w.g.GitDir(), removingFile))))
	}
	return nil
}

func (r *Repo) setRemoving(state string) error {
	return atomicfile.Write(filepath.Join(r.g.GitDir(), removingFile), []byte(state), 0o600)
}

func stays(path, why string) error {
	return kedge.Errorf(kedge.Conflict, "Kedge did not remove the worktree %q: %s", path, why).WithHint("see what is in the worktree: git -C %s status", hardened.Quote(path))
}

// checkAside looks at the worktree that was moved aside, and puts it back if it
// holds something by now.
func (r *Repo) checkAside(ctx context.Context, path string, precious func(*Repo, context.Context) string) error {
	if !hardened.Exists(asideOf(path)) { // the crash was before it was moved
		if err := r.setAside(ctx, path, precious); err != nil {
			return err
		}
	}
	w, err := r.at(ctx, asideOf(path))
	if err != nil {
		return err
	}
	if why := precious(w, ctx); why != "" {
		return errors.Join(stays(path, why), w.putBack(ctx, path))
	}
	return w.setRemoving(goingState)
}

func (r *Repo) putBack(ctx context.Context, path string) error {
	if err := os.Rename(r.g.Root(), path); err != nil {
		return kedge.Errorf(kedge.Internal, "cannot move the worktree back to %q: %w", path, err).WithHint("move it back yourself: mv %s %s", hardened.Quote(r.g.Root()), hardened.Quote(path))
	}
	_, err := r.g.Run(ctx, hardened.Call{Dir: path, Mode: hardened.InScratch, Env: []string{"GIT_DIR=" + r.g.CommonDir()}, Args: []string{"worktree", "repair", "--end-of-options", path}})
	return errors.Join(err, os.Remove(filepath.Join(r.g.GitDir(), removingFile)))
}

// unregister makes git forget a worktree whose folder is gone. There being no
// folder, git does not look for changes in it, which could run filters.
func (r *Repo) unregister(ctx context.Context, path string) error {
	list, err := r.listWorktrees(ctx)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(list, func(w registered) bool { return w.path == path || w.path == asideOf(path) })
	if i < 0 {
		return nil
	}
	if hardened.Exists(list[i].path) {
		return stays(path, "another program made a folder there")
	}
	_, err = r.g.Do(ctx, "worktree", "remove", "--end-of-options", list[i].path)
	return err
}

// ForgetWorktree makes git forget a worktree whose folder somebody removed; one
// that is there, or that git does not know, stays as it is. Commits that only
// its HEAD held go under the salvage ref of the request.
func (r *Repo) ForgetWorktree(ctx context.Context, path string, q salvage.Request) (kedge.Salvage, error) {
	var out kedge.Salvage
	err := r.g.Exclusively(ctx, func(ctx context.Context) error {
		list, err := r.listWorktrees(ctx)
		if err != nil {
			return err
		}
		for _, g := range list {
			if g.path != path || hardened.Exists(path) || hardened.Exists(asideOf(path)) {
				continue
			}
			if out, err = salvage.SaveLonely(ctx, r.g, g.head, q); err != nil {
				return err
			}
			return r.unregister(ctx, path)
		}
		return nil
	})
	return out, err
}
