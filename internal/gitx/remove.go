package gitx

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/atomicfile"
	"kedge/internal/gitx/attic"
	"kedge/internal/gitx/holder"
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
		if err := attic.RemoveAll(asideOf(path)); err != nil {
			return kedge.Errorf(kedge.Internal, "remove the worktree %q: %w", path, err).WithHint("rm -r %s", quote(asideOf(path)))
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
			return kedge.Errorf(kedge.Internal, "move the worktree %q away: %w", path, err)
		}
		return nil
	}
	return r.removeWorktree(ctx, path, move, func(w *Repo, ctx context.Context) string {
		if _, ours := w.owner(); !ours {
			return "Kedge did not make it"
		}
		return w.work(ctx)
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
	return attic.RemoveAll(path)
}

// removeWorktree removes a worktree when precious names nothing in it; take takes
// its folder, which is aside then, away.
func (r *Repo) removeWorktree(ctx context.Context, path string, take func() error, precious func(*Repo, context.Context) string) error {
	return r.exclusively(ctx, func(ctx context.Context) error {
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
	marks, _ := filepath.Glob(filepath.Join(r.common, "worktrees", "*", removingFile))
	var out []string
	for _, mark := range marks {
		if root := rootBehind(filepath.Join(filepath.Dir(mark), "gitdir")); root != "" {
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

// adminDir is the git dir of the worktree at path, whether its folder is there
// or aside or gone; "" for none.
func (r *Repo) adminDir(path string) string {
	links, _ := filepath.Glob(filepath.Join(r.common, "worktrees", "*", "gitdir"))
	for _, link := range links {
		b, err := os.ReadFile(link)
		to := strings.TrimSpace(string(b))
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(link), to)
		}
		if dir := filepath.Dir(to); err == nil && (dir == path || dir == asideOf(path)) {
			return filepath.Dir(link)
		}
	}
	return ""
}

func (r *Repo) setAside(ctx context.Context, path string, precious func(*Repo, context.Context) string) error {
	w, err := r.at(ctx, path)
	if err != nil {
		return err
	}
	if w.root != path {
		return kedge.Errorf(kedge.Invalid, "%q is not the top of a worktree", path).WithHint("kedge worktree ls")
	}
	if why := precious(w, ctx); why != "" {
		return stays(path, why)
	}
	if err := w.setRemoving(asideState); err != nil {
		return err
	}
	if err := os.Rename(path, asideOf(path)); err != nil {
		return kedge.Errorf(kedge.Internal, "move the worktree aside: %w", errors.Join(err, os.Remove(filepath.Join(w.gitDir, removingFile))))
	}
	return nil
}

func (r *Repo) setRemoving(state string) error {
	return atomicfile.Write(filepath.Join(r.gitDir, removingFile), []byte(state), 0o600)
}

func stays(path, why string) error {
	return kedge.Errorf(kedge.Conflict, "the worktree %q stays: %s", path, why).WithHint("git -C %s status", quote(path))
}

// checkAside looks at the worktree that was moved aside, and puts it back if it
// holds something by now.
func (r *Repo) checkAside(ctx context.Context, path string, precious func(*Repo, context.Context) string) error {
	if !exists(asideOf(path)) { // the crash was before it was moved
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
	if err := os.Rename(r.root, path); err != nil {
		return kedge.Errorf(kedge.Internal, "put the worktree back: %w", err).WithHint("mv %s %s", quote(r.root), quote(path))
	}
	_, err := r.run(ctx, call{dir: path, mode: inScratch, env: []string{"GIT_DIR=" + r.common}, args: []string{"worktree", "repair", "--end-of-options", path}})
	return errors.Join(err, os.Remove(filepath.Join(r.gitDir, removingFile)))
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
	if exists(list[i].path) {
		return stays(path, "somebody made another folder there")
	}
	_, err = r.git(ctx, "worktree", "remove", "--end-of-options", list[i].path)
	return err
}

// precious says what would be lost with the worktree; empty for nothing.
func (r *Repo) precious(ctx context.Context) string {
	if why := r.work(ctx); why != "" {
		return why
	}
	if ignored, err := r.ignored(ctx); err != nil {
		return err.Error()
	} else if len(ignored) > 0 {
		return "it has ignored files: " + some(ignored, 3)
	}
	return ""
}

// work is precious but for ignored files.
func (r *Repo) work(ctx context.Context) string {
	if r.gitDir == r.common {
		return "it is the main one"
	}
	if exists(filepath.Join(r.gitDir, "locked")) {
		return "it is locked"
	}
	if holder.Occupant(r.root) > 0 {
		return "a process works in it"
	}
	if dirty, err := r.Dirty(ctx); err != nil {
		return err.Error()
	} else if dirty {
		return "it has changes that are not committed"
	}
	if n := measure(r.root); n.repo != "" {
		return fmt.Sprintf("it holds the repository %q", n.repo)
	}
	return r.lonely(ctx)
}

// lonely tells whether the commits of HEAD are on no ref.
func (r *Repo) lonely(ctx context.Context) string {
	h, err := r.Head(ctx)
	if err != nil {
		return err.Error()
	}
	kept, err := r.keptBy(ctx, h.Commit, "")
	if err != nil {
		return err.Error()
	}
	if len(kept) == 0 {
		return "its commits are on no branch"
	}
	return ""
}

// ignored lists the ignored files of the work tree; a folder that is ignored
// whole is one entry, with a slash at its end.
func (r *Repo) ignored(ctx context.Context) ([]string, error) {
	var list []string
	err := r.withScratch(ctx, func(s *scratch) error {
		if err := s.useTracked(ctx); err != nil {
			return err
		}
		out, err := s.git(ctx, nil, "ls-files", "-z", "-o", "-i", "--exclude-standard", "--directory", "--no-empty-directory")
		list = fields(out)
		return err
	})
	return list, err
}

// some shows the first of many.
func some(paths []string, most int) string {
	shown := strings.Join(paths[:min(most, len(paths))], ", ")
	if n := len(paths) - most; n > 0 {
		shown += fmt.Sprintf(" and %d more", n)
	}
	return shown
}

// DropBranch removes a branch that has nothing of its own: holder, another branch,
// has all its commits, and no work tree stands on it. It says why it stays. Gone
// tells whether this call removed it: one that is not there was removed by others.
func (r *Repo) DropBranch(ctx context.Context, name, holder string) (gone bool, stays string, err error) {
	err = r.exclusively(ctx, func(ctx context.Context) error {
		at, why, err := r.whyBranchStays(ctx, name, holder, nil)
		if stays = why; err != nil || at == "" || why != "" {
			return err
		}
		err = r.moveRef(ctx, "refs/heads/"+name, "", at)
		gone = err == nil
		return err
	})
	return gone, stays, err
}

// BranchStays says why DropBranch would let a branch stay once the work trees at
// these paths are gone; empty when it would not. It changes nothing.
func (r *Repo) BranchStays(ctx context.Context, name, holder string, going []string) (string, error) {
	_, stays, err := r.whyBranchStays(ctx, name, holder, going)
	return stays, err
}

// whyBranchStays gives where the branch is, too; empty when it is not there.
func (r *Repo) whyBranchStays(ctx context.Context, name, holder string, going []string) (at, stays string, err error) {
	for _, b := range []string{name, holder} {
		if err := checkBranch(b); err != nil {
			return "", "", err
		}
	}
	if at, err = r.refValue(ctx, "refs/heads/"+name); err != nil || at == "" {
		return at, "", err
	}
	if name == holder {
		return at, "it is the branch that its commits go to", nil
	}
	has, err := r.refValue(ctx, "refs/heads/"+holder)
	if err != nil {
		return at, "", err
	}
	if has != "" {
		if in, err := r.Descends(ctx, has, at); err != nil || !in {
			return at, fmt.Sprintf("its commits are not on branch %q", holder), err
		}
	}
	list, err := r.listWorktrees(ctx)
	for _, w := range list {
		if w.branch == name && !slices.Contains(going, w.path) {
			return at, fmt.Sprintf("it is checked out in %q", w.path), err
		}
	}
	if has == "" {
		return at, fmt.Sprintf("there is no branch %q that could have its commits", holder), err
	}
	return at, "", err
}
